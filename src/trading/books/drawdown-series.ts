// How the result of trading went over time, and how far it was below its highest point.

import { type Decimal, larger, minus, plus, ZERO } from '../decimal.ts';
import type { HistoricFill } from './fill-history.ts';
import type { HistoricFunding } from './performance.ts';

export interface DrawdownPoint {
  readonly atMs: number;
  /** Profits less fees, and funding, since the beginning of the stretch. */
  readonly net: Decimal;
  /** How far that is below its highest point, which is 0 at first; never negative. */
  readonly drawdown: Decimal;
}

export interface DrawdownRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** At most so many points: where there are more, the last one and the deepest of each of half as many equal stretches. */
  readonly limit: number;
}

/** Oldest first. Fills and payments in any order. */
export function drawdownSeries(
  fills: readonly HistoricFill[],
  payments: readonly HistoricFunding[],
  { fromMs, toMs, limit }: DrawdownRange,
): readonly DrawdownPoint[] {
  const steps = [
    ...fills.map(({ atMs, realizedPnl, fee }) => ({ atMs, amount: minus(realizedPnl, fee) })),
    ...payments.map(({ atMs, amount }) => ({ atMs, amount })),
  ]
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .sort((a, b) => a.atMs - b.atMs);
  let [net, peak] = [ZERO, ZERO];
  const points = steps.map(({ atMs, amount }): DrawdownPoint => {
    net = plus(net, amount);
    peak = larger(peak, net);
    return { atMs, net, drawdown: minus(peak, net) };
  });
  return points.length <= limit ? points : thinned(points, Math.max(1, Math.floor(limit / 2)));
}

/** The deepest fall stays visible, however few points there are. */
function thinned(points: readonly DrawdownPoint[], stretches: number): readonly DrawdownPoint[] {
  const firstMs = points[0]?.atMs ?? 0;
  const lengthMs = ((points.at(-1)?.atMs ?? 0) - firstMs + 1) / stretches;
  const kept = new Map<number, { deepest: DrawdownPoint; last: DrawdownPoint }>();
  for (const point of points) {
    const stretch = Math.floor((point.atMs - firstMs) / lengthMs);
    const { deepest = point } = kept.get(stretch) ?? {};
    kept.set(stretch, { deepest: point.drawdown > deepest.drawdown ? point : deepest, last: point });
  }
  return [...kept.values()].flatMap(({ deepest, last }) => (deepest === last ? [last] : [deepest, last]));
}
