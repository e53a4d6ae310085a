// Two kept runs beside each other: what of them differs, what each made, and the first trade at which they part.

import type { KeptRun, KeptTrade } from './kept-run.ts';

/** One thing that is not the same in both; null where one of them does not have it. */
export interface Difference {
  readonly name: string;
  readonly a: unknown;
  readonly b: unknown;
}

export interface FigurePair {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
  /** The second less the first; null where one of them is undefined. */
  readonly difference: number | null;
}

export interface RunComparison {
  readonly sameResult: boolean;
  readonly sameScript: boolean;
  /** Bars of the chart and of every other symbol it was given. */
  readonly sameData: boolean;
  readonly sameEngine: boolean;
  readonly script: readonly Difference[];
  readonly inputs: readonly Difference[];
  readonly settings: readonly Difference[];
  readonly market: readonly Difference[];
  /** Every figure of all trades and of the account, whether or not it differs. */
  readonly metrics: readonly FigurePair[];
  readonly firstDifferentTrade: TradePair | null;
  /** Kept trades are all the same, but those are not all of them, and the results differ. */
  readonly partsLater: boolean;
}

export interface TradePair {
  /** Counted from 1, in the order of exits. */
  readonly number: number;
  readonly a: KeptTrade | null;
  readonly b: KeptTrade | null;
}

type Fields = Readonly<Record<string, unknown>>;

export function compareRuns(a: KeptRun, b: KeptRun): RunComparison {
  const script = differences(scriptFields(a), scriptFields(b));
  const market = differences(marketFields(a), marketFields(b));
  const firstDifferentTrade = differentTrade(a.trades, b.trades);
  const sameResult = a.resultDigest === b.resultDigest;
  const hasMore = a.tradeCount > a.trades.length || b.tradeCount > b.trades.length;
  return {
    sameResult,
    sameScript: a.script.digest === b.script.digest && librariesOf(a) === librariesOf(b),
    sameData: a.market.digest === b.market.digest && othersOf(a) === othersOf(b),
    sameEngine: a.engine === b.engine,
    script,
    inputs: differences(a.inputs, b.inputs),
    settings: differences(a.settings, b.settings),
    market,
    metrics: figurePairs(a.metrics, b.metrics),
    firstDifferentTrade,
    partsLater: firstDifferentTrade === null && !sameResult && hasMore,
  };
}

const librariesOf = ({ script }: KeptRun): string => JSON.stringify(script.libraries);
const othersOf = ({ market }: KeptRun): string => JSON.stringify(market.others);

const scriptFields = ({ script, engine }: KeptRun): Fields => ({
  ...{ title: script.title, name: script.name, revision: script.revision, source: script.digest, engine },
  ...Object.fromEntries(script.libraries.map(({ name, digest }) => [`library ${name}`, digest])),
});

const marketFields = ({ market }: KeptRun): Fields => ({
  ...{ symbol: market.symbol, timeframe: market.timeframe, from: market.fromMs, to: market.toMs, bars: market.bars },
  ...{ prices: market.priceSource ?? null, data: market.digest, description: market.infoDigest },
  ...Object.fromEntries(market.others.map((other) => [`data of ${other.symbol}:${other.timeframe}`, other.digest])),
});

function differences(a: Fields, b: Fields): Difference[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names
    .map((name) => ({ name, a: own(a, name), b: own(b, name) }))
    .filter((pair) => JSON.stringify(pair.a) !== JSON.stringify(pair.b));
}

/** Inputs are named by their scripts, also like what every object has. */
const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null);

/** Moments are no figures. */
const NO_FIGURES = new Set(['from', 'to']);

function figurePairs(a: Fields, b: Fields): FigurePair[] {
  const figure = (fields: Fields, name: string): number | null => {
    const value = own(fields, name);
    return typeof value === 'number' ? value : null;
  };
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !NO_FIGURES.has(name));
  return names
    .map((name) => ({ name, a: figure(a, name), b: figure(b, name) }))
    .filter((pair) => pair.a !== null || pair.b !== null)
    .map((pair) => ({ ...pair, difference: pair.a === null || pair.b === null ? null : pair.b - pair.a }));
}

/** Up to where both are kept. */
function differentTrade(a: readonly KeptTrade[], b: readonly KeptTrade[]): TradePair | null {
  for (let place = 0; place < Math.max(a.length, b.length); place += 1) {
    const [one, other] = [a[place] ?? null, b[place] ?? null];
    if (tradeKey(one) !== tradeKey(other)) return { number: place + 1, a: one, b: other };
  }
  return null;
}

/** What it made follows from the rest, but for fees: those are among the settings. */
const tradeKey = (trade: KeptTrade | null): string =>
  trade === null
    ? ''
    : JSON.stringify([
        ...[trade.direction, trade.entryTimeMs, trade.entryPrice, trade.exitTimeMs, trade.exitPrice, trade.quantity],
      ]);
