// String literals: where they end and what they say once their escapes are resolved.

import * as char from './characters.ts';

export interface StringRead {
  /** The offset of the first character after the opening quotes. */
  readonly start: number;
  readonly value: string;
  readonly end: number;
  readonly closed: boolean;
  /** Goes on over lines between single quotes. */
  readonly wrapped: boolean;
}

/**
 * Strings stand between single or double quotes on one line, or between three of them over several lines. A backslash
 * makes `\n` and `\t` control characters; before any other character it is dropped and the character stays. Where
 * `wraps` says so, a string on one line goes on after a line end as old scripts have it: the next line begins with white
 * space, and all of that together is one space.
 */
export function readString(source: string, open: number, quote: number, wraps = false): StringRead {
  const triple = source.charCodeAt(open + 1) === quote && source.charCodeAt(open + 2) === quote;
  const start = open + (triple ? 3 : 1);
  const close = source.slice(open, start);
  let value = '';
  let wrapped = false;
  let from = start;
  let at = start;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (code === quote && (!triple || source.startsWith(close, at)))
      return { start, value: value + source.slice(from, at), end: at + close.length, closed: true, wrapped };
    if (char.isNewline(code)) {
      const next = triple || !wraps ? -1 : wrappedLine(source, at);
      if (next >= 0) {
        value += `${source.slice(from, at)} `;
        wrapped = true;
        at = next;
        from = at;
        continue;
      }
      if (!triple) break;
      value += `${source.slice(from, at)}\n`;
      at += code === char.CARRIAGE_RETURN && source.charCodeAt(at + 1) === char.LINE_FEED ? 2 : 1;
      from = at;
    } else if (code === char.BACKSLASH && at + 1 < source.length && !char.isNewline(source.charCodeAt(at + 1))) {
      value += source.slice(from, at) + resolve(source[at + 1]!);
      at += 2;
      from = at;
    } else at++;
  }
  return { start, value: value + source.slice(from, at), end: at, closed: false, wrapped };
}

/** Where the text goes on after a line end, or -1 when the next line with text begins at the margin. */
function wrappedLine(source: string, lineEnd: number): number {
  let at = lineEnd;
  let indented = false;
  for (; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (char.isNewline(code)) indented = false;
    else if (code === char.SPACE || code === char.TAB) indented = true;
    else break;
  }
  return indented && at < source.length ? at : -1;
}

const resolve = (letter: string): string => (letter === 'n' ? '\n' : letter === 't' ? '\t' : letter);
