// Curves through a column of values, and the space between two of them, in the color of each slot.

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
}

/** Of a slot with many bars, the curve goes through their first, lowest, highest and last value. */
export function drawPath(scene: Scene, scale: ValueScale, column: Float64Array, look: PathLook): void {
  const { pen, slots } = scene;
  const points = slots.count === slots.bars ? [slots.lasts(column)] : outline(scene, column);
  let [x0, y0, color] = [Number.NaN, Number.NaN, Number.NaN];
  pen.lift();
  for (let slot = 0; slot < slots.count; slot += 1) {
    const x = slots.x(slot);
    for (const values of points) {
      const y = scale.y(values[slot]!);
      if (Number.isNaN(y)) {
        if (look.breaks === true) x0 = y0 = Number.NaN;
        continue;
      }
      if (!Object.is(look.colors[slot]!, color)) {
        pen.flush(color);
        color = look.colors[slot]!;
      }
      if (!isInvisible(color)) addPiece(scene, [x0, y0, x, y], look);
      [x0, y0] = [x, y];
    }
  }
  pen.flush(color);
}

function outline({ slots }: Scene, column: Float64Array): Float64Array[] {
  return [slots.firsts(column), slots.lows(column), slots.highs(column), slots.lasts(column)];
}

function addPiece({ pen }: Scene, [x0, y0, x, y]: [number, number, number, number], look: PathLook): void {
  const { width, style, steps } = look;
  // The first point of a line alone: a dot, so that a single value is seen.
  if (Number.isNaN(x0)) pen.add(x, y, x, y, width);
  else if (steps === true) {
    pen.add(x0, y0, x, y0, width, style);
    pen.add(x, y0, x, y, width, style);
  } else pen.add(x0, y0, x, y, width, style);
}

export interface FillLook {
  /** The color of a slot at a height; NaN for none. */
  readonly colorAt: (slot: number, y: number) => number;
  readonly bridgesGaps: boolean;
}

/** Fills between two columns of heights (one per slot), pixel column by pixel column. */
export function fillBetween({ canvas, slots }: Scene, a: Float64Array, b: Float64Array, look: FillLook): void {
  let before = -1;
  for (let slot = 0; slot < slots.count; slot += 1) {
    if (Number.isNaN(a[slot]! + b[slot]!)) {
      if (!look.bridgesGaps) before = -1;
      continue;
    }
    if (before >= 0) {
      const [x0, x1] = [slots.x(before), slots.x(slot)];
      const colorAt = (y: number) => look.colorAt(slot, y);
      for (let x = Math.ceil(x0 - 0.5); x + 0.5 < x1; x += 1) {
        const share = Math.min(Math.max((x + 0.5 - x0) / (x1 - x0), 0), 1);
        const at = (heights: Float64Array) => heights[before]! + (heights[slot]! - heights[before]!) * share;
        canvas.fillColumn(x, at(a), at(b), colorAt);
      }
    }
    before = slot;
  }
}

/** How much of a color the space below a curve has. */
const AREA_SHARE = 0.3;

export interface AreaLook extends PathLook {
  /** Of 0 to 1. */
  readonly shade?: number;
}

/** The space between a curve and a base, in a paler color. */
export function fillArea(scene: Scene, scale: ValueScale, column: Float64Array, base: number, look: AreaLook): void {
  const heights = scene.slots.lasts(column).map(scale.y);
  const floor = new Float64Array(heights.length).fill(scale.y(base));
  const shades = look.colors.map((color) => (Number.isNaN(color) ? color : faded(color, look.shade ?? AREA_SHARE)));
  fillBetween(scene, heights, floor, { colorAt: (slot) => shades[slot]!, bridgesGaps: look.breaks !== true });
}
