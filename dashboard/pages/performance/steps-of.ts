// What was realized as a curve: nothing before the first fill, and from one fill to the next it stays as it is.

import type { LinePoint } from '../../ui/line-chart.tsx';

export function stepsOf(points: readonly LinePoint[]): readonly LinePoint[] {
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before === undefined
      ? [{ at: point.at - 1, value: 0 }, point]
      : [{ at: Math.max(before.at, point.at - 1), value: before.value }, point];
  });
}
