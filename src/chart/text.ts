// Words on a canvas in two sizes: glyphs are turned into masks once and stamped from then on.

import type { Canvas } from './canvas.ts';
import { CAP_ROWS, GLYPHS, TAIL_ROWS, UNKNOWN } from './glyphs.ts';

export type TextSize = 'small' | 'large';

interface Look {
  readonly scale: number;
  readonly strokeWidth: number;
}

const LOOKS: Readonly<Record<TextSize, Look>> = {
  small: { scale: 1, strokeWidth: 1 },
  large: { scale: 1.25, strokeWidth: 1.35 },
};

/** Columns from the end of one glyph to the start of the next. */
const GAP_COLUMNS = 2;
const DIGIT_COLUMNS = 4;
const SPACE_COLUMNS = 1;
/** Signs that scripts like and that have a plain twin. */
const TWINS: Readonly<Record<string, string>> = {
  '–': '-',
  '—': '-',
  '−': '-',
  '·': '-',
  '×': 'x',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '\u00a0': ' ',
  '★': '*',
  '•': '*',
};

interface Glyph {
  readonly advance: number;
  readonly width: number;
  readonly height: number;
  /** Coverage of 0 to 1, row by row. */
  readonly mask: Float32Array;
}

const made = new Map<string, Glyph>();

/** Height of capitals in pixels. */
export const capHeight = (size: TextSize): number => Math.round((CAP_ROWS - 1) * LOOKS[size].scale + 1);
/** Height with the tails of letters such as g. */
export const lineHeight = (size: TextSize): number => Math.round((CAP_ROWS + TAIL_ROWS) * LOOKS[size].scale);

export function textWidth(text: string, size: TextSize = 'small'): number {
  let width = 0;
  for (const character of text) width += glyphOf(character, size).advance;
  // The gap after the last glyph is no part of the text.
  return Math.max(0, Math.ceil(width - LOOKS[size].scale));
}

/** Left edge and top of the capitals, in whole pixels so that the strokes stay sharp. */
export function drawText(
  canvas: Canvas,
  text: string,
  x: number,
  y: number,
  color: number,
  size: TextSize = 'small',
): void {
  let pen = Math.round(x);
  const top = Math.round(y);
  for (const character of text) {
    if (pen >= canvas.clip.right) return;
    const { advance, width, height, mask } = glyphOf(character, size);
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) {
        const coverage = mask[row * width + column]!;
        if (coverage > 0) canvas.blend(Math.floor(pen) + column, top + row, color, coverage);
      }
    pen += advance;
  }
}

/** The text, or as much of it as fits with two dots at the end; nothing when not even one letter does. */
export function fitText(text: string, width: number, size: TextSize = 'small'): string {
  // No chart is wide enough for more letters, and texts of scripts are long at times.
  const letters = [...text.slice(0, 400)];
  if (textWidth(letters.join(''), size) <= width) return letters.join('');
  const room = width - textWidth('..', size) - LOOKS[size].scale;
  let [kept, used] = ['', 0];
  for (const letter of letters) {
    used += glyphOf(letter, size).advance;
    if (used > room) break;
    kept += letter;
  }
  return kept === '' ? '' : `${kept.trimEnd()}..`;
}

/** A character as the font has it: a plain twin, or the letter under an accent. */
const plainOf = (character: string): string => TWINS[character] ?? character.normalize('NFD').charAt(0);

export const hasGlyph = (character: string): boolean => Object.hasOwn(GLYPHS, plainOf(character));

function glyphOf(character: string, size: TextSize): Glyph {
  const plain = Object.hasOwn(GLYPHS, character) ? character : plainOf(character);
  const known = Object.hasOwn(GLYPHS, plain) ? plain : '';
  const key = `${size}${known}`;
  let glyph = made.get(key);
  if (glyph === undefined) {
    glyph = makeGlyph(known, LOOKS[size]);
    made.set(key, glyph);
  }
  return glyph;
}

function makeGlyph(character: string, { scale, strokeWidth }: Look): Glyph {
  const strokes = strokesOf(character === '' ? UNKNOWN : GLYPHS[character]!);
  const columns = columnsOf(character, strokes);
  // Digits are equally wide, so that numbers stand in columns; the narrow ones in the middle of theirs.
  const width = Math.ceil(columns * scale + strokeWidth) + 1;
  const height = Math.ceil((CAP_ROWS + TAIL_ROWS) * scale + strokeWidth);
  const mask = new Float32Array(width * height);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1)
      mask[row * width + column] = coverageAt(column / scale, row / scale, strokes, scale, strokeWidth);
  return { advance: (columns + GAP_COLUMNS) * scale, width, height, mask };
}

type Stroke = readonly (readonly [number, number])[];

function strokesOf(notation: string): Stroke[] {
  if (notation === '') return [];
  return notation
    .split('|')
    .map((stroke) => Array.from(stroke.match(/../g)!, (point) => [Number(point[0]), Number(point[1])] as const));
}

function columnsOf(character: string, strokes: readonly Stroke[]): number {
  if (character === ' ') return SPACE_COLUMNS;
  if (character >= '0' && character <= '9') return DIGIT_COLUMNS;
  return Math.max(...strokes.flat().map(([x]) => x));
}

function coverageAt(x: number, y: number, strokes: readonly Stroke[], scale: number, strokeWidth: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const stroke of strokes)
    for (let i = 0; i + 1 < stroke.length; i += 1)
      nearest = Math.min(nearest, distance(x, y, stroke[i]!, stroke[i + 1]!));
  return Math.min(Math.max((strokeWidth + 1) / 2 - nearest * scale, 0), 1);
}

function distance(x: number, y: number, from: readonly [number, number], to: readonly [number, number]): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const squared = dx * dx + dy * dy;
  const along = squared === 0 ? 0 : Math.min(Math.max(((x - from[0]) * dx + (y - from[1]) * dy) / squared, 0), 1);
  return Math.hypot(x - from[0] - along * dx, y - from[1] - along * dy);
}
