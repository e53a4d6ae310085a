// A curve with fewer points that looks the same: of every stretch its lowest and its highest stay, in their order.

import type { LinePoint } from '../../../ui/line-chart.tsx';

/** As many as a curve in a panel has pixels to show. */
const MOST_POINTS = 1_000;

export function thinned(points: readonly LinePoint[], most = MOST_POINTS): readonly LinePoint[] {
  if (points.length <= most) return points;
  const stretches = Math.floor((most - 2) / 2);
  const inner = points.slice(1, -1);
  const kept = Array.from({ length: stretches }, (_, index) => {
    const from = Math.floor((index * inner.length) / stretches);
    const stretch = inner.slice(from, Math.floor(((index + 1) * inner.length) / stretches));
    const low = stretch.reduce((a, b) => (b.value < a.value ? b : a));
    const high = stretch.reduce((a, b) => (b.value > a.value ? b : a));
    if (low === high) return [low];
    return low.at < high.at ? [low, high] : [high, low];
  });
  return [points[0]!, ...kept.flat(), points.at(-1)!];
}
