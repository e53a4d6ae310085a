// Cuts lines at the edges of a box, and counts how much of an outline lies between two heights.

import type { Box } from './box.ts';

/** x, y, x, y… */
export type Points = readonly number[];

type Segment = [x0: number, y0: number, x1: number, y1: number];

/** The part of a line inside a box and a margin around it: a line to a value far away costs no more than a short one. */
export function clipSegment([x0, y0, x1, y1]: Segment, box: Box, margin: number): Segment | undefined {
  const [dx, dy] = [x1 - x0, y1 - y0];
  if (!Number.isFinite(x0 + y0 + dx + dy)) return undefined;
  let [from, to] = [0, 1];
  const edges: readonly (readonly [number, number])[] = [
    [-dx, x0 - (box.left - margin)],
    [dx, box.right + margin - x0],
    [-dy, y0 - (box.top - margin)],
    [dy, box.bottom + margin - y0],
  ];
  for (const [speed, room] of edges) {
    if (speed === 0 && room < 0) return undefined;
    if (speed < 0) from = Math.max(from, room / speed);
    if (speed > 0) to = Math.min(to, room / speed);
  }
  if (from > to) return undefined;
  // Ends that need no cut stay as they are, so that the next piece is known to go on from there.
  const start = from === 0 ? [x0, y0] : [x0 + from * dx, y0 + from * dy];
  const end = to === 1 ? [x1, y1] : [x0 + to * dx, y0 + to * dy];
  return [...start, ...end] as Segment;
}

/** Rows between two heights that the edges of an outline cross, all together. */
export function crossedRows(points: Points, top: number, bottom: number): number {
  const inside = (y: number) => Math.min(Math.max(y, top), bottom);
  let rows = 0;
  for (let i = 1; i < points.length; i += 2) rows += Math.abs(inside(points[i]!) - inside(points.at(i - 2)!));
  return rows;
}
