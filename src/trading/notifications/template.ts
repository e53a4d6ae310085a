// Fills the placeholders of a sender's own message with the outcome; each value is escaped for the parse mode.

import { PLACEHOLDERS, type Placeholder, type TemplateValues } from '../books/outcome-values.ts';
import type { ParseMode } from '../signal.ts';
import { escapeFor } from './escape.ts';
import { shorten } from './fit.ts';
import { piecesOf } from './markup.ts';

/** A venue's reason can be a page long; the rest of the message must still fit. */
const MAX_VALUE_UNITS = 1000;
/** Past this more is shown than a message holds, however much of it is escapes: filling on would be work for nothing. */
const MAX_FILLED_UNITS = 32_768;
const PLACEHOLDER = new RegExp(`\\{\\{ *(${PLACEHOLDERS.join('|')}) *\\}\\}`, 'g');

export const hasPlaceholders = (template: string): boolean => template.search(PLACEHOLDER) >= 0;

/** What is no placeholder of ours stays as it is. A value is never looked at for placeholders again. */
export function fillTemplate(template: string, values: TemplateValues, mode: ParseMode): string {
  const places = mode === 'Markdown' ? placesInMarkdown(template) : undefined;
  let [filled, at] = ['', 0];
  for (const match of template.matchAll(PLACEHOLDER)) {
    if (filled.length > MAX_FILLED_UNITS) break;
    const value = shorten(values[match[1] as Placeholder] ?? match[0], MAX_VALUE_UNITS);
    const escaped = places ? escapeAt(places(match.index), value) : escapeFor(mode, value);
    filled += template.slice(at, match.index) + escaped;
    at = match.index + match[0].length;
  }
  return filled + template.slice(at);
}

/** The entity a place lies in, by its end; `url` inside the address of a link; undefined in plain text. */
type Place = string | undefined;

/** For growing places only. Values change nothing about where an entity ends, so the template alone is read, once. */
function placesInMarkdown(template: string): (index: number) => Place {
  const pieces = piecesOf(template, 'Markdown')[Symbol.iterator]();
  let [end, inside, readTo]: [Place, Place, number] = [undefined, undefined, 0];
  return (index) => {
    while (readTo <= index) {
      const { value: piece, done } = pieces.next();
      if (done) break;
      inside = piece.closes ? 'url' : end;
      end = piece.closes ? undefined : (piece.opens ?? end);
      readTo += piece.raw.length;
    }
    return inside;
  };
}

/** The old Markdown knows no escapes inside an entity: what would end it is put outside, or written differently. */
function escapeAt(place: Place, value: string): string {
  if (place === undefined) return escapeFor('Markdown', value);
  if (place === 'url') return encodeURI(value.toWellFormed()).replaceAll(')', '%29');
  if (place.startsWith(']')) return value.replaceAll(']', ')');
  if (place === '```') return value.replaceAll('`', "'");
  return value.replaceAll(place, `${place}\\${place}${place}`);
}
