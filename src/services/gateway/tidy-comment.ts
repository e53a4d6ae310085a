// Makes one line of bounded length of a signal's comment: words for a person are no reason to refuse an alert, least of all an exit.

import { MAX_COMMENT_CHARS } from '../../trading/signal.ts';
import type { MappedFields } from './map-symbol.ts';

/** What ends a line, moves a cursor or is half a character. */
const NO_LINE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const HALF_CHARACTER = /\p{Cs}$/u;

export function tidyComment(fields: MappedFields): MappedFields {
  const { value, warnings } = fields;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fields;
  const { comment } = value as { readonly comment?: unknown };
  if (typeof comment !== 'string') return fields;
  const line = comment.replace(NO_LINE, ' ').trim();
  const cut = line.slice(0, MAX_COMMENT_CHARS).replace(HALF_CHARACTER, '');
  const told = [
    ...(line !== comment.trim() ? ['comment: has line breaks or control characters, which are blanks now'] : []),
    ...(cut !== line ? [`comment: is longer than ${MAX_COMMENT_CHARS} characters and was cut`] : []),
  ];
  return told.length === 0
    ? fields
    : { ...fields, value: { ...value, comment: cut }, warnings: [...warnings, ...told] };
}
