// Averages and ranges in plain TypeScript, each from its definition and nothing else: what the scripts are held against.

import type { Bar } from '../../src/pine/index.ts';

export type Series = readonly number[];

export const of = (bars: readonly Bar[], value: (bar: Bar) => number): number[] => bars.map(value);

/** The last `length` values up to each bar, oldest first, given to `make`; na where there are fewer, or na among them. */
export function windowed(values: Series, length: number, make: (window: number[]) => number): number[] {
  return values.map((_, index) => {
    const window = values.slice(Math.max(0, index - length + 1), index + 1);
    return window.length < length || window.some(Number.isNaN) ? Number.NaN : make(window);
  });
}

const total = (window: Series) => window.reduce((sum, value) => sum + value, 0);

export const sma = (values: Series, length: number) => windowed(values, length, (window) => total(window) / length);

export const wma = (values: Series, length: number) =>
  windowed(values, length, (window) => {
    const weights = (length * (length + 1)) / 2;
    return window.reduce((sum, value, place) => sum + value * (place + 1), 0) / weights;
  });

export const highest = (values: Series, length: number) => windowed(values, length, (window) => Math.max(...window));
export const lowest = (values: Series, length: number) => windowed(values, length, (window) => Math.min(...window));

/** Begins with the mean of its first `length` values. */
export function smoothed(values: Series, length: number, alpha: number): number[] {
  const means = sma(values, length);
  let last = Number.NaN;
  return values.map((value, index) => {
    last = Number.isNaN(last) ? means[index]! : alpha * value + (1 - alpha) * last;
    return last;
  });
}

export const ema = (values: Series, length: number) => smoothed(values, length, 2 / (length + 1));
export const rma = (values: Series, length: number) => smoothed(values, length, 1 / length);

export const before = (values: Series, index: number, back = 1) => values[index - back] ?? Number.NaN;

export const changes = (values: Series) => values.map((value, index) => value - before(values, index));

/** Of the first bar na when `isFirstKnown` does not say otherwise: there is no close before it. */
export function trueRange(bars: readonly Bar[], isFirstKnown: boolean): number[] {
  return bars.map(({ high, low }, index) => {
    const close = bars[index - 1]?.close;
    if (close === undefined) return isFirstKnown ? high - low : Number.NaN;
    return Math.max(high - low, Math.abs(high - close), Math.abs(low - close));
  });
}

export const atr = (bars: readonly Bar[], length: number) => rma(trueRange(bars, true), length);

export function rsi(values: Series, length: number): number[] {
  const moves = changes(values);
  const ups = rma(
    moves.map((move) => Math.max(move, 0)),
    length,
  );
  const downs = rma(
    moves.map((move) => Math.max(-move, 0)),
    length,
  );
  return ups.map((up, index) => {
    const down = downs[index]!;
    return down === 0 ? 100 : up === 0 ? 0 : 100 - 100 / (1 + up / down);
  });
}

/** What a script must answer, by title. */
export type Formula = (bars: readonly Bar[]) => Readonly<Record<string, Series>>;

export const closes = (bars: readonly Bar[]) => of(bars, ({ close }) => close);
export const highs = (bars: readonly Bar[]) => of(bars, ({ high }) => high);
export const lows = (bars: readonly Bar[]) => of(bars, ({ low }) => low);
export const middles = (bars: readonly Bar[]) => of(bars, ({ high, low }) => (high + low) / 2);
