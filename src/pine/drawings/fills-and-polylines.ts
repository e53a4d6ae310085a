// Fills between two lines, and lines through many points.

import type { PineArray } from '../values/arrays/array.ts';
import { arrayId } from '../values/arrays/functions.ts';
import { functions, type ValueEntries } from '../values/entry.ts';
import type { Journal } from '../values/rollback.ts';
import { PineRuntimeError } from '../values/runtime-error.ts';
import { type ChartPoint, placeOf } from './chart-point.ts';
import { type Drawing, FillPair, type Line, Linefill, Polyline } from './drawing.ts';
import { type AnchorHost, checkPlace } from './lines-labels-boxes.ts';
import { LINEFILL, POLYLINE, type Property } from './properties.ts';
import type { DrawingStore } from './store.ts';

/** The language's own limit on the points of one polyline. */
const MOST_POINTS = 10_000;

/** Time, index, price. */
export const NUMBERS_OF_A_POINT = 3;

const COLOR = LINEFILL.slotOf('color');
const XLOC = POLYLINE.slotOf('xloc');

export function linefillEntries({ journal }: { readonly journal: Journal }, store: DrawingStore): ValueEntries {
  return functions('linefill.', {
    new: (line1: Line | null, line2: Line | null, color: number | null) => {
      // There is nothing to fill between lines that are not there.
      if (line1 === null || line2 === null || line1.removed || line2.removed) return null;
      const pair = line1.fills?.get(line2) ?? new FillPair(line1, line2);
      return store.fill(new Linefill(journal, store.takeId(), [color], pair, line1, line2));
    },
    delete: (id: Linefill | null) => {
      if (id !== null) store.remove(id);
    },
    get_line1: (id: Linefill | null) => (id === null || id.isGone() ? null : id.line1),
    get_line2: (id: Linefill | null) => (id === null || id.isGone() ? null : id.line2),
    set_color: (id: Linefill | null, color: number | null) => {
      if (id !== null && !id.isGone()) id.write(COLOR, color);
    },
  });
}

export function polylineEntries(host: AnchorHost, store: DrawingStore): ValueEntries {
  return functions('polyline.', {
    new: (points: PineArray<ChartPoint | null> | null, ...look: Property[]) => {
      const copied = copyPoints(host, arrayId(points), look[XLOC]!);
      return store.add(new Polyline(host.journal, store.takeId(), POLYLINE.accept(look), copied));
    },
    delete: (id: Drawing | null) => {
      if (id !== null) store.remove(id);
    },
  });
}

/** The points as they are now: neither the array nor its points can change the polyline later. */
function copyPoints(host: AnchorHost, points: PineArray<ChartPoint | null>, xloc: Property): Float64Array {
  const size = points.size();
  if (size > MOST_POINTS)
    throw new PineRuntimeError(
      `In 'polyline.new()' function. The array has ${size} points, the maximum is ${MOST_POINTS}.`,
    );
  const numbers = new Float64Array(size * NUMBERS_OF_A_POINT).fill(Number.NaN);
  for (let i = 0; i < size; i += 1) {
    const point = points.at(i);
    if (point === null) continue;
    checkPlace(host, placeOf(point, xloc), xloc, 'polyline.new', 'points');
    numbers.set([point.f0, point.f1, point.f2], i * NUMBERS_OF_A_POINT);
  }
  return numbers;
}
