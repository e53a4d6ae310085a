// A picture that Skia draws: opaque pixels onto which transparent colors are laid, inside a clip and within a budget.
//
// Every number may be anything a script can compute: what is not finite draws nothing, and what lies far outside is cut
// before Skia sees it, because its numbers of single precision cannot hold it.

import type { SKRSContext2D, Canvas as Surface } from '@napi-rs/canvas';
import type { Box } from './box.ts';
import { clipSegment, crossedRows, type Points } from './clip-segment.ts';
import { isInvisible } from './colors.ts';
import { skia } from './skia.ts';

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

const cssColor = (color: number): string => `#${color.toString(16).padStart(8, '0')}`;

export class Canvas {
  readonly width: number;
  readonly height: number;
  clip: Box;
  readonly #surface: Surface;
  readonly #context: SKRSContext2D;
  /** The color in use, so that it is not set again for every candle. */
  #fill = Number.NaN;
  #font = '';
  /** Pixels that may still be painted. */
  #paint = Number.POSITIVE_INFINITY;

  constructor(width: number, height: number, background: number) {
    this.width = width;
    this.height = height;
    this.clip = { left: 0, top: 0, right: width, bottom: height };
    this.#surface = skia().createCanvas(width, height);
    this.#context = this.#surface.getContext('2d');
    this.#context.lineJoin = 'round';
    this.fillRect(0, 0, width, height, background);
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
      const [x0, y0, x1, y1] = [points[i]!, points[i + 1]!, points[i + 2]!, points[i + 3]!];
      const piece = clipSegment([x0, y0, x1, y1], this.clip, width);
      if (piece === undefined) continue;
      if (piece[0] !== endX || piece[1] !== endY) context.moveTo(piece[0], piece[1]);
      context.lineTo(piece[2], piece[3]);
      length += Math.hypot(piece[2] - piece[0], piece[3] - piece[1]);
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

  /** In memory of its own, so that it can be handed to another thread. */
  toPng(): Uint8Array {
    return new Uint8Array(this.#surface.toBuffer('image/png'));
  }

  /** Red, green, blue and alpha; row by row from the top. */
  pixels(): Uint8Array {
    return new Uint8Array(this.#surface.data());
  }

  /**
   * Gives the memory of the pixels back, at once. It lies outside the heap and V8 does not know of it: left to the
   * garbage collector, a thread that draws without a pause would grow by megabytes with every picture.
   */
  release(): void {
    this.#surface.width = 1;
    this.#surface.height = 1;
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

const inside = (px: number): number => Math.min(Math.max(px, -FARTHEST_PX), FARTHEST_PX);
