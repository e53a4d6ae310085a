// Words: how wide they are, how much of them fits, and how they are written on a canvas.

import type { Canvas } from './canvas.ts';
import { type Font, SMALL } from './fonts.ts';

/** Inter's capitals, and the distance of its lines, as a share of the font's size. */
const CAP_SHARE = 0.727;
const LINE_SHARE = 1.3;
/** No chart is wide enough for more letters, and texts of scripts are long at times. */
const MOST_LETTERS = 400;
/** Widths that are kept: those of axes and tables come again in every picture. */
const MOST_WIDTHS = 4000;
const ELLIPSIS = '…';

/** Signs that none of our fonts have, beside others that mean the same. */
const TWINS: Readonly<Record<string, string>> = { '✗': '✖', '✘': '✖', '☑': '✔', '\t': ' ', '\r': '' };

/** The fonts there are, and how wide they make a text. */
export interface Lettering {
  /** As CSS writes it, with whatever families the text needs. */
  cssFont(font: Font, text: string): string;
  widthOf(text: string, cssFont: string): number;
}

const widths = new Map<string, number>();
let lettering: Lettering | undefined;

/** Said once by whoever draws in this thread, Skia or the browser, before the first word. */
export function useLettering(chosen: Lettering): void {
  lettering = chosen;
  widths.clear();
}

function inUse(): Lettering {
  if (lettering === undefined) throw new Error('words are measured before anybody said with which fonts');
  return lettering;
}

/** Height of capitals in pixels. */
export const capHeight = ({ px }: Font): number => Math.round(px * CAP_SHARE);
/** From one line to the next. */
export const lineHeight = ({ px }: Font): number => Math.round(px * LINE_SHARE);

const plainOf = (text: string): string => text.replace(/[✗✘☑\t\r]/g, (sign) => TWINS[sign]!);

export function textWidth(text: string, font: Font = SMALL): number {
  if (text === '') return 0;
  const key = `${font.px}${font.isBold} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    const { cssFont, widthOf } = inUse();
    width = Math.ceil(widthOf(plainOf(text), cssFont(font, text)));
    if (widths.size >= MOST_WIDTHS) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** Left edge and top of the capitals. */
export function drawText(canvas: Canvas, text: string, x: number, y: number, color: number, font: Font = SMALL): void {
  if (text === '') return;
  const css = inUse().cssFont(font, text);
  canvas.write(plainOf(text), Math.round(x), Math.round(y) + capHeight(font), color, css);
}

/** The text, or as much of it as fits with dots at the end; nothing when not even one letter does. */
export function fitText(text: string, width: number, font: Font = SMALL): string {
  const letters = [...text.slice(0, MOST_LETTERS)];
  if (textWidth(letters.join(''), font) <= width) return letters.join('');
  const cut = (count: number) => `${letters.slice(0, count).join('').trimEnd()}${ELLIPSIS}`;
  let [fits, tooMany] = [0, letters.length];
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1;
    if (textWidth(cut(count), font) <= width) fits = count;
    else tooMany = count;
  }
  return fits === 0 ? '' : cut(fits);
}
