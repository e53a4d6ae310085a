// Grid, axes and their labels, and the tag that shows the last price.

import { luminance } from './colors.ts';
import { SMALL } from './fonts.ts';
import type { Strip } from './layout.ts';
import type { Pane, Scene } from './scene.ts';
import { capHeight, drawText, textWidth } from './text.ts';
import type { TimeTick } from './time-ticks.ts';
import type { Ticks, ValueScale } from './value-scale.ts';
import { ticksOf, tickTexts } from './value-scale.ts';

/** Free pixels between the edge of a pane and the labels beside it. */
export const AXIS_PADDING_PX = 7;
/** A label needs this much height to stand apart from its neighbours. */
const PX_PER_TICK = 34;
const MOST_TICKS = 12;
const CAP = capHeight(SMALL);

export interface ValueAxis {
  readonly ticks: Ticks;
  readonly texts: readonly string[];
}

export const NO_AXIS: ValueAxis = { ticks: { step: 1, values: [] }, texts: [] };

export function valueAxisOf(scale: ValueScale, isPrice: boolean): ValueAxis {
  const room = Math.max(Math.floor((scale.bottom - scale.top) / PX_PER_TICK), 1);
  const ticks = ticksOf(scale.min, scale.max, Math.min(room + 1, MOST_TICKS));
  return { ticks, texts: tickTexts(ticks, isPrice) };
}

/** A low pane has room for one label: the largest round number in it. */
export function topTickOf(scale: ValueScale): ValueAxis {
  const { step, values } = ticksOf(scale.min, scale.max, 3);
  const ticks = { step, values: values.slice(-1) };
  return { ticks, texts: tickTexts(ticks) };
}

export const axisWidthOf = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((text) => textWidth(text))) + 2 * AXIS_PADDING_PX;

export function drawGrid(
  { canvas, theme, slots }: Scene,
  panes: readonly (Pane & { readonly axis: ValueAxis })[],
  times: readonly TimeTick[],
): void {
  for (const { box, scale, axis } of panes) {
    for (const value of axis.ticks.values) {
      const y = Math.floor(scale.y(value));
      canvas.fillRect(box.left, y, box.right, y + 1, theme.grid);
    }
  }
  const [first, last] = [panes[0]!.box, panes.at(-1)!.box];
  for (const { index } of times) {
    const x = Math.floor(slots.xOfBar(index));
    canvas.fillRect(x, first.top, Math.min(x + 1, first.right), last.bottom, theme.grid);
  }
}

/** Labels beside a pane; those that would be cut off at its ends or lie under the tag are left out. */
export function drawValueAxis(
  { canvas, theme }: Scene,
  { box, scale }: Pick<Pane, 'box' | 'scale'>,
  axis: ValueAxis,
  tagY = Number.NaN,
): void {
  for (const [i, value] of axis.ticks.values.entries()) {
    const y = Math.floor(scale.y(value)) - (CAP >> 1);
    if (y < box.top + 2 || y + CAP > box.bottom - 2 || Math.abs(y + CAP / 2 - tagY) < CAP + 7) continue;
    drawText(canvas, axis.texts[i]!, box.right + AXIS_PADDING_PX, y, theme.faint);
  }
}

/** A dotted level at a value, and the value on the axis in a tag of a color. */
export function drawTag({ canvas }: Scene, { box, scale }: Pane, value: number, text: string, color: number): void {
  const y = Math.floor(scale.y(value));
  if (!(y >= box.top && y < box.bottom)) return;
  canvas.strokeLine([box.left, y + 0.5, box.right, y + 0.5], { color, style: 'dotted' });
  const top = Math.min(Math.max(y - (CAP >> 1) - 3, box.top), box.bottom - CAP - 6);
  canvas.fillRect(box.right + 1, top, canvas.width, top + CAP + 6, color);
  drawText(canvas, text, box.right + AXIS_PADDING_PX, top + 3, luminance(color) > 0.45 ? 0x000000ff : 0xffffffff);
}

export function drawTimeAxis(
  { canvas, theme, slots }: Scene,
  { top }: Strip,
  right: number,
  times: readonly TimeTick[],
): void {
  for (const { index, text } of times) {
    const x = slots.xOfBar(index) - textWidth(text) / 2;
    if (x < 2 || x + textWidth(text) > right) continue;
    drawText(canvas, text, x, top + 6, theme.faint);
  }
}

/** The lines between the panes, the axes and the head. */
export function drawFrame({ canvas, theme }: Scene, strips: readonly Strip[], right: number): void {
  for (const { top, bottom } of strips) {
    if (top > 0) canvas.fillRect(0, top, canvas.width, top + 1, theme.frame);
    if (bottom < canvas.height) canvas.fillRect(0, bottom, canvas.width, bottom + 1, theme.frame);
    if (right < canvas.width) canvas.fillRect(right, top, right + 1, bottom, theme.frame);
  }
}
