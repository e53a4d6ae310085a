// Marks on single bars: shapes, characters and arrows, beside the bar, at a value or at an edge of the pane.

import { drawArrows } from './arrows.ts';
import { isInvisible } from './colors.ts';
import { type Font, SMALL } from './fonts.ts';
import type { Output } from './model.ts';
import type { Pane, Scene } from './scene.ts';
import { drawShape } from './shapes.ts';
import { MARK_GAP_PX, Stacks } from './stacks.ts';
import { capHeight, drawText, fitText, textWidth } from './text.ts';
import { legible, visible } from './theme.ts';

const RADIUS_PX: Readonly<Record<string, number>> = { auto: 4, tiny: 3, small: 4, normal: 5.5, large: 8, huge: 12 };
const MAX_TEXT_WIDTH_PX = 120;
/** A character is about as large as a shape of the same size would be. */
const CHARACTER_PX_PER_RADIUS = 3;
/** An emoji may be several code points. */
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function drawMarkers(scene: Scene, pane: Pane): void {
  const stacks = new Stacks(scene, pane);
  for (const output of pane.content.outputs) {
    if (output.kind === 'plotshape' || output.kind === 'plotchar') drawMarks(scene, pane, output, stacks);
    if (output.kind === 'plotarrow') drawArrows(scene, output, stacks);
  }
}

function drawMarks(scene: Scene, pane: Pane, output: Output, stacks: Stacks): void {
  const { canvas, slots, theme } = scene;
  const values = slots.reduce(output.values(slots.bars), Number.NaN, (kept, value) =>
    isMarked(value, output) ? value : kept,
  );
  const [colors, textColors] = [output.colors('color', slots), output.colors('textcolor', slots)];
  const radius = RADIUS_PX[output.text('size')] ?? 4;
  const text = fitText(output.text('text').split('\n')[0]!, MAX_TEXT_WIDTH_PX);
  // Of bars so many that they share their pixels, marks that would cover each other are thinned out.
  const leastPx = slots.isCrowded ? radius * 2 : 0;
  let [markEnd, textEnd] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let slot = 0; slot < slots.count; slot += 1) {
    const x = Math.floor(slots.x(slot)) + 0.5;
    if (Number.isNaN(values[slot]!) || isInvisible(colors[slot]!) || x < markEnd + leastPx) continue;
    const stack = stacks.at(output.text('location'));
    const y = stack === null ? pane.scale.y(values[slot]!) : stack.place(slot, radius * 2);
    if (Number.isNaN(y)) continue;
    drawMark(scene, output, x, y, radius, visible(colors[slot]!, theme));
    markEnd = x;
    const left = insideOf(pane, x, text);
    // Words of a mark beyond the edge would stand alone; those that would run into others are left out, and their mark stays.
    if (text === '' || x < pane.box.left || x > pane.box.right || left < textEnd + MARK_GAP_PX) continue;
    const middle = stack?.place(slot, capHeight(SMALL)) ?? y - radius - MARK_GAP_PX - capHeight(SMALL) / 2;
    const own = Number.isNaN(textColors[slot]!) ? colors[slot]! : textColors[slot]!;
    drawText(canvas, text, left, middle - capHeight(SMALL) / 2, legible(own, theme));
    textEnd = left + textWidth(text);
  }
}

/** An absolute mark stands at any value; all others where the value is true. */
const isMarked = (value: number, output: Output) =>
  !Number.isNaN(value) && (output.text('location') === 'absolute' || value !== 0);

/** The left edge of words under or over a mark; at the edge of the pane they are moved inside rather than cut. */
function insideOf({ box }: Pane, middle: number, text: string): number {
  const width = textWidth(text);
  return Math.max(Math.min(middle - width / 2, box.right - width - 2), box.left + 2);
}

function drawMark(scene: Scene, output: Output, x: number, y: number, radius: number, color: number): void {
  if (output.kind === 'plotshape') {
    drawShape(scene, output.text('style').replace('shape_', ''), x, y, radius, color);
    return;
  }
  const font: Font = { px: Math.round(radius * CHARACTER_PX_PER_RADIUS), isBold: false };
  const [first] = letters.segment(output.text('char'));
  const sign = first?.segment ?? '';
  drawText(scene.canvas, sign, x - textWidth(sign, font) / 2, y - capHeight(font) / 2, color, font);
}
