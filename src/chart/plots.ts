// The plots of a script in their styles: lines, steps, areas, histograms, columns, circles, crosses, bars and candles.

import { candlesPerSlot, drawCandles, halfWidth } from './bars.ts';
import { isInvisible } from './colors.ts';
import type { Output } from './model.ts';
import { drawPath, fillArea } from './path.ts';
import type { Pane, Scene } from './scene.ts';
import { drawCross } from './shapes.ts';
import { visible } from './theme.ts';

const COLUMN_SHARE = 0.7;
/** The language knows widths of 1 to 4; a larger one would hide the chart. */
const MAX_LINE_WIDTH = 10;

export function drawPlots(scene: Scene, pane: Pane): void {
  for (const output of pane.content.outputs) {
    if (output.kind === 'plot') drawPlot(scene, pane, output);
    else if (output.kind === 'plotcandle' || output.kind === 'plotbar') drawOwnCandles(scene, pane, output);
  }
}

export const lineWidthOf = (output: Output): number =>
  Math.min(Math.max(output.number('linewidth', 1), 1), MAX_LINE_WIDTH);

function drawPlot(scene: Scene, pane: Pane, output: Output): void {
  const { slots, theme } = scene;
  const style = output.text('style');
  const colors = output.colors('color', slots).map((color) => visible(color, theme));
  const width = lineWidthOf(output);
  const half = halfWidth(slots.spacing, style === 'columns' ? COLUMN_SHARE : 1);
  if (style === 'columns') drawColumns(scene, pane, output, colors, half);
  else if (style === 'histogram') drawColumns(scene, pane, output, colors, Math.min(Math.floor((width - 1) / 2), half));
  else if (style === 'circles' || style === 'cross') drawDots(scene, pane, output, colors, style);
  else drawCurve(scene, pane, output, colors, style);
}

function drawCurve(scene: Scene, pane: Pane, output: Output, colors: Float64Array, style: string): void {
  const { slots } = scene;
  const values = output.values(slots.bars);
  const steps = style.startsWith('stepline');
  const look = {
    colors,
    // A hairline of exactly one pixel looks thin beside candles; of bars that share their pixels it is as wide as they are, and the
    // quickest line there is.
    width: lineWidthOf(output) + (slots.isCrowded ? 0 : 0.2),
    style: output.text('linestyle').replace('linestyle_', ''),
    steps,
    breaks: style.endsWith('br'),
    colorOf: (bar: number) => visible(output.colorOf('color', bar), scene.theme),
  };
  if (style.startsWith('area')) fillArea(scene, pane.scale, values, output.number('histbase', 0), look);
  drawPath(scene, pane.scale, values, look);
  if (style === 'stepline_diamond') drawChanges(scene, pane, values, colors, lineWidthOf(output) + 2);
  if (output.isOn('trackprice')) drawLastLevel(scene, pane, values, colors);
}

/** A diamond wherever a line of steps changes. */
function drawChanges(scene: Scene, pane: Pane, column: Float64Array, colors: Float64Array, radius: number): void {
  const values = scene.slots.lasts(column);
  for (let slot = 1; slot < values.length; slot += 1) {
    if (values[slot] === values[slot - 1] || isInvisible(colors[slot]!)) continue;
    const [x, y] = [scene.slots.x(slot), pane.scale.y(values[slot]!)];
    scene.canvas.fillShape([x, y - radius, x + radius, y, x, y + radius, x - radius, y], colors[slot]!);
  }
}

/** trackprice: a dotted level at the last value, across the pane. */
function drawLastLevel({ canvas }: Scene, { box, scale }: Pane, values: Float64Array, colors: Float64Array): void {
  const last = values.findLast((value) => !Number.isNaN(value)) ?? Number.NaN;
  const color = colors.findLast((value) => !Number.isNaN(value)) ?? Number.NaN;
  const y = Math.floor(scale.y(last)) + 0.5;
  canvas.strokeLine([box.left, y, box.right, y], { color, style: 'dotted' });
}

function drawColumns(scene: Scene, pane: Pane, output: Output, colors: Float64Array, half: number): void {
  const { canvas, slots } = scene;
  const base = output.number('histbase', 0);
  const values = slots.farthest(output.values(slots.bars), base);
  const floor = Math.round(pane.scale.y(base));
  for (let slot = 0; slot < slots.count; slot += 1) {
    const y = pane.scale.y(values[slot]!);
    const middle = Math.floor(slots.x(slot));
    // A value at the base is a value: it is seen as a line of one pixel.
    const [top, bottom] = y <= floor ? [Math.min(y, floor - 1), floor] : [floor, y];
    canvas.fillRect(middle - half, top, middle + half + 1, bottom, colors[slot]!);
  }
}

function drawDots(scene: Scene, pane: Pane, output: Output, colors: Float64Array, style: string): void {
  const { canvas, slots } = scene;
  const radius = lineWidthOf(output) / 2 + 1;
  const values = slots.lasts(output.values(slots.bars));
  for (let slot = 0; slot < slots.count; slot += 1) {
    const [x, y, color] = [Math.floor(slots.x(slot)) + 0.5, pane.scale.y(values[slot]!), colors[slot]!];
    if (Number.isNaN(y) || isInvisible(color)) continue;
    if (style === 'circles') canvas.fillCircle(x, y, radius, color);
    else drawCross(scene, x, y, radius + 1, { color });
  }
}

/** plotcandle, and plotbar in the same form. */
function drawOwnCandles(scene: Scene, pane: Pane, output: Output): void {
  const { slots, theme } = scene;
  const [open, high, low, close] = output.series;
  if (open === undefined || high === undefined || low === undefined || close === undefined) return;
  const body = output.colors('color', slots).map((color) => visible(color, theme));
  const orBody = (name: string) =>
    output.colors(name, slots).map((color, slot) => (Number.isNaN(color) ? body[slot]! : visible(color, theme)));
  const candles = candlesPerSlot(scene, { open, high, low, close });
  drawCandles(scene, pane.scale, candles, { body, wick: orBody('wickcolor'), border: orBody('bordercolor') });
}
