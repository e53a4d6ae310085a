// The drawings of a running script: the functions the emitter calls, and what is on the chart in the end.
//
// What the language says, and what it is seen to do:
// - A drawing that was deleted, or went because there were too many, reads as na: `isNaDrawing` is what `na(id)` asks,
//   getters give na, setters and a second delete do nothing.
// - History holds ids, not copies: `line.set_y1(l[1], …)` changes the line itself.
// - Points are copied: a point or an array of points that changes later moves nothing.
// - Every `line.all` is a new array of the ids that are there at that moment; a script may change it as it likes.
// - Everything goes back on a realtime tick. A `varip` variable cannot hold a drawing in the language; here its
//   drawing would be undone with the rest.

import type { PineArray } from '../values/arrays/array.ts';
import { ItemArray } from '../values/arrays/item-array.ts';
import type { ValueEntries } from '../values/entry.ts';
import { type PointHost, pointEntries } from './chart-point.ts';
import type { Drawing } from './drawing.ts';
import { linefillEntries, polylineEntries } from './fills-and-polylines.ts';
import { type AnchorHost, lineLabelBoxEntries } from './lines-labels-boxes.ts';
import type { DrawingKind } from './properties.ts';
import { type DrawingRecord, recordOf } from './record.ts';
import { type DrawingLimits, DrawingStore } from './store.ts';
import { tableEntries } from './table-entries.ts';

export { ChartPoint } from './chart-point.ts';
export { type Drawing, isNaDrawing } from './drawing.ts';
export type { DrawingKind } from './properties.ts';
export type { CellRecord, DrawingRecord, PointRecord } from './record.ts';
export type { DrawingLimits } from './store.ts';

export interface DrawingHost extends PointHost, AnchorHost {
  /** Nothing differs at run time: the defaults that do are filled in before. */
  readonly version: 5 | 6;
  /** From the declaration: max_lines_count and the like. */
  readonly limits: DrawingLimits;
}

export interface Drawings {
  /**
   * By name, as functions. The constructors by points are `line.new<points>`, `label.new<points>` and
   * `box.new<points>`. Arguments come in the order of the overload's parameters in the script's version.
   */
  readonly entries: ValueEntries;
  /** What `line.all` and its like stand for: the ids of a kind that are there now, oldest first. */
  all(kind: DrawingKind): PineArray<Drawing | null>;
  /** What the chart shows now, in the order of making; `leftOut` bars of it stand before the script's first. */
  list(leftOut?: number): DrawingRecord[];
}

export function createDrawings(host: DrawingHost): Drawings {
  const store = new DrawingStore(host.journal, host.limits);
  return {
    entries: Object.freeze({
      ...lineLabelBoxEntries(host, store),
      ...linefillEntries(host, store),
      ...polylineEntries(host, store),
      ...tableEntries(host, store),
      ...pointEntries(host),
    }),
    all: (kind) => ItemArray.of<Drawing>(host.journal, store.listOf(kind)),
    list: (leftOut = 0) => store.visible().map((drawing) => recordOf(drawing, leftOut)),
  };
}
