// Curves through a column of values, and the space between two of them, in the color of each slot.

import type { Gradient } from './canvas.ts';
import { faded, isInvisible } from './colors.ts';
import type { Scene } from './scene.ts';
import type { ValueScale } from './value-scale.ts';

export interface PathLook {
  /** Per slot; NaN draws nothing there. */
  readonly colors: Float64Array;
  readonly width: number;
  readonly style?: string;
  /** Level from value to value instead of straight. */
  readonly steps?: boolean;
  /** A gap where there is no value, instead of a line across it. */
  readonly breaks?: boolean;
  /** Of a bar out of view that the curve leads to; that of the last slot when omitted. */
  readonly colorOf?: (bar: number) => number;
}

/** Within a slot, steps that are smaller than this are left out: nobody sees them, and of a far zoom they are nearly all there are. */
const LEAST_STEP_PX = 0.5;

/**
 * Of a slot with many bars, the curve goes through their first, lowest, highest and last value. It comes from the last
 * value before those in view and leads to the next one behind them, however far away.
 */
export function drawPath(scene: Scene, scale: ValueScale, column: Float64Array, look: PathLook): void {
  const { slots } = scene;
  const points = slots.isCrowded ? slots.outline(column) : [slots.lasts(column)];
  const before = look.breaks === true ? -1 : lastBefore(column, slots.from);
  const pen = new Pen(look.steps === true);
  if (before >= 0) pen.moveTo(slots.xOfBar(before), scale.y(column[before]!));
  for (let slot = 0; slot < slots.count; slot += 1) {
    const x = slots.x(slot);
    for (let i = 0; i < points.length; i += 1) {
      const y = scale.y(points[i]![slot]!);
      if (x === pen.x && Math.abs(y - pen.y) < LEAST_STEP_PX) continue;
      if (!Number.isNaN(y)) pen.lineTo(x, y, look.colors[slot]!);
      else if (look.breaks === true) pen.lift();
    }
  }
  const behind = look.breaks === true ? -1 : firstFrom(column, slots.to);
  if (behind >= 0) pen.lineTo(slots.xOfBar(behind), scale.y(column[behind]!), look.colorOf?.(behind) ?? pen.color);
  for (const [color, run] of pen.runs) drawRun(scene, run, color, look);
}

/** Leads a curve from point to point. Of each color there is one run with gaps, so that two that change with every bar are two strokes. */
class Pen {
  readonly runs = new Map<number, number[]>();
  x = Number.NaN;
  y = Number.NaN;
  color = Number.NaN;
  #run: number[] | undefined;
  readonly #isStepping: boolean;

  constructor(isStepping: boolean) {
    this.#isStepping = isStepping;
  }

  moveTo(x: number, y: number): void {
    this.x = x;
    this.y = y;
  }

  /** The piece has the color of the slot it leads to. */
  lineTo(x: number, y: number, color: number): void {
    const run = this.#run !== undefined && Object.is(color, this.color) ? this.#run : this.#begun(color);
    if (this.#isStepping && !Number.isNaN(this.x)) run.push(x, this.y);
    run.push(x, y);
    this.moveTo(x, y);
  }

  /** What follows does not go on from here. */
  lift(): void {
    if (!Number.isNaN(this.x)) this.#run?.push(Number.NaN, Number.NaN);
    this.moveTo(Number.NaN, Number.NaN);
  }

  #begun(color: number): number[] {
    const run = this.runs.get(color) ?? [];
    run.push(Number.NaN, Number.NaN, this.x, this.y);
    this.runs.set(color, run);
    this.#run = run;
    this.color = color;
    return run;
  }
}

function lastBefore(column: Float64Array, end: number): number {
  let at = Math.min(end, column.length) - 1;
  while (at >= 0 && Number.isNaN(column[at]!)) at -= 1;
  return at;
}

function firstFrom(column: Float64Array, start: number): number {
  let at = start;
  while (at < column.length && Number.isNaN(column[at]!)) at += 1;
  return at < column.length ? at : -1;
}

function drawRun({ canvas }: Scene, run: readonly number[], color: number, { width, style }: PathLook): void {
  if (isInvisible(color)) return;
  canvas.strokeLine(run, { color, width, style });
  // A value without neighbours is no line: a dot, so that it is seen.
  for (let i = 0; i < run.length; i += 2) {
    const isAlone = Number.isNaN(run[i - 2] ?? Number.NaN) && Number.isNaN(run[i + 2] ?? Number.NaN);
    if (isAlone) canvas.fillCircle(run[i]!, run[i + 1]!, width, color);
  }
}

export interface FillLook {
  /** The color of a slot, NaN for none, or what it changes to from top to bottom. */
  readonly paintOf: (slot: number) => number | Gradient;
  readonly bridgesGaps: boolean;
}

/** Fills between two columns of heights (one per slot), in as few pieces as there are changes of color. */
export function fillBetween({ canvas, slots }: Scene, a: Float64Array, b: Float64Array, look: FillLook): void {
  let run: number[] = [];
  let paint: number | Gradient = Number.NaN;
  const finish = (): void => {
    if (run.length > 1) canvas.fillShape(between(run, a, b, slots.x.bind(slots)), paint);
  };
  for (let slot = 0; slot < slots.count; slot += 1) {
    if (Number.isNaN(a[slot]! + b[slot]!)) {
      if (look.bridgesGaps) continue;
      finish();
      run = [];
      continue;
    }
    const next = look.paintOf(slot);
    if (run.length > 0 && !isSame(paint, next)) {
      finish();
      run = [run.at(-1)!];
    }
    paint = next;
    run.push(slot);
  }
  finish();
}

/** Along one column and back along the other. Neighbours meet at whole pixels: no seam shows where they are transparent. */
function between(run: readonly number[], a: Float64Array, b: Float64Array, xOf: (slot: number) => number): number[] {
  const points: number[] = [];
  for (const slot of run) points.push(Math.round(xOf(slot)), a[slot]!);
  for (const slot of run.toReversed()) points.push(Math.round(xOf(slot)), b[slot]!);
  return points;
}

function isSame(one: number | Gradient, other: number | Gradient): boolean {
  if (typeof one === 'number' || typeof other === 'number') return Object.is(one, other);
  const isSameTop = one.top === other.top && one.topColor === other.topColor;
  return isSameTop && one.bottom === other.bottom && one.bottomColor === other.bottomColor;
}

/** How much of a color the space below a curve has. */
const AREA_SHARE = 0.3;

/** The space between a curve and a base, in a paler color. */
export function fillArea(scene: Scene, scale: ValueScale, column: Float64Array, base: number, look: PathLook): void {
  const heights = scene.slots.lasts(column).map(scale.y);
  const floor = new Float64Array(heights.length).fill(scale.y(base));
  const shades = look.colors.map((color) => (Number.isNaN(color) ? color : faded(color, AREA_SHARE)));
  fillBetween(scene, heights, floor, { paintOf: (slot) => shades[slot]!, bridgesGaps: look.breaks !== true });
}

/** The space below a curve down to a height, paler and paler. */
export function fillBelow(scene: Scene, heights: Float64Array, floor: number, colors: Float64Array): void {
  const top = heights.reduce((least, y) => (y < least ? y : least), floor);
  const floors = new Float64Array(heights.length).fill(floor);
  const paintOf = (slot: number): number | Gradient => {
    const color = colors[slot]!;
    if (isInvisible(color)) return Number.NaN;
    return { top, bottom: floor, topColor: faded(color, AREA_SHARE), bottomColor: faded(color, 0) };
  };
  fillBetween(scene, heights, floors, { paintOf, bridgesGaps: true });
}
