// POST /backtest/quick inside a thread: a strategy over bars, answered with its equity curve, its trades and what they come to.

import { checkStrict } from '../../../http/strict-body.ts';
import { repaintAnswer } from '../../../library/repaint-check.ts';
import { strategyAnswer } from '../../../pine/index.ts';
import { joined } from '../json-splice.ts';
import { refusal } from '../refusal.ts';
import { backtestHeadSchemaOf } from '../schemas.ts';
import { answered, type Handler } from './handler.ts';
import { checkScript, readMarket, readRun } from './run-fields.ts';
import { wantedBars } from './wanted-bars.ts';

export const backtestQuick: Handler = async ({ value, limits, engine, tell, bytes, bars: given }) => {
  const head = checkStrict(backtestHeadSchemaOf(value), value);
  const { script: source, initial_capital: initialCapital, check_repaint: checksRepaint = false } = head;
  checkScript(source, limits);
  const wanted = wantedBars(head, limits, '');
  // In memory of its own, so that it can be handed to the event loop.
  if (wanted !== undefined && given === undefined) return { ...wanted, body: joined([bytes]) };
  const run = readRun(head, limits, '', given?.columns);
  const { bars, libraries, timeoutMs } = run;
  tell({ bars: bars.count, timeoutMs });
  // Checked first: nobody should wait for the run of a script that makes no trades.
  const checked = await engine.check({ source, timeoutMs, ...(libraries === undefined ? {} : { libraries }) });
  if (checked.kind !== 'checked') return checked;
  if (!checked.ok) return { kind: 'compile-failed', diagnostics: checked.diagnostics };
  if (checked.scriptType !== 'strategy') throw noStrategy(checked.scriptType);
  const capital = initialCapital === undefined ? {} : { initialCapital };
  const outcome = await engine.run({ source, ...run, ...capital, checksRepaint });
  if (outcome.kind !== 'result') return outcome;
  const { result, report, warnings, repaint } = outcome;
  const { metrics, trades, equity } = strategyAnswer(report);
  const { scriptName, symbol, timeframe } = result.meta;
  const { market } = readMarket(head);
  return answered({
    status: 'success',
    summary: metrics,
    equity_curve: equity,
    trades,
    meta: {
      script_type: 'strategy',
      script_name: scriptName,
      ...{ symbol, timeframe, bars: bars.count, warnings },
      ...(market && { market }),
      ...(given && { price_source: given.source, from: bars.time[0], to: bars.time[bars.count - 1] }),
      repaint: repaintAnswer(repaint),
    },
  });
};

/** Of /optimize too. */
export const noStrategy = (scriptType = 'script') =>
  refusal('INVALID_FIELD', `script: is an ${scriptType} and makes no trades, declare it with strategy(...)`);
