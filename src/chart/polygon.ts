// Filled shapes with smooth edges: every row is cut at a few heights, and each cut covers pixels by exact lengths.

import type { Box, Canvas } from './canvas.ts';

/** x, y, x, y… */
export type Points = readonly number[];

/** Cuts per row of pixels: enough that slanted edges look smooth. */
const CUTS = 4;
/** Finding and sorting a crossing takes as long as painting this many pixels. */
const CROSSING_COST = 16;

/** Inside is where the outline winds around; it is closed by itself. Points that are not numbers draw nothing. */
export function fillPolygon(canvas: Canvas, points: Points, color: number): void {
  if (points.length < 6 || Number.isNaN(color) || !points.every(Number.isFinite)) return;
  const { left, top, right, bottom } = boundsOf(points, canvas.clip);
  // Every edge may cross every row: an outline of thousands of points costs more than the pixels it covers.
  if (left >= right || top >= bottom || !canvas.spend(crossedRows(points, top, bottom) * CUTS * CROSSING_COST)) return;
  const crossings = crossingsOf(points, top * CUTS, bottom * CUTS);
  const row = new Float32Array(right - left);
  for (let y = top; y < bottom; y += 1) {
    for (let cut = 0; cut < CUTS; cut += 1) coverRow(row, crossings.get(y * CUTS + cut) ?? [], left, right);
    for (let i = 0; i < row.length; i += 1) {
      if (row[i]! > 0) canvas.blend(left + i, y, color, Math.min(row[i]!, 1));
      row[i] = 0;
    }
  }
}

function crossedRows(points: Points, top: number, bottom: number): number {
  const inside = (y: number) => Math.min(Math.max(y, top), bottom);
  let rows = 0;
  for (let i = 1; i < points.length; i += 2) rows += Math.abs(inside(points[i]!) - inside(points.at(i - 2)!));
  return rows;
}

/** The whole pixels that the outline touches, inside the clip. */
function boundsOf(points: Points, clip: Box): Box {
  let { right: left, bottom: top, left: right, top: bottom } = clip;
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, Math.floor(points[i]!));
    right = Math.max(right, Math.ceil(points[i]!));
    top = Math.min(top, Math.floor(points[i + 1]!));
    bottom = Math.max(bottom, Math.ceil(points[i + 1]!));
  }
  return {
    left: Math.max(left, clip.left),
    top: Math.max(top, clip.top),
    right: Math.min(right, clip.right),
    bottom: Math.min(bottom, clip.bottom),
  };
}

interface Crossing {
  readonly x: number;
  readonly winding: 1 | -1;
}

/** By number of cut; only cuts inside the clip, so that an outline far outside costs nothing. */
function crossingsOf(points: Points, firstCut: number, endCut: number): Map<number, Crossing[]> {
  const crossings = new Map<number, Crossing[]>();
  for (let i = 0; i < points.length; i += 2) {
    const next = (i + 2) % points.length;
    const [x0, y0, x1, y1] = [points[i]!, points[i + 1]!, points[next]!, points[next + 1]!];
    if (y0 === y1) continue;
    const [top, bottom] = [Math.min(y0, y1), Math.max(y0, y1)];
    const from = Math.max(Math.ceil(top * CUTS - 0.5), firstCut);
    const end = Math.min(Math.ceil(bottom * CUTS - 0.5), endCut);
    for (let cut = from; cut < end; cut += 1) {
      const y = (cut + 0.5) / CUTS;
      const crossing: Crossing = { x: x0 + ((x1 - x0) * (y - y0)) / (y1 - y0), winding: y1 > y0 ? 1 : -1 };
      const list = crossings.get(cut);
      if (list === undefined) crossings.set(cut, [crossing]);
      else list.push(crossing);
    }
  }
  return crossings;
}

function coverRow(row: Float32Array, crossings: Crossing[], left: number, right: number): void {
  crossings.sort((a, b) => a.x - b.x);
  let winding = 0;
  for (let i = 0; i + 1 < crossings.length; i += 1) {
    winding += crossings[i]!.winding;
    if (winding === 0) continue;
    const from = Math.max(crossings[i]!.x, left);
    const to = Math.min(crossings[i + 1]!.x, right);
    for (let x = Math.floor(from); x < to; x += 1) row[x - left]! += (Math.min(to, x + 1) - Math.max(from, x)) / CUTS;
  }
}
