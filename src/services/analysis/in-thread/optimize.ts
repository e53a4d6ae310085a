// POST /optimize inside a thread: the body becomes the draft of a search, checked down to the last value that is to be tried.

import { checkStrict } from '../../../http/strict-body.ts';
import type { RunLimits } from '../../../library/request-runner.ts';
import type { DraftMarket } from '../../../library/search/search-draft.ts';
import { sharedBars } from '../../../library/search/shared-bars.ts';
import { barColumns, type InputVariation, type SymbolBars } from '../../../pine/index.ts';
import { type Constraint, usualGoal } from '../../../pine/light.ts';
import { type MarketHead, type OptimizeHead, optimizeHeadSchema, variationSchema } from '../optimize-schema.ts';
import { refusal } from '../refusal.ts';
import { noStrategy } from './backtest.ts';
import type { Handler } from './handler.ts';
import { checkScript, readRun, under } from './run-fields.ts';
import { wantedBars } from './wanted-bars.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MARKET_FIELDS = ['data', 'bars', 'symbol', 'timeframe', 'symbol_info', 'symbol_bars'] as const;

export const optimize: Handler = async ({ value, limits, engine, tell }) => {
  const head = checkStrict(optimizeHeadSchema, value);
  const { script: source, libraries } = head;
  checkScript(source, limits);
  const common = readRun({ ...withoutMarket(head), libraries }, limits, '', barColumns([]));
  const { timeoutMs } = common;
  const varied = variationsIn(head.vary);
  const method = methodOf(head);
  const markets = marketsOf(head).map(({ market, at }) => draftMarket(market, limits, at));
  tell({ bars: markets.reduce((sum, { bars }) => sum + bars.count, 0), timeoutMs });
  const found = await engine.space({
    source,
    varied,
    fixed: head.inputs ?? {},
    ...(libraries === undefined ? {} : { libraries }),
  });
  if (found.kind !== 'space') return found;
  if (found.scriptType !== 'strategy') throw noStrategy(found.scriptType);
  const { metric, goal, combine } = { ...head, metric: head.objective };
  return {
    kind: 'draft',
    draft: {
      source,
      ...(libraries === undefined ? {} : { libraries }),
      scriptName: found.scriptName,
      ...found.space,
      method,
      markets,
      objective: { metric, goal: goal ?? usualGoal(metric), combine },
      constraints: constraintsOf(head),
      tradeFromMs: common.tradeFromMs,
      tradeToMs: common.tradeToMs,
      initialCapital: head.initial_capital,
      walkForward: head.walk_forward && {
        inSampleMs: head.walk_forward.in_sample_days * DAY_MS,
        outOfSampleMs: head.walk_forward.out_of_sample_days * DAY_MS,
        isAnchored: head.walk_forward.anchored,
      },
      top: head.top,
      runTimeoutMs: timeoutMs,
    },
  };
};

/** Of a batch too. */
export const withoutMarket = ({
  timeout_seconds,
  trade_from,
  trade_to,
}: Pick<OptimizeHead, 'timeout_seconds' | 'trade_from' | 'trade_to'>) => ({
  ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
  ...(trade_from === undefined ? {} : { trade_from }),
  ...(trade_to === undefined ? {} : { trade_to }),
});

function variationsIn(vary: Readonly<Record<string, unknown>>): Record<string, InputVariation> {
  const names = Object.keys(vary);
  if (names.length === 0) throw refusal('INVALID_FIELD', 'vary: is empty, name at least one input to vary');
  return Object.fromEntries(
    names.map((name) => {
      if (variationSchema.safeParse(vary[name]).success) return [name, vary[name] as InputVariation];
      const forms = '{"from": 5, "to": 50, "step": 5}, a list of values, or "all"';
      throw refusal('INVALID_FIELD', `vary.${name.slice(0, 100)}: is not usable, send ${forms}`);
    }),
  );
}

function methodOf({ method, samples, seed }: OptimizeHead) {
  if (method === 'grid') {
    if (samples === undefined) return { kind: 'grid' } as const;
    throw refusal('INVALID_FIELD', 'samples: is for a random search, send "method": "random" too, or leave it out');
  }
  if (samples !== undefined) return { kind: 'random', samples, seed } as const;
  throw refusal('MISSING_FIELD', 'samples: is missing, send how many combinations a random search tries');
}

function constraintsOf({ constraints, min_trades }: OptimizeHead): Constraint[] {
  const empty = constraints.findIndex(({ min, max }) => min === undefined && max === undefined);
  if (empty >= 0) throw refusal('INVALID_FIELD', `constraints.${empty}: has no bound, send min or max`);
  return min_trades === undefined ? constraints : [...constraints, { metric: 'total_trades', min: min_trades }];
}

function marketsOf(head: OptimizeHead): { readonly market: MarketHead; readonly at: string }[] {
  if (head.markets === undefined) return [{ market: head, at: '' }];
  const both = MARKET_FIELDS.find((field) => head[field] !== undefined);
  if (both !== undefined)
    throw refusal('INVALID_FIELD', `${both}: cannot be sent with markets, send it within each of them`);
  return head.markets.map((market, index) => ({ market, at: `markets.${index}` }));
}

/** Of a batch too. */
export function draftMarket(market: MarketHead, limits: RunLimits, at: string): DraftMarket {
  const { data, symbol, timeframe, symbol_info, symbol_bars } = market;
  const wanted = wantedBars(market, limits, at);
  if (wanted === undefined && data === undefined)
    throw refusal(
      'MISSING_FIELD',
      `${under(at, 'data')}: is missing, send bars, or symbol, timeframe and bars instead`,
    );
  const fields = { data, symbol, timeframe, symbol_info, symbol_bars };
  const read = readRun(fields, limits, at, wanted === undefined ? undefined : barColumns([]));
  const symbolBars = read.symbolBars?.map((other): SymbolBars => ({ ...other, bars: sharedBars(other.bars) }));
  const ticker = symbol ?? read.symbol?.ticker ?? 'chart';
  return {
    name: [ticker, read.timeframe ?? ''].join(' ').trim(),
    bars: sharedBars(read.bars),
    symbol: wanted === undefined ? (read.symbol ?? {}) : { type: 'crypto', ...read.symbol },
    ...(read.timeframe === undefined ? {} : { timeframe: read.timeframe }),
    ...(symbolBars === undefined ? {} : { symbolBars }),
    ...(wanted === undefined ? {} : { wanted }),
  };
}
