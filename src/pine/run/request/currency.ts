// Rates of currencies, from daily bars of their pairs: EURUSD says what a euro is in dollars, and the reverse.

import { BarFacts } from '../bar-facts.ts';
import { BAR_COLUMNS, type BarColumns } from '../bars.ts';
import type { BarLibrary, FoundBars } from './bar-library.ts';
import { countUpTo } from './requested-series.ts';

export interface Rates {
  /** By the close of the last day that was over at the time; null when nobody knows the pair. */
  at(timeMs: number, from: string, to: string): number | null;
}

/** Coins that are worth a dollar by their own promise. */
const DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC']);

interface Pair {
  readonly bars: BarColumns;
  readonly closeMs: Float64Array;
  readonly isReverse: boolean;
}

export function currencyRates(library: BarLibrary): Rates {
  const pairs = new Map<string, Pair | null>();
  const pairOf = (from: string, to: string): Pair | null => {
    const key = `${from}${to}`;
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const straight = library.find(key, '1D');
    const reverse = straight === null ? library.find(`${to}${from}`, '1D') : null;
    const found = straight ?? reverse;
    const pair = found === null ? null : { bars: found.bars, closeMs: closesOf(found), isReverse: straight === null };
    pairs.set(key, pair);
    return pair;
  };
  return {
    at(timeMs, from, to) {
      if (from === to || (DOLLARS.has(from) && DOLLARS.has(to))) return 1;
      const pair = pairOf(from, to);
      if (pair === null) return null;
      const place = countUpTo(pair.closeMs, pair.bars.count, timeMs) - 1;
      const close = place < 0 ? Number.NaN : pair.bars.close[place]!;
      return pair.isReverse ? 1 / close : close;
    },
  };
}

function closesOf({ bars, market }: FoundBars): Float64Array {
  const facts = new BarFacts(market);
  return Float64Array.from(bars.time.subarray(0, bars.count), (timeMs) => facts.time_close(timeMs));
}

/** The bars with their prices in another currency. */
export function inCurrency(bars: BarColumns, rateAt: (timeMs: number) => number): BarColumns {
  const rates = Float64Array.from(bars.time.subarray(0, bars.count), rateAt);
  const priced = (column: Float64Array) => rates.map((rate, place) => rate * column[place]!);
  const [time, open, high, low, close, volume] = BAR_COLUMNS.map((name) =>
    name === 'time' || name === 'volume' ? bars[name] : priced(bars[name]),
  );
  return { count: bars.count, time: time!, open: open!, high: high!, low: low!, close: close!, volume: volume! };
}
