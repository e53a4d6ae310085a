// A curve over time without a chart library: a line on a soft ground that fills its place, with the value under the pointer.

import { useState } from 'preact/hooks';
import './line-chart.css';
import { fixed } from './numbers.ts';
import { dayAndTime } from './times.ts';
import { words } from './words.ts';

export interface LinePoint {
  readonly at: number;
  readonly value: number;
}

export interface LineChartProps {
  readonly label: string;
  readonly points: readonly LinePoint[];
  readonly nowMs: number;
  /** How a value is written. */
  readonly show?: (value: number) => string;
  /** For what falls from a height, such as a drawdown: it hangs from above, in the colour of loss. */
  readonly isFall?: boolean;
}

const [WIDTH, HEIGHT] = [1000, 240];
/** Room above and below the line, as a share of its height. */
const MARGIN = 0.08;

export function LineChart({ label, points, nowMs, show = (value) => fixed(value), isFall = false }: LineChartProps) {
  const [under, setUnder] = useState<LinePoint>();
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { x, y, low, high } = scales(points);
  const ground = isFall ? y(high) : HEIGHT;
  const line = points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join(' ');
  const follow = (event: PointerEvent): void => {
    const { left, width } = (event.currentTarget as SVGElement).getBoundingClientRect();
    const at = first.at + ((event.clientX - left) / width) * (last.at - first.at);
    setUnder(points.reduce((best, point) => (Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best), first));
  };
  const told = under ?? last;
  return (
    <figure class={words('line-chart', isFall && 'fall')}>
      <figcaption aria-hidden={under === undefined}>
        {under !== undefined && (
          <>
            <strong>{show(told.value)}</strong> <span class="quiet">{dayAndTime(told.at, nowMs)}</span>
          </>
        )}
      </figcaption>
      <span class="bound high" aria-hidden="true">
        {show(high)}
      </span>
      <span class="bound low" aria-hidden="true">
        {show(low)}
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${show(first.value)} at first, ${show(last.value)} now`}
        onPointerMove={follow}
        onPointerLeave={() => setUnder(undefined)}
      >
        <polygon points={`${line} ${WIDTH},${ground} 0,${ground}`} />
        <polyline points={line} />
        {under !== undefined && <line x1={x(under.at)} x2={x(under.at)} y1="0" y2={HEIGHT} />}
      </svg>
    </figure>
  );
}

function scales(points: readonly LinePoint[]) {
  const [first, last] = [points[0]!.at, points.at(-1)!.at];
  const [low, high] = points.reduce(
    ([least, most], { value }) => [Math.min(least, value), Math.max(most, value)] as const,
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const,
  );
  const span = high - low;
  const share = (value: number): number => (span === 0 ? 0.5 : (value - low) / span);
  return {
    low,
    high,
    x: (at: number): number => (last === first ? WIDTH : ((at - first) / (last - first)) * WIDTH),
    y: (value: number): number => HEIGHT * (1 - MARGIN - share(value) * (1 - 2 * MARGIN)),
  };
}
