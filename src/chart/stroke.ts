// Anti-aliased lines and dots, gathered on a mask first so that the joints of a transparent line are not darker.
//
// A pixel is covered by how near its middle is to the line: fully up to half the width less half a pixel, and less and
// less over the next pixel. The mask keeps the largest coverage of all pieces, and is laid on the canvas once.

import type { Box, Canvas } from './canvas.ts';

/** Lengths of dash and gap in pixels, at a width of one. */
const DASHES: Readonly<Record<string, readonly [number, number]>> = { dashed: [5, 4], dotted: [1, 3] };

export class Stroker {
  readonly canvas: Canvas;
  readonly #mask: Float32Array;
  #left = Number.POSITIVE_INFINITY;
  #top = Number.POSITIVE_INFINITY;
  #right = Number.NEGATIVE_INFINITY;
  #bottom = Number.NEGATIVE_INFINITY;
  /** How far into its pattern a dashed line is, so that a curve of short pieces is dashed as a whole. */
  #phase = 0;

  constructor(canvas: Canvas) {
    this.canvas = canvas;
    this.#mask = new Float32Array(canvas.width * canvas.height);
  }

  /** One straight line in one color. */
  line(x0: number, y0: number, x1: number, y1: number, color: number, width = 1, style: string = 'solid'): void {
    this.lift();
    this.add(x0, y0, x1, y1, width, style);
    this.flush(color);
  }

  /** The next piece begins a new line. */
  lift(): void {
    this.#phase = 0;
  }

  dot(x: number, y: number, radius: number, color: number): void {
    this.line(x, y, x, y, color, radius * 2);
  }

  /** Puts a piece on the mask. Whatever is not a number, or outside the clip, is left out. */
  add(x0: number, y0: number, x1: number, y1: number, width = 1, style: string = 'solid'): void {
    const piece = clipSegment([x0, y0, x1, y1], this.canvas.clip, width);
    if (piece === undefined || !this.canvas.spend(0)) return;
    const dash = DASHES[style];
    if (dash === undefined) this.#cover(...piece, width / 2);
    else this.#addDashes(piece, width, dash);
  }

  /** Lays the mask on the canvas in a color and wipes it. */
  flush(color: number): void {
    if (this.#right >= this.#left) {
      const { canvas } = this;
      for (let y = this.#top; y <= this.#bottom; y += 1) {
        for (let x = this.#left; x <= this.#right; x += 1) {
          const at = y * canvas.width + x;
          const coverage = this.#mask[at]!;
          if (coverage === 0) continue;
          this.#mask[at] = 0;
          if (!Number.isNaN(color)) canvas.blend(x, y, color, coverage);
        }
      }
    }
    this.#left = this.#top = Number.POSITIVE_INFINITY;
    this.#right = this.#bottom = Number.NEGATIVE_INFINITY;
  }

  #addDashes([x0, y0, x1, y1]: Segment, width: number, [dash, gap]: readonly [number, number]): void {
    const length = Math.hypot(x1 - x0, y1 - y0);
    const [on, cycle] = [dash * width, (dash + gap) * width];
    const at = (way: number): [number, number] => [x0 + ((x1 - x0) * way) / length, y0 + ((y1 - y0) * way) / length];
    for (let from = -this.#phase; from < length; from += cycle) {
      // Round ends add half a width on either side.
      const [start, end] = [Math.max(from + width / 2, 0), Math.min(from + on - width / 2, length)];
      if (start <= end) this.#cover(...at(start), ...at(end), width / 2);
    }
    this.#phase = (this.#phase + length) % cycle;
  }

  #cover(x0: number, y0: number, x1: number, y1: number, half: number): void {
    const { clip, width } = this.canvas;
    const reach = half + 0.5;
    const [dx, dy] = [x1 - x0, y1 - y0];
    const squared = dx * dx + dy * dy;
    const top = Math.max(Math.floor(Math.min(y0, y1) - reach), clip.top);
    const bottom = Math.min(Math.ceil(Math.max(y0, y1) + reach), clip.bottom) - 1;
    // How far to either side of the middle of a row the line can reach; no more than the whole piece for flat lines.
    const spread = reach * Math.sqrt(1 + (dx / dy) ** 2) + Math.abs(dx / dy) / 2 + 1;
    for (let y = top; y <= bottom; y += 1) {
      const middle = x0 + ((y + 0.5 - y0) * dx) / dy;
      const [low, high] = [Math.min(x0, x1) - reach, Math.max(x0, x1) + reach];
      const isSteep = Number.isFinite(spread);
      const left = Math.max(Math.floor(isSteep ? Math.max(low, middle - spread) : low), clip.left);
      const right = Math.min(Math.ceil(isSteep ? Math.min(high, middle + spread) : high), clip.right) - 1;
      if (left > right || !this.canvas.spend(right - left + 1)) continue;
      for (let x = left; x <= right; x += 1) {
        const [px, py] = [x + 0.5 - x0, y + 0.5 - y0];
        const along = squared === 0 ? 0 : Math.min(Math.max((px * dx + py * dy) / squared, 0), 1);
        const coverage = Math.min(reach - Math.hypot(px - along * dx, py - along * dy), 1, half * 2);
        const at = y * width + x;
        if (coverage > this.#mask[at]!) this.#mask[at] = coverage;
      }
      this.#grow(left, right, y);
    }
  }

  #grow(left: number, right: number, y: number): void {
    this.#left = Math.min(this.#left, left);
    this.#right = Math.max(this.#right, right);
    this.#top = Math.min(this.#top, y);
    this.#bottom = Math.max(this.#bottom, y);
  }
}

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
  return from > to ? undefined : [x0 + from * dx, y0 + from * dy, x0 + to * dx, y0 + to * dy];
}
