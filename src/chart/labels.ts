// Labels of a script: words in a bubble with its point at a place, a shape, or words alone.

import { isInvisible, readColor } from './colors.ts';
import type { DrawingFields } from './model.ts';
import { fillPolygon } from './polygon.ts';
import type { Pane, Scene } from './scene.ts';
import { drawShape } from './shapes.ts';
import { drawText, fitText, lineHeight, type TextSize, textWidth } from './text.ts';
import { legible, visible } from './theme.ts';

const MAX_LINES = 6;
const MAX_TEXT_WIDTH_PX = 200;
const PADDING_PX = 4;
const POINT_PX = 5;
const SHAPE_RADIUS_PX = 6;
const LARGE_SIZES = new Set<unknown>(['large', 'huge']);

/** Where the bubble stands, in its own widths and heights, from the place it points at. */
const BUBBLES: Readonly<Record<string, readonly [x: number, y: number]>> = {
  label_down: [0, -1],
  label_up: [0, 1],
  label_left: [1, 0],
  label_right: [-1, 0],
  label_lower_left: [1, -1],
  label_lower_right: [-1, -1],
  label_upper_left: [1, 1],
  label_upper_right: [-1, 1],
  label_center: [0, 0],
};

interface Place {
  readonly x: number;
  readonly y: number;
}

export function drawLabel(scene: Scene, pane: Pane, label: DrawingFields, at: Place): void {
  const y = heightOf(scene, pane, label, at);
  if (!Number.isFinite(at.x + y)) return;
  const { theme } = scene;
  const size: TextSize = LARGE_SIZES.has(label.size) ? 'large' : 'small';
  const lines = String(label.text ?? '')
    .split('\n', MAX_LINES)
    .map((line) => fitText(line, MAX_TEXT_WIDTH_PX, size));
  const style = String(label.style).replace('style_', '');
  const color = visible(readColor(label.color), theme);
  const bubble = BUBBLES[style];
  if (bubble !== undefined) {
    drawBubble(scene, { x: at.x, y }, bubble, lines, size, color, label);
    return;
  }
  const hasShape = style !== 'none' && style !== 'text_outline';
  if (hasShape && !isInvisible(color)) drawShape(scene, style, at.x, y, SHAPE_RADIUS_PX, color);
  const top = hasShape ? y + SHAPE_RADIUS_PX + PADDING_PX : y - (lines.length * lineHeight(size)) / 2;
  drawLines(scene, lines, at.x, top, size, legible(readColor(label.textcolor), theme));
}

/** At its price, or above or below its bar. */
function heightOf({ slots, bars }: Scene, { scale, isPrice, box }: Pane, label: DrawingFields, at: Place): number {
  if (label.yloc !== 'abovebar' && label.yloc !== 'belowbar') return at.y;
  if (!isPrice) return label.yloc === 'abovebar' ? box.top + 40 : box.bottom - 40;
  const index = Math.min(Math.max(Math.round((at.x - slots.left) / slots.pxPerBar - 0.5), 0), bars.count - 1);
  const column = label.yloc === 'abovebar' ? bars.high : bars.low;
  return scale.y(column[index] ?? Number.NaN) + (label.yloc === 'abovebar' ? -3 : 3);
}

function drawBubble(
  scene: Scene,
  { x, y }: Place,
  [toX, toY]: readonly [number, number],
  lines: readonly string[],
  size: TextSize,
  color: number,
  label: DrawingFields,
): void {
  const { canvas, theme } = scene;
  const width = Math.max(...lines.map((line) => textWidth(line, size)), 2) + 2 * PADDING_PX;
  const height = lines.length * lineHeight(size) + 2 * PADDING_PX - 2;
  const left = Math.round(x - width / 2 + toX * (width / 2 + POINT_PX));
  const top = Math.round(y - height / 2 + toY * (height / 2 + POINT_PX));
  if (!isInvisible(color)) {
    canvas.fillRect(left, top, left + width, top + height, color);
    drawPoint(scene, x, y, toX, toY, { left, top, width, height }, color);
  }
  const own = readColor(label.textcolor);
  const isOnChart = isInvisible(color) || (color & 0xff) < 0x60;
  drawLines(scene, lines, left + width / 2, top + PADDING_PX, size, isOnChart ? legible(own, theme) : own);
}

interface Bubble {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The tip from the bubble's nearest edge to its place. */
function drawPoint(scene: Scene, x: number, y: number, toX: number, toY: number, bubble: Bubble, color: number): void {
  const { left, top, width, height } = bubble;
  if (toY !== 0) {
    const edge = toY < 0 ? top + height : top;
    const middle = Math.min(Math.max(x, left + POINT_PX), left + width - POINT_PX);
    fillPolygon(scene.canvas, [middle - POINT_PX, edge, middle + POINT_PX, edge, x, y], color);
  } else if (toX !== 0) {
    const edge = toX < 0 ? left + width : left;
    fillPolygon(scene.canvas, [edge, y - POINT_PX, edge, y + POINT_PX, x, y], color);
  }
}

function drawLines(
  scene: Scene,
  lines: readonly string[],
  middle: number,
  top: number,
  size: TextSize,
  color: number,
): void {
  for (const [i, line] of lines.entries())
    drawText(scene.canvas, line, middle - textWidth(line, size) / 2, top + i * lineHeight(size), color, size);
}
