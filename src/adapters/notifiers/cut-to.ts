// Cuts a text that no message can hold between two of its pieces, and says so with a mark.

import { CUT_MARK } from '../../trading/notifications/fit.ts';

const unitsOf = (text: string): number => text.length;

/** `sizeOf` measures as the receiver counts. */
export function cutTo(pieces: readonly string[], limit: number, sizeOf: (text: string) => number = unitsOf): string {
  let [text, size, fits] = ['', 0, ''];
  for (const piece of pieces) {
    size += sizeOf(piece);
    if (size > limit) return `${fits}${CUT_MARK}`;
    text += piece;
    if (size <= limit - sizeOf(CUT_MARK)) fits = text;
  }
  return text;
}
