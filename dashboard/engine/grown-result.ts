// A result that goes on: the newest bar of a live script, written behind the bars of its history.

import type { RunResult } from '../../src/pine/index.ts';
import type { LiveTail } from './messages.ts';

type PlotMeta = RunResult['plotMeta'] extends ReadonlyMap<string, infer Meta> ? Meta : never;

/** The result with the bar in it. Columns are written in place while the bar is the last one, and copied when one is added. */
export function withTail(result: RunResult, { barIndex, values, looks, drawings }: LiveTail): RunResult {
  const count = Math.max(result.count, barIndex + 1);
  const series = new Map(
    [...result.series].map(([name, column]) => [name, written(column, count, barIndex, values.get(name))]),
  );
  const plotMeta = new Map(
    [...result.plotMeta].map(([title, meta]) => [title, grownMeta(meta, count, barIndex, looks.get(title) ?? {})]),
  );
  return { ...result, count, series, plotMeta, drawings };
}

function written(column: Float64Array, count: number, place: number, value = Number.NaN): Float64Array {
  let grown = column;
  if (column.length < count) {
    grown = new Float64Array(count).fill(Number.NaN);
    grown.set(column);
  }
  grown[place] = value;
  return grown;
}

function grownMeta(meta: PlotMeta, count: number, place: number, look: Readonly<Record<string, number>>): PlotMeta {
  const columns: Record<string, Float64Array> = {};
  for (const [name, column] of Object.entries(meta.columns)) columns[name] = written(column, count, place, look[name]);
  for (const [name, value] of Object.entries(look)) {
    if (columns[name] !== undefined) continue;
    const before = numberOf(meta.settings[name]);
    // All bars had the same until now: the column begins with the first that has another.
    if (Object.is(before, value)) continue;
    columns[name] = written(new Float64Array(count - 1).fill(before), count, place, value);
  }
  return { ...meta, columns };
}

/** A setting as a column holds it: a color is its number. */
function numberOf(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  const digits = typeof value === 'string' ? /^#([0-9a-f]{6})([0-9a-f]{2})?$/i.exec(value) : null;
  return digits === null ? Number.NaN : Number.parseInt(`${digits[1]}${digits[2] ?? 'ff'}`, 16);
}
