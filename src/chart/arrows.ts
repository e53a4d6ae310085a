// The arrows of plotarrow: up below the bar for positive, down above it for negative values, the largest the longest.

import { isInvisible } from './colors.ts';
import type { Output } from './model.ts';
import type { Scene } from './scene.ts';
import type { Stacks } from './stacks.ts';
import { visible } from './theme.ts';

/** The language allows 100 pixels, on charts several times as high. */
const LONGEST_PX = 36;
const NARROWEST_PX = 3;
const WIDEST_PX = 9;

export function drawArrows(scene: Scene, output: Output, stacks: Stacks): void {
  const { slots, theme } = scene;
  const values = slots.farthest(output.values(slots.bars), 0);
  const [up, down] = [output.colors('colorup', slots), output.colors('colordown', slots)];
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  const longest = Math.min(output.number('maxheight', 100), LONGEST_PX);
  const shortest = Math.min(output.number('minheight', 5), longest);
  for (let slot = 0; slot < slots.count; slot += 1) {
    const value = values[slot]!;
    const color = (value > 0 ? up : down)[slot]!;
    if (Number.isNaN(value) || value === 0 || isInvisible(color)) continue;
    // An infinite value is as long as the longest.
    const share = Math.abs(value) / largest;
    const length = shortest + (longest - shortest) * (Number.isNaN(share) ? 1 : share);
    const middle = stacks.at(value > 0 ? 'belowbar' : 'abovebar')?.place(slot, length) ?? Number.NaN;
    const pointing = value > 0 ? -1 : 1;
    const x = Math.floor(slots.x(slot)) + 0.5;
    drawArrow(scene, x, middle + (pointing * length) / 2, -pointing * length, visible(color, theme));
  }
}

/** From its tip to the end of its shaft, `length` pixels down or, when negative, up. */
function drawArrow({ canvas, slots }: Scene, x: number, tip: number, length: number, color: number): void {
  const half = Math.min(Math.max(slots.spacing * 0.6, NARROWEST_PX), WIDEST_PX) / 2;
  const neck = tip + Math.sign(length) * Math.min(half * 1.6, Math.abs(length));
  const shaft = Math.max(half / 3, 0.5);
  const [left, right, end] = [x - shaft, x + shaft, tip + length];
  canvas.fillShape([x, tip, x + half, neck, right, neck, right, end, left, end, left, neck, x - half, neck], color);
}
