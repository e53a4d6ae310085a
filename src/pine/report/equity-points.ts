// The equity of an account at the close of each bar, as few points as a chart of it needs.

import type { BarColumns } from '../run/bars.ts';

export interface EquityPoint {
  readonly timeMs: number;
  /** Capital, closed trades, and what open ones stand at. */
  readonly equity: number;
  /** How far below its highest close so far, 0 or more. */
  readonly drawdown: number;
  readonly drawdownPercent: number;
}

/** More than a wide screen has pixels; an answer with them stays below a megabyte. */
export const MAX_EQUITY_POINTS = 5_000;

export interface EquityRange {
  readonly initialCapital: number;
  /** Bars of the chart before the first that has an equity. */
  readonly leftOut: number;
  /** The first bar with a point, and the first without one any more; counted over all bars. */
  readonly from: number;
  readonly to: number;
}

/**
 * A bar on which nothing changed, before and after another such bar, has no point: a line between its neighbours is the
 * same. Where that leaves too many, the bars are cut into as many stretches of equal length; of each stays the close with
 * the deepest drawdown, and of the last one the last close.
 */
export function equityPoints(curve: ArrayLike<number>, bars: BarColumns, range: EquityRange): readonly EquityPoint[] {
  const all: EquityPoint[] = [];
  let highest = range.initialCapital;
  for (let bar = range.from; bar < range.to; bar += 1) {
    const at = bar - range.leftOut;
    const equity = curve[at]!;
    highest = Math.max(highest, equity);
    const isFlat = bar > range.from && bar < range.to - 1 && equity === curve[at - 1] && equity === curve[at + 1];
    if (isFlat) continue;
    const drawdown = highest - equity;
    const drawdownPercent = highest > 0 ? (drawdown / highest) * 100 : Number.NaN;
    all.push({ timeMs: bars.time[bar]!, equity, drawdown, drawdownPercent });
  }
  return thinned(all);
}

/** As they are where they are few enough. */
export function thinned(points: readonly EquityPoint[]): readonly EquityPoint[] {
  if (points.length <= MAX_EQUITY_POINTS) return points;
  const last = points.at(-1)!;
  const found: EquityPoint[] = [];
  const stretches = MAX_EQUITY_POINTS - 1;
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * (points.length - 1)) / stretches);
    const to = Math.floor(((stretch + 1) * (points.length - 1)) / stretches);
    let deepest = points[from]!;
    for (let at = from; at < to; at += 1) if (points[at]!.drawdown > deepest.drawdown) deepest = points[at]!;
    found.push(deepest);
  }
  return [...found, last];
}
