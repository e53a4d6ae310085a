// A heat map for a terminal: five shades, the darkest for the best; one input along each side.

import type { HeatMap } from '../library/search/heat-map.ts';
import type { Paint } from './paint.ts';
import { cell } from './table.ts';

const SHADES = ['  ', '░░', '▒▒', '▓▓', '██'];
/** Nothing is known of it: it failed, was not drawn, or has no such figure. */
const UNKNOWN = '··';
/** Rows of a terminal that somebody still scrolls back to. */
const MAX_ROWS = 60;

export interface HeatMapLook {
  readonly columns: number;
  readonly paint: Paint;
  readonly isMaximized: boolean;
}

/** Says so where it does not fit. */
export function heatMapText({ x, y, values }: HeatMap, { columns, paint, isMaximized }: HeatMapLook): string {
  const labels = y.values.map((value) => cell(value));
  const margin = Math.max(...labels.map((label) => label.length)) + 2;
  const known = values.flat().filter((value) => value !== null);
  const head = paint('bold', `${cell(y.title)} (down) by ${cell(x.title)} (across, ${ends(x.values)}):`);
  if (known.length === 0) return '';
  if (margin + x.values.length * 2 > columns || y.values.length > MAX_ROWS)
    return `${head}\n${x.values.length} by ${y.values.length} values do not fit here; --report draws them.`;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const best = isMaximized ? high : low;
  const shadeOf = (value: number | null): string => {
    if (value === null) return UNKNOWN;
    const share = high > low ? (value - low) / (high - low) : 1;
    const shade = SHADES[Math.round((isMaximized ? share : 1 - share) * (SHADES.length - 1))]!;
    return value === best ? paint('green', shade) : shade;
  };
  const rows = values.map((row, index) => `${labels[index]!.padStart(margin - 2)}  ${row.map(shadeOf).join('')}`);
  const legend = `${SHADES.slice(1).join(' ')} better, up to ${best.toPrecision(4)}; ${UNKNOWN} not known`;
  return [head, ...rows.map((row) => row.trimEnd()), paint('dim', legend)].join('\n');
}

const ends = (values: readonly unknown[]): string => `${cell(values[0])} to ${cell(values.at(-1))}`;
