// Lines, boxes, labels, fills and polylines that a script drew at places of its own.

import { isInvisible, readColor } from './colors.ts';
import { fontOfSize } from './fonts.ts';
import { drawLabel } from './labels.ts';
import type { DrawingFields } from './model.ts';
import type { Pane, Scene } from './scene.ts';
import { capHeight, drawText, fitText, lineHeight, textWidth } from './text.ts';
import { legible, visible } from './theme.ts';

/** Points of all polylines together: a script may make a hundred of ten thousand each, more than a picture can show. */
const MAX_POLYLINE_POINTS = 20_000;
const MAX_WIDTH = 10;

export function drawDrawings(scene: Scene, pane: Pane): void {
  const { drawings } = pane.content;
  const lines = new Map(drawings.filter(({ kind }) => kind === 'line').map((line) => [line.id, line]));
  const budget = { points: MAX_POLYLINE_POINTS };
  for (const drawing of drawings) if (drawing.kind === 'box') drawBox(scene, pane, drawing);
  for (const drawing of drawings) if (drawing.kind === 'linefill') drawLinefill(scene, pane, drawing, lines);
  for (const drawing of drawings) {
    if (drawing.kind === 'line') drawLine(scene, pane, drawing);
    if (drawing.kind === 'polyline') drawPolyline(scene, pane, drawing, budget);
  }
  for (const drawing of drawings) {
    if (drawing.kind !== 'label') continue;
    const at = { x: xOf(scene, drawing.x, drawing.xloc), y: pane.scale.y(numberOf(drawing.y)) };
    drawLabel(scene, pane, drawing, at);
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);
const widthOf = (value: unknown): number => Math.min(Math.max(numberOf(value) || 1, 1), MAX_WIDTH);
const styleOf = (value: unknown): string => String(value).replace('style_', '');

/** By bar index, or by time: between two bars, and beyond the last by the distance of the last two. */
function xOf({ slots, bars }: Scene, place: unknown, xloc: unknown): number {
  const value = numberOf(place);
  if (xloc !== 'bar_time') return slots.xOfBar(value);
  const { time, count } = bars;
  if (count < 2) return slots.xOfBar(0);
  let [low, high] = [0, count - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return slots.xOfBar(low + (value - time[low]!) / (time[low + 1]! - time[low]! || 1));
}

type Ends = [x0: number, y0: number, x1: number, y1: number];

/** The ends of a line in pixels, carried on to the edges of the pane where it is extended. */
function endsOf(scene: Scene, { box, scale }: Pane, line: DrawingFields): Ends {
  let [x0, x1] = [xOf(scene, line.x1, line.xloc), xOf(scene, line.x2, line.xloc)];
  let [y0, y1] = [scale.y(numberOf(line.y1)), scale.y(numberOf(line.y2))];
  const { extend } = line;
  if (x0 > x1) [x0, y0, x1, y1] = [x1, y1, x0, y0];
  if (x0 === x1) {
    const isExtended = extend === 'both' || extend === 'right' || extend === 'left';
    return isExtended ? [x0, box.top, x1, box.bottom] : [x0, y0, x1, y1];
  }
  const slope = (y1 - y0) / (x1 - x0);
  const [startX, startY, endX] = [x0, y0, x1];
  if (extend === 'left' || extend === 'both')
    [x0, y0] = [Math.min(startX, box.left), startY + slope * (Math.min(startX, box.left) - startX)];
  if (extend === 'right' || extend === 'both')
    [x1, y1] = [Math.max(endX, box.right), startY + slope * (Math.max(endX, box.right) - startX)];
  return [x0, y0, x1, y1];
}

function drawLine(scene: Scene, pane: Pane, line: DrawingFields): void {
  const color = visible(readColor(line.color), scene.theme);
  if (isInvisible(color)) return;
  const ends = endsOf(scene, pane, line);
  const style = styleOf(line.style);
  scene.canvas.strokeLine(ends, { color, width: widthOf(line.width), style });
  const [x0, y0, x1, y1] = ends;
  if (style === 'arrow_right' || style === 'arrow_both') drawHead(scene, x0, y0, x1, y1, color);
  if (style === 'arrow_left' || style === 'arrow_both') drawHead(scene, x1, y1, x0, y0, color);
}

const HEAD_PX = 8;

/** The head of an arrow at the second end. */
function drawHead({ canvas }: Scene, x0: number, y0: number, x1: number, y1: number, color: number): void {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [((x1 - x0) / length) * HEAD_PX, ((y1 - y0) / length) * HEAD_PX];
  canvas.fillShape([x1, y1, x1 - ux - uy / 2, y1 - uy + ux / 2, x1 - ux + uy / 2, y1 - uy - ux / 2], color);
}

function drawLinefill(scene: Scene, pane: Pane, fill: DrawingFields, lines: ReadonlyMap<unknown, DrawingFields>): void {
  const [first, second] = [lines.get(fill.line1), lines.get(fill.line2)];
  if (first === undefined || second === undefined) return;
  const [a, b] = [endsOf(scene, pane, first), endsOf(scene, pane, second)];
  scene.canvas.fillShape([a[0], a[1], a[2], a[3], b[2], b[3], b[0], b[1]], readColor(fill.color));
}

function drawBox(scene: Scene, { box: pane, scale }: Pane, box: DrawingFields): void {
  const { canvas, theme } = scene;
  const sides = [xOf(scene, box.left, box.xloc), xOf(scene, box.right, box.xloc)].toSorted((a, b) => a - b);
  const heights = [scale.y(numberOf(box.top)), scale.y(numberOf(box.bottom))].toSorted((a, b) => a - b);
  let [left, right] = sides as [number, number];
  const [top, bottom] = heights as [number, number];
  if (!Number.isFinite(left + right + top + bottom)) return;
  if (box.extend === 'left' || box.extend === 'both') left = Math.min(left, pane.left - MAX_WIDTH);
  if (box.extend === 'right' || box.extend === 'both') right = Math.max(right, pane.right + MAX_WIDTH);
  canvas.fillRect(left, top, right, bottom, readColor(box.bgcolor));
  const color = visible(readColor(box.border_color), theme);
  const outline = [left, top, right, top, right, bottom, left, bottom, left, top];
  canvas.strokeLine(outline, { color, width: widthOf(box.border_width), style: styleOf(box.border_style) });
  drawBoxText(scene, box, [Math.max(left, pane.left), top, Math.min(right, pane.right), bottom]);
}

const BOX_PADDING_PX = 4;
const MOST_BOX_LINES = 8;
const SHARES: Readonly<Record<string, number>> = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 };

/** Inside of the part of the box that is seen. */
function drawBoxText({ canvas, theme }: Scene, box: DrawingFields, [left, top, right, bottom]: Ends): void {
  const font = fontOfSize(box.text_size);
  const room = right - left - 2 * BOX_PADDING_PX;
  const fitting = Math.floor((bottom - top - BOX_PADDING_PX) / lineHeight(font));
  const lines = String(box.text ?? '')
    .split('\n', Math.min(fitting, MOST_BOX_LINES))
    .map((line) => fitText(line, room, font));
  const free = bottom - top - 2 * BOX_PADDING_PX - (lines.length - 1) * lineHeight(font) - capHeight(font);
  const y = top + BOX_PADDING_PX + free * (SHARES[String(box.text_valign)] ?? 0.5);
  // On a box of its own color words need no help; on a pale one they stand on the chart's background.
  const isFilled = (readColor(box.bgcolor) & 0xff) > 0x80;
  const own = readColor(box.text_color);
  const color = isFilled ? own : legible(own, theme);
  for (const [i, line] of lines.entries()) {
    const x = left + BOX_PADDING_PX + (room - textWidth(line, font)) * (SHARES[String(box.text_halign)] ?? 0.5);
    drawText(canvas, line, x, y + i * lineHeight(font), color, font);
  }
}

function drawPolyline(scene: Scene, pane: Pane, polyline: DrawingFields, budget: { points: number }): void {
  const { canvas, theme } = scene;
  if (!Array.isArray(polyline.points)) return;
  const points: readonly DrawingFields[] = polyline.points.slice(0, budget.points);
  budget.points -= points.length;
  const isByTime = polyline.xloc === 'bar_time';
  const flat = points.flatMap(({ time, index, price }) => [
    xOf(scene, isByTime ? time : index, polyline.xloc),
    pane.scale.y(numberOf(price)),
  ]);
  canvas.fillShape(flat, readColor(polyline.fill_color));
  if (polyline.closed === true) flat.push(...flat.slice(0, 2));
  const color = visible(readColor(polyline.line_color), theme);
  canvas.strokeLine(flat, { color, width: widthOf(polyline.line_width), style: styleOf(polyline.line_style) });
}
