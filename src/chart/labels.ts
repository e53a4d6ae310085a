// Labels of a script: words in a bubble with its point at a place, a shape, or words alone.

import type { Box } from './box.ts';
import { isInvisible, readColor } from './colors.ts';
import { type Font, fontOfSize } from './fonts.ts';
import type { DrawingFields } from './model.ts';
import type { Pane, Scene } from './scene.ts';
import { drawShape } from './shapes.ts';
import { capHeight, drawText, fitText, lineHeight, textWidth } from './text.ts';
import { legible, visible } from './theme.ts';

const MAX_LINES = 6;
const MAX_TEXT_WIDTH_PX = 200;
const PADDING_PX = 5;
const POINT_PX = 5;
const CORNER_PX = 3;
const SHAPE_RADIUS_PX = 6;
/** Between a bubble and the edge of the pane it would stick out of. */
const MARGIN_PX = 2;

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

/** Lines of words, as wide as the widest. */
interface Words {
  readonly lines: readonly string[];
  readonly font: Font;
  readonly width: number;
  readonly height: number;
  /** Of the free space, how much is on the left of a line. */
  readonly align: number;
}

const ALIGNS: Readonly<Record<string, number>> = { left: 0, center: 0.5, right: 1 };

export function drawLabel(scene: Scene, pane: Pane, label: DrawingFields, at: Place): void {
  const place = { x: at.x, y: heightOf(scene, pane, label, at) };
  const { left, top, right, bottom } = pane.box;
  // What a label points at must be seen; the label itself is moved into the pane where it would be cut.
  if (!(place.x >= left && place.x <= right && place.y >= top && place.y <= bottom)) return;
  const { theme } = scene;
  const words = wordsOf(label);
  const style = String(label.style).replace('style_', '');
  const color = visible(readColor(label.color), theme);
  const bubble = BUBBLES[style];
  if (bubble !== undefined) {
    drawBubble(scene, pane, { place, bubble, words, color, textColor: readColor(label.textcolor) });
    return;
  }
  const hasShape = style !== 'none' && style !== 'text_outline';
  if (hasShape) drawShape(scene, style, place.x, place.y, SHAPE_RADIUS_PX, color);
  const wanted = {
    x: place.x - words.width / 2,
    y: hasShape ? place.y + SHAPE_RADIUS_PX + PADDING_PX : place.y - words.height / 2,
  };
  const { x, y } = insideOf(pane, wanted, words.width, words.height);
  drawLines(scene, words, x, y, legible(readColor(label.textcolor), theme));
}

function wordsOf(label: DrawingFields): Words {
  const font = fontOfSize(label.size);
  const lines = String(label.text ?? '')
    .trimEnd()
    .split('\n', MAX_LINES)
    .map((line) => fitText(line, MAX_TEXT_WIDTH_PX, font));
  const width = Math.max(...lines.map((line) => textWidth(line, font)), 2);
  const align = ALIGNS[String(label.textalign)] ?? 0.5;
  return { lines, font, width, align, height: (lines.length - 1) * lineHeight(font) + capHeight(font) };
}

/** At its price, or above or below its bar. */
function heightOf({ slots, bars }: Scene, { scale, isPrice, box }: Pane, label: DrawingFields, at: Place): number {
  if (label.yloc !== 'abovebar' && label.yloc !== 'belowbar') return at.y;
  if (!isPrice) return label.yloc === 'abovebar' ? box.top + 40 : box.bottom - 40;
  const index = Math.min(Math.max(slots.barAt(at.x), 0), bars.count - 1);
  const column = label.yloc === 'abovebar' ? bars.high : bars.low;
  return scale.y(column[index] ?? Number.NaN) + (label.yloc === 'abovebar' ? -3 : 3);
}

/** The top left corner of something of a size, moved so that all of it lies in the pane, below its legend. */
function insideOf({ box, legendHeight }: Pane, { x, y }: Place, width: number, height: number): Place {
  const [right, bottom] = [box.right - width - MARGIN_PX, box.bottom - height - MARGIN_PX];
  return {
    x: Math.round(Math.max(Math.min(x, right), box.left + MARGIN_PX)),
    y: Math.round(Math.max(Math.min(y, bottom), box.top + legendHeight + MARGIN_PX)),
  };
}

interface BubbleLook {
  readonly place: Place;
  readonly bubble: readonly [x: number, y: number];
  readonly words: Words;
  readonly color: number;
  readonly textColor: number;
}

function drawBubble(scene: Scene, pane: Pane, look: BubbleLook): void {
  const { canvas, theme } = scene;
  const { place, bubble, words, color, textColor } = look;
  const [width, height] = [words.width + 2 * PADDING_PX, words.height + 2 * PADDING_PX];
  const wanted = {
    x: place.x - width / 2 + bubble[0] * (width / 2 + POINT_PX),
    y: place.y - height / 2 + bubble[1] * (height / 2 + POINT_PX),
  };
  const { x: left, y: top } = insideOf(pane, wanted, width, height);
  const box = { left, top, right: left + width, bottom: top + height };
  canvas.fillRounded(box, CORNER_PX, color);
  drawPoint(scene, place, bubble, box, color);
  const isOnChart = isInvisible(color) || (color & 0xff) < 0x60;
  const ink = isOnChart ? legible(textColor, theme) : textColor;
  drawLines(scene, words, left + PADDING_PX, top + PADDING_PX, ink);
}

/** The tip from the bubble's nearest edge to its place; none where the bubble had to move over the place itself. */
function drawPoint(
  scene: Scene,
  { x, y }: Place,
  [toX, toY]: readonly [number, number],
  box: Box,
  color: number,
): void {
  if (toY !== 0) {
    const edge = toY < 0 ? box.bottom : box.top;
    const middle = Math.min(Math.max(x, box.left + POINT_PX), box.right - POINT_PX);
    if ((y - edge) * toY < 0) scene.canvas.fillShape([middle - POINT_PX, edge, middle + POINT_PX, edge, x, y], color);
  } else if (toX !== 0) {
    const edge = toX < 0 ? box.right : box.left;
    const middle = Math.min(Math.max(y, box.top + POINT_PX), box.bottom - POINT_PX);
    if ((x - edge) * toX < 0) scene.canvas.fillShape([edge, middle - POINT_PX, edge, middle + POINT_PX, x, y], color);
  }
}

function drawLines(scene: Scene, { lines, font, width, align }: Words, left: number, top: number, color: number): void {
  for (const [i, line] of lines.entries()) {
    const x = left + (width - textWidth(line, font)) * align;
    drawText(scene.canvas, line, x, top + i * lineHeight(font), color, font);
  }
}
