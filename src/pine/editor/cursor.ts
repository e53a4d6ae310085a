// The cursor in a text: the word it stands in, and whether it stands in code, in a comment or in a literal.

import { DiagnosticList, SYNTAX_CODES } from '../syntax/diagnostic.ts';
import { type Comment, scan } from '../syntax/scanner.ts';

export interface Cursor {
  readonly offset: number;
  /** The part of the word before the cursor. */
  readonly prefix: string;
  /** Whether the word is already followed by its arguments or types in angle brackets. */
  readonly called: boolean;
}

export type Surroundings =
  | { readonly kind: 'code'; readonly cursor: Cursor }
  | { readonly kind: 'comment'; readonly comment: Comment }
  | { readonly kind: 'literal' };

const LITERALS: ReadonlySet<string> = new Set(['string', 'color', 'int', 'float']);

/** An offset as it comes over a wire, held inside of the text. */
export const clampOffset = (source: string, offset: number): number =>
  Number.isNaN(offset) ? 0 : Math.trunc(Math.max(0, Math.min(offset, source.length)));

export function surroundingsOf(source: string, offset: number): Surroundings {
  const found = new DiagnosticList();
  const { tokens, comments } = scan(source, found);
  const comment = comments.find(({ start, end }) => start < offset && offset <= end);
  if (comment !== undefined) return { kind: 'comment', comment };
  const token = tokens.find(({ start, end }) => start < offset && offset <= end);
  if (token !== undefined && LITERALS.has(token.kind)) {
    const open = found
      .sorted()
      .some(({ code, span }) => code === SYNTAX_CODES.unterminatedString && span.start === token.start);
    // After its closing quote a string is over; a number or color may still grow.
    if (offset < token.end || token.kind !== 'string' || open) return { kind: 'literal' };
  }
  const [prefix] = /[A-Za-z0-9_]*$/.exec(source.slice(Math.max(0, offset - MAX_WORD), offset)) ?? [''];
  const called = /^[A-Za-z0-9_]*\s*(?:\(|<[^<>()\n]*>\s*\()/.test(source.slice(offset, offset + MAX_WORD));
  return { kind: 'code', cursor: { offset, prefix, called } };
}

/** How far around the cursor its word is looked for; names are far shorter. */
const MAX_WORD = 200;
