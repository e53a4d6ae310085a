// The bars a script is calculated on: all that are handed in, or as many of the last as its declaration asks for.
//
// For the script there are no others: its first bar has the index 0 and nothing before it. Whoever handed the bars in
// knows them by their places, so that everything a run tells outside of the script counts the left-out bars as well.

import type { CheckedProgram } from '../check/tree.ts';
import type { BarColumns } from './bars.ts';

export interface CalculatedBars {
  readonly bars: BarColumns;
  /** How many bars before them are left out. */
  readonly leftOut: number;
}

/**
 * `calc_bars_count` is the number of bars; 0 means all of them. It limits what there was when the script was started:
 * bars from `liveSinceMs` on came later, and with them its first bar does not move.
 */
export function calculatedBars(
  { settings }: CheckedProgram,
  bars: BarColumns,
  liveSinceMs = Number.POSITIVE_INFINITY,
): CalculatedBars {
  const wanted = settings.calc_bars_count;
  if (typeof wanted !== 'number' || wanted <= 0) return { bars, leftOut: 0 };
  const { count, time } = bars;
  let past = count;
  while (past > 0 && time[past - 1]! >= liveSinceMs) past -= 1;
  const leftOut = past - wanted;
  if (leftOut <= 0) return { bars, leftOut: 0 };
  const last = (column: Float64Array) => column.subarray(leftOut, count);
  return {
    bars: {
      count: count - leftOut,
      time: last(time),
      open: last(bars.open),
      high: last(bars.high),
      low: last(bars.low),
      close: last(bars.close),
      volume: last(bars.volume),
    },
    leftOut,
  };
}
