// A strategy with two inputs and bars that it trades on, for tests of reports and searches.

import type { Bar } from '../../../src/pine/index.ts';

export const CROSSING_AVERAGES = `//@version=6
strategy("Crossing averages", overlay = true, initial_capital = 1000)
fast = input.int(3, "Fast", minval = 1, maxval = 20)
slow = input.int(8, "Slow", minval = 1)
isShort = input.bool(true, "Short too")
if fast == 5 and slow == 9
    runtime.error("not these two")
if ta.crossover(ta.sma(close, fast), ta.sma(close, slow))
    strategy.entry("L", strategy.long)
if ta.crossunder(ta.sma(close, fast), ta.sma(close, slow))
    strategy.close("L")
    if isShort
        strategy.entry("S", strategy.short)
plot(close)
`;

const HOUR_MS = 3_600_000;

/** Waves of different length over each other, so that other averages trade otherwise, and some trades lose. */
export const wavingBars = (count: number): readonly Bar[] =>
  Array.from({ length: count }, (_, i) => {
    const at = (place: number): number =>
      100 + 8 * Math.sin(place / 5) + 5 * Math.sin(place / 17) + 3 * Math.sin(place * 1.7);
    const [open, close] = [at(i), at(i + 1)];
    return {
      ...{ time: i * HOUR_MS, open, close, volume: 10 },
      ...{ high: Math.max(open, close) + 0.5, low: Math.min(open, close) - 0.5 },
    };
  });
