// Draws with a 2D context, Skia's or a browser's: transparent colors laid over each other, inside a clip and within a budget.
//
// Every number may be anything a script can compute: what is not finite draws nothing, and what lies far outside is cut
// before the context sees it, because its numbers of single precision cannot hold it.

import type { Box } from './box.ts';
import { clipSegment, crossedRows, type Points } from './clip-segment.ts';
import { isInvisible } from './colors.ts';

/** From one color at a height to another below it; beyond them the nearer one. */
export interface Gradient {
  readonly top: number;
  readonly bottom: number;
  readonly topColor: number;
  readonly bottomColor: number;
}

export interface LineLook {
  readonly color: number;
  readonly width?: number;
  /** The language's names: solid, dashed, dotted. */
  readonly style?: string | undefined;
}

/**
 * How many times over a pane may be painted. A script can ask for hundreds of boxes and lines across the whole chart,
 * one over the other; what comes after this much of them is left out, so that no script can make a chart take seconds.
 */
export const MOST_COATS = 24;
/** What a text, a crossing of a row by an outline, and a pixel along a line cost, in pixels of a rectangle: as measured. */
const TEXT_COST = 4000;
const CROSSING_COST = 24;
const LINE_MARGIN = 3;
/** Lengths of dash and gap in pixels, at a width of one. */
const DASHES: Readonly<Record<string, readonly [number, number]>> = { dashed: [5, 4], dotted: [1, 3] };
/** Corners further out than this are moved here: no edge inside of the picture changes by a pixel. */
const FARTHEST_PX = 1e6;

/** Colors as CSS writes them: the same few, for every stroke. */
const MOST_COLORS = 2_000;
const written = new Map<number, string>();

function cssColor(color: number): string {
  let text = written.get(color);
  if (text === undefined) {
    text = `#${color.toString(16).padStart(8, '0')}`;
    if (written.size >= MOST_COLORS) written.clear();
    written.set(color, text);
  }
  return text;
}

/** What is used of a 2D context; a browser's and Skia's both have it. */
export interface Context2D {
  fillStyle: string | object;
  strokeStyle: string | object;
  lineWidth: number;
  lineJoin: string;
  font: string;
  save(): void;
  restore(): void;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  roundRect(x: number, y: number, width: number, height: number, radius: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  clip(): void;
  fill(): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  setLineDash(parts: number[]): void;
  createLinearGradient(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
  ): { addColorStop(share: number, color: string): void };
}

export class Canvas {
  readonly width: number;
  readonly height: number;
  clip: Box;
  readonly #context: Context2D;
  /** The color in use, so that it is not set again for every candle. */
  #fill = Number.NaN;
  #font = '';
  /** Pixels that may still be painted. */
  #paint = Number.POSITIVE_INFINITY;

  constructor(context: Context2D, width: number, height: number) {
    this.width = width;
    this.height = height;
    this.clip = { left: 0, top: 0, right: width, bottom: height };
    this.#context = context;
    this.#context.lineJoin = 'round';
  }

  /** Everything drawn inside stays in the box, and within a budget of paint. */
  clipped(box: Box, draw: () => void): void {
    const before = this.clip;
    this.clip = {
      left: Math.max(before.left, Math.floor(box.left)),
      top: Math.max(before.top, Math.floor(box.top)),
      right: Math.min(before.right, Math.ceil(box.right)),
      bottom: Math.min(before.bottom, Math.ceil(box.bottom)),
    };
    const { left, top, right, bottom } = this.clip;
    this.#context.save();
    this.#context.beginPath();
    this.#context.rect(left, top, Math.max(right - left, 0), Math.max(bottom - top, 0));
    this.#context.clip();
    this.#paint = MOST_COATS * this.width * this.height;
    draw();
    this.#paint = Number.POSITIVE_INFINITY;
    this.#context.restore();
    this.#fill = Number.NaN;
    this.#font = '';
    this.clip = before;
  }

  /** A rectangle whose edges may lie between pixels; those are covered in part. */
  fillRect(x0: number, y0: number, x1: number, y1: number, color: number): void {
    const { clip } = this;
    const [left, right] = [Math.max(x0, clip.left), Math.min(x1, clip.right)];
    const [top, bottom] = [Math.max(y0, clip.top), Math.min(y1, clip.bottom)];
    // Written so that a NaN draws nothing.
    if (!(left < right && top < bottom) || isInvisible(color)) return;
    if (!this.#spend((right - left) * (bottom - top))) return;
    this.#useFill(color);
    this.#context.fillRect(left, top, right - left, bottom - top);
  }

  /** A rectangle with round corners. */
  fillRounded({ left, top, right, bottom }: Box, radius: number, color: number): void {
    const [width, height] = [right - left, bottom - top];
    if (!(width > 0 && height > 0) || Math.abs(left) + Math.abs(top) > FARTHEST_PX || isInvisible(color)) return;
    if (!this.#spend(width * height)) return;
    this.#useFill(color);
    this.#context.beginPath();
    this.#context.roundRect(left, top, width, height, radius);
    this.#context.fill();
  }

  /** The inside of an outline, which is closed by itself and may cross itself. */
  fillShape(points: Points, paint: number | Gradient): void {
    if (points.length < 6 || !points.every(Number.isFinite)) return;
    if (typeof paint === 'number' && isInvisible(paint)) return;
    // Every edge may cross every row: an outline of thousands of points costs more than the pixels it covers.
    const { top, bottom } = this.clip;
    if (!this.#spend(this.#areaOf(points) + crossedRows(points, top, bottom) * CROSSING_COST)) return;
    if (typeof paint === 'number') this.#useFill(paint);
    else this.#useGradient(paint);
    this.#context.beginPath();
    for (let i = 0; i < points.length; i += 2) this.#context.lineTo(inside(points[i]!), inside(points[i + 1]!));
    this.#context.closePath();
    this.#context.fill();
  }

  fillCircle(x: number, y: number, radius: number, color: number): void {
    if (!Number.isFinite(x + y + radius) || Math.abs(x) + Math.abs(y) > FARTHEST_PX || isInvisible(color)) return;
    if (!(radius > 0) || !this.#spend(4 * radius * radius + CROSSING_COST)) return;
    this.#useFill(color);
    this.#context.beginPath();
    this.#context.arc(x, y, radius, 0, 2 * Math.PI);
    this.#context.fill();
  }

  /** A line from point to point in one piece, so that a transparent one is not darker at its corners. NaN lifts the pen. */
  strokeLine(points: Points, { color, width = 1, style = 'solid' }: LineLook): void {
    if (isInvisible(color)) return;
    const context = this.#context;
    let [endX, endY, length] = [Number.NaN, Number.NaN, 0];
    context.beginPath();
    for (let i = 0; i + 3 < points.length; i += 2) {
      const x0 = points[i]!;
      const y0 = points[i + 1]!;
      const x1 = points[i + 2]!;
      const y1 = points[i + 3]!;
      // Nearly all lie inside and need no cut.
      if (this.#hasInside(x0, y0) && this.#hasInside(x1, y1)) {
        if (x0 !== endX || y0 !== endY) context.moveTo(x0, y0);
        context.lineTo(x1, y1);
        length += distance(x1 - x0, y1 - y0);
        endX = x1;
        endY = y1;
        continue;
      }
      // The pen is lifted.
      if (Number.isNaN(x0 + x1)) continue;
      const piece = clipSegment([x0, y0, x1, y1], this.clip, width);
      if (piece === undefined) continue;
      if (piece[0] !== endX || piece[1] !== endY) context.moveTo(piece[0], piece[1]);
      context.lineTo(piece[2], piece[3]);
      length += distance(piece[2] - piece[0], piece[3] - piece[1]);
      [endX, endY] = [piece[2], piece[3]];
    }
    if (length === 0 || !this.#spend(length * (width + LINE_MARGIN))) return;
    context.setLineDash(DASHES[style]?.map((part) => part * width) ?? []);
    context.strokeStyle = cssColor(color);
    context.lineWidth = width;
    context.stroke();
  }

  /** By its left end and its base line, in a font as CSS writes it. */
  write(text: string, x: number, y: number, color: number, font: string): void {
    if (!Number.isFinite(x + y) || x >= this.clip.right || isInvisible(color) || !this.#spend(TEXT_COST)) return;
    if (font !== this.#font) this.#context.font = font;
    this.#font = font;
    this.#useFill(color);
    this.#context.fillText(text, x, y);
  }

  #hasInside(x: number, y: number): boolean {
    const { left, top, right, bottom } = this.clip;
    return x >= left && x <= right && y >= top && y <= bottom;
  }

  /** Takes paint for a number of pixels; false when there is not enough left. */
  #spend(pixels: number): boolean {
    this.#paint -= pixels;
    return this.#paint >= 0;
  }

  #areaOf(points: Points): number {
    const { left, top, right, bottom } = this.clip;
    let [x0, y0, x1, y1] = [right, bottom, left, top];
    for (let i = 0; i < points.length; i += 2) {
      [x0, x1] = [Math.min(x0, points[i]!), Math.max(x1, points[i]!)];
      [y0, y1] = [Math.min(y0, points[i + 1]!), Math.max(y1, points[i + 1]!)];
    }
    const width = Math.min(x1, right) - Math.max(x0, left);
    return Math.max(width, 0) * Math.max(Math.min(y1, bottom) - Math.max(y0, top), 0);
  }

  #useFill(color: number): void {
    if (color === this.#fill) return;
    this.#context.fillStyle = cssColor(color);
    this.#fill = color;
  }

  #useGradient({ top, bottom, topColor, bottomColor }: Gradient): void {
    const gradient = this.#context.createLinearGradient(0, inside(top), 0, inside(bottom));
    gradient.addColorStop(0, cssColor(topColor));
    gradient.addColorStop(1, cssColor(bottomColor));
    this.#context.fillStyle = gradient;
    this.#fill = Number.NaN;
  }
}

/** Math.hypot guards against numbers that no canvas holds, and takes ten times as long. */
const distance = (dx: number, dy: number): number => Math.sqrt(dx * dx + dy * dy);
const inside = (px: number): number => Math.min(Math.max(px, -FARTHEST_PX), FARTHEST_PX);
