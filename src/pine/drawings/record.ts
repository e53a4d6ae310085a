// Drawings as plain records for the result of a run: what a client needs to draw them, and nothing of the engine.

import { type Drawing, Linefill, Polyline } from './drawing.ts';
import { NUMBERS_OF_A_POINT } from './fills-and-polylines.ts';
import {
  CELL,
  type DrawingKind,
  PROPERTIES,
  type Property,
  type PropertyForm,
  type PropertyList,
} from './properties.ts';
import { type CellRange, Table } from './table.ts';

export interface PointRecord {
  readonly time: number | null;
  readonly index: number | null;
  readonly price: number | null;
}

export interface CellRecord {
  readonly column: number;
  readonly row: number;
  readonly [property: string]: Property;
}

type PropertyRecord = Property | readonly PointRecord[] | readonly CellRecord[] | readonly CellRange[];

/** Properties have the names of the language's parameters; na is null, colors are "#RRGGBBAA". */
export interface DrawingRecord {
  readonly kind: DrawingKind;
  /** Unique in a run; of a linefill, `line1` and `line2` are such ids. */
  readonly id: number;
  readonly [property: string]: PropertyRecord;
}

/** Places along the chart: times, or else indices of bars. */
const PLACES = ['x', 'x1', 'x2', 'left', 'right'];

/** `leftOut`: how many bars of the chart stand before the script's own bar 0; a client counts them too. */
export function recordOf(drawing: Drawing, leftOut: number): DrawingRecord {
  const { kind, id } = drawing;
  const look = plain(PROPERTIES[kind], drawing.values);
  if (leftOut > 0 && look.xloc !== 'bar_time') moveBars(look, leftOut);
  return { kind, id, ...extrasOf(drawing, leftOut), ...look };
}

function moveBars(look: Record<string, Property>, bars: number): void {
  for (const name of PLACES) if (typeof look[name] === 'number') look[name] += bars;
}

function extrasOf(drawing: Drawing, leftOut: number): Record<string, PropertyRecord> {
  if (drawing instanceof Linefill) return { line1: drawing.line1.id, line2: drawing.line2.id };
  if (drawing instanceof Polyline) return { points: pointsOf(drawing.points, leftOut) };
  if (!(drawing instanceof Table)) return {};
  const cells = drawing
    .definedCells()
    .map(({ column, row, values }): CellRecord => ({ column, row, ...plain(CELL, values) }));
  return { cells, merged: drawing.merged };
}

function plain(properties: PropertyList, values: readonly Property[]): Record<string, Property> {
  const record: Record<string, Property> = {};
  for (let slot = 0; slot < values.length; slot += 1)
    record[properties.names[slot]!] = plainValue(values[slot]!, properties.forms[slot]!);
  return record;
}

function plainValue(value: Property, form: PropertyForm): Property {
  if (typeof value !== 'number') return form === 'format' ? formatText(value) : value;
  return form === 'color' ? colorText(value) : numberOrNull(value);
}

/** Sums of formats come joined in any order and number. */
function formatText(value: Property): Property {
  if (typeof value !== 'string') return value;
  const parts = ['format_bold', 'format_italic'].filter((part) => value.includes(part));
  return parts.length === 0 ? 'format_none' : parts.join('+');
}

/** Always with its alpha, so that a client reads one form only. */
const colorText = (color: number) => `#${(color >>> 0).toString(16).padStart(8, '0').toUpperCase()}`;

/** Neither NaN nor an infinite number can be written as JSON. */
const numberOrNull = (value: number) => (Number.isFinite(value) ? value : null);

function pointsOf(numbers: Float64Array, leftOut: number): PointRecord[] {
  const points: PointRecord[] = [];
  for (let i = 0; i < numbers.length; i += NUMBERS_OF_A_POINT)
    points.push({
      time: numberOrNull(numbers[i]!),
      index: numberOrNull(numbers[i + 1]! + leftOut),
      price: numberOrNull(numbers[i + 2]!),
    });
  return points;
}
