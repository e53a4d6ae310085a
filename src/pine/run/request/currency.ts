// Rates of currencies, from bars of their pairs: EURUSD says what a euro is in dollars, and the reverse.

import { timeframes } from '../../values/index.ts';
import { BarFacts } from '../bar-facts.ts';
import { BAR_COLUMNS, type BarColumns } from '../bars.ts';
import type { BarLibrary, FoundBars, Series } from './bar-library.ts';
import { countUpTo } from './requested-series.ts';

export interface Rates {
  /** By the close of the last day that was over at the time; null when nobody knows the pair. */
  at(timeMs: number, from: string, to: string): number | null;
  /** What an account is converted at: the last close before the day (UTC) of the time; null when nobody knows the pair. */
  ofAccount(from: string, to: string): AccountRate | null;
}

export interface AccountRate {
  /** The first day (UTC) that a rate is known for; before it, its rate stands in. */
  readonly firstDayMs: number;
  at(timeMs: number): number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Coins that are worth a dollar by their own promise, where no bars say what they were worth. */
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
      if (from === to) return 1;
      const pair = pairOf(from, to);
      if (pair === null) return DOLLARS.has(from) && DOLLARS.has(to) ? 1 : null;
      const place = countUpTo(pair.closeMs, pair.bars.count, timeMs) - 1;
      const close = place < 0 ? Number.NaN : pair.bars.close[place]!;
      return pair.isReverse ? 1 / close : close;
    },
    ofAccount(from, to) {
      const straight = barsUpToDays(library, `${from}${to}`);
      if (straight !== null) return accountRate(straight, (close) => close);
      const reverse = barsUpToDays(library, `${to}${from}`);
      return reverse === null ? null : accountRate(reverse, (close) => 1 / close);
    },
  };
}

/** The longest bars of a pair that are no longer than a day. */
function barsUpToDays(library: BarLibrary, pair: string): Series | null {
  let longest: Series | null = null;
  for (const series of library.handedIn(pair)) {
    if (series.bars.count === 0 || lengthMs(series) > DAY_MS) continue;
    if (longest === null || lengthMs(series) > lengthMs(longest)) longest = series;
  }
  return longest;
}

const lengthMs = ({ frame }: Series): number => timeframes.inSeconds(frame) * 1000;

/** Bars of currencies last as long as their timeframe says: sessions of the chart's symbol are none of theirs. */
function accountRate(series: Series, rateOf: (close: number) => number): AccountRate {
  const { time, close, count } = series.bars;
  let known = { day: Number.NaN, rate: Number.NaN };
  return {
    firstDayMs: Math.ceil((time[0]! + lengthMs(series)) / DAY_MS) * DAY_MS,
    at(timeMs) {
      const day = Math.floor(timeMs / DAY_MS);
      if (day === known.day) return known.rate;
      const over = countUpTo(time, count, day * DAY_MS - lengthMs(series));
      known = { day, rate: rateOf(close[Math.max(0, over - 1)]!) };
      return known.rate;
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
