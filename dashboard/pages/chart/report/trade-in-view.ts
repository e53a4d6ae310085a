// Puts a trade of the list in view on the chart: in the middle, as near as the chart is now, or further away where it does not fit.

import type { AnswerTrade, BarColumns } from '../../../../src/pine/light.ts';
import type { MarketChart } from '../../../chart/market-chart.ts';

export interface BarRange {
  readonly from: number;
  readonly to: number;
}

/** A trade takes this share of the width at most. */
const MOST_OF_WIDTH = 0.7;

/** What is to be shown of a trade between two bars where so many bars are in view now. */
export function rangeAround(entry: number, exit: number, width: number): BarRange {
  const middle = (entry + exit) / 2;
  const half = Math.max(width, (exit - entry) / MOST_OF_WIDTH) / 2;
  return { from: middle - half, to: middle + half };
}

/** The place of the bar that begins at a time, or of the last before it. */
export function barAt({ time, count }: BarColumns, timeMs: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (time[middle]! <= timeMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function showTrade(
  { api, candles }: Pick<MarketChart, 'api' | 'candles'>,
  bars: BarColumns,
  { entry_time, exit_time, entry_price }: AnswerTrade,
): void {
  const scale = api.timeScale();
  const now = scale.getVisibleLogicalRange();
  const entry = barAt(bars, entry_time);
  const exit = exit_time === null ? bars.count - 1 : barAt(bars, exit_time);
  scale.setVisibleLogicalRange(rangeAround(entry, exit, now === null ? 0 : now.to - now.from));
  const point = candles.dataByIndex(entry);
  if (point === null || entry_price === null) return;
  // The crosshair is put by the scales as they are drawn, and the new ones are drawn with the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => api.setCrosshairPosition(entry_price, point.time, candles)));
}
