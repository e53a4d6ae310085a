// Named values as bars beside each other, from zero to both sides.

import { plain } from '../../ui/numbers.ts';

export interface BarChartProps {
  readonly label: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

const WIDTH = 100;

export function BarChart({ label, bars }: BarChartProps) {
  const low = Math.min(0, ...bars.map(({ value }) => value));
  const high = Math.max(0, ...bars.map(({ value }) => value));
  const share = (value: number): number => (high === low ? 0 : ((value - low) / (high - low)) * WIDTH);
  return (
    <ul class="bar-chart" aria-label={label}>
      {bars.map(({ name, value }, index) => (
        <li key={`${index} ${name}`}>
          <span class="name">{name}</span>
          <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
            <rect
              x={Math.min(share(0), share(value))}
              width={Math.abs(share(value) - share(0))}
              height="10"
              class={value < 0 ? 'below' : undefined}
            />
          </svg>
          <span class="number">{plain(value)}</span>
        </li>
      ))}
    </ul>
  );
}
