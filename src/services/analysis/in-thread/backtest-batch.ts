// POST /backtest/batch inside a thread: the body becomes the draft of a batch. Scripts are compiled where they run: one that does
// not compile is a row with a fault, and leaves the others alone.

import { checkStrict } from '../../../http/strict-body.ts';
import { MAX_MARKETS } from '../../../library/search/search-plan.ts';
import { barColumns } from '../../../pine/index.ts';
import { backtestBatchHeadSchema } from '../backtest-batch-schema.ts';
import { refusal } from '../refusal.ts';
import type { Handler } from './handler.ts';
import { draftMarket, withoutMarket } from './optimize.ts';
import { checkLibraries, checkScript, readRun } from './run-fields.ts';

export const backtestBatch: Handler = ({ value, limits, tell }) => {
  const head = checkStrict(backtestBatchHeadSchema, value);
  const scripts = head.scripts.map(({ script: source, name, inputs = {}, libraries }, index) => {
    const at = `scripts.${index}`;
    checkScript(source, limits, at);
    checkLibraries(libraries, limits, at);
    return { name: name ?? String(index + 1), source, inputs, ...(libraries === undefined ? {} : { libraries }) };
  });
  const common = readRun(withoutMarket(head), limits, '', barColumns([]));
  const markets = head.markets.map((market, index) => draftMarket(market, limits, `markets.${index}`));
  const bars = markets.reduce((sum, market) => sum + (market.wanted?.count ?? market.bars.count), 0);
  const maxBars = limits.maxBars * MAX_MARKETS;
  if (bars > maxBars)
    throw refusal('TOO_MANY_BARS', `markets: have ${bars} bars together, send or ask for at most ${maxBars}`);
  tell({ bars, timeoutMs: common.timeoutMs });
  return {
    kind: 'draft',
    draft: {
      scripts,
      markets,
      tradeFromMs: common.tradeFromMs,
      tradeToMs: common.tradeToMs,
      initialCapital: head.initial_capital,
      runTimeoutMs: common.timeoutMs,
    },
  };
};
