// Cuts a text to what one chat message can hold, never inside an escape, a tag or a pair of surrogates.

import type { ParseMode } from '../signal.ts';
import { piecesOf } from './markup.ts';

/** A chat message holds so many UTF-16 units, counted after its markup is read. */
export const MAX_MESSAGE_UNITS = 4096;
/** The sign that something is missing; it means nothing in any parse mode. */
export const CUT_MARK = '…';

export function fitMessage(text: string, mode: ParseMode, limitUnits = MAX_MESSAGE_UNITS): string {
  // Markup only ever makes a text shorter.
  if (text.length <= limitUnits) return text;
  let [read, shownUnits, cutAt] = [0, 0, 0];
  for (const piece of piecesOf(text, mode)) {
    read += piece.raw.length;
    shownUnits += piece.shown.length;
    if (shownUnits > limitUnits) return `${text.slice(0, cutAt)}${closing(text, mode, cutAt)}${CUT_MARK}`;
    // Not right after an opening: an entity with nothing in it may read as another mark.
    if (piece.opens === undefined && shownUnits <= limitUnits - CUT_MARK.length) cutAt = read;
  }
  return text;
}

/** What ends the entities that are open at the cut. */
function closing(text: string, mode: ParseMode, cutAt: number): string {
  const open: string[] = [];
  let read = 0;
  for (const piece of piecesOf(text, mode)) {
    if (read === cutAt) break;
    read += piece.raw.length;
    if (piece.closes) open.pop();
    if (piece.opens !== undefined) open.push(piece.opens);
  }
  // Two underscores in a row would be an underline; an empty bold between them keeps them apart.
  return open.reduceRight((ends, end) => ends + (ends.endsWith('_') && end.startsWith('_') ? '**' : '') + end, '');
}

/** A single value that is longer than anybody reads. */
export function shorten(value: string, limitUnits: number): string {
  return fitMessage(value, 'Plain', limitUnits);
}
