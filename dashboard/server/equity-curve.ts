// One curve of several accounts: at every moment the sum of what each had last. Before an account's first point it has that first one.

import type { EquityCurve } from './answers.ts';

export interface EquityPoint {
  readonly at: number;
  readonly equity: number;
}

export function sumOfCurves(curves: readonly Pick<EquityCurve, 'points'>[]): readonly EquityPoint[] {
  const known = curves.map(({ points }) => points).filter((points) => points.length > 0);
  const moments = [...new Set(known.flatMap((points) => points.map(({ at }) => at)))].sort((a, b) => a - b);
  const next = known.map(() => 0);
  return moments.map((at) => {
    const equity = known.reduce((sum, points, index) => {
      while ((points[next[index]! + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) next[index]! += 1;
      return sum + points[next[index]!]!.equity;
    }, 0);
    return { at, equity };
  });
}

/** How far each point is below the height before it, as a share of that height: 0 or less. */
export function drawdowns(points: readonly EquityPoint[]): readonly { readonly at: number; readonly value: number }[] {
  let height = Number.NEGATIVE_INFINITY;
  return points.map(({ at, equity }) => {
    height = Math.max(height, equity);
    return { at, value: height > 0 ? equity / height - 1 : 0 };
  });
}

export const worstDrawdown = (points: readonly EquityPoint[]): number =>
  drawdowns(points).reduce((worst, { value }) => Math.min(worst, value), 0);
