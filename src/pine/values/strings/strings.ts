// The functions of `str.*` on plain strings; na of a string is null, which reads as the empty string.

import { ItemArray } from '../arrays/item-array.ts';
import type { Journal } from '../rollback.ts';
import { PineRuntimeError } from '../runtime-error.ts';
import { checkLength, limited } from './limit.ts';

type Text = string | null;

/** `+` on strings. */
export function concatenate(left: Text, right: Text): string {
  return limited((left ?? '') + (right ?? ''));
}

export function length(source: Text): number {
  return source === null ? 0 : source.length;
}

export function contains(source: Text, part: Text): boolean {
  return (source ?? '').includes(part ?? '');
}

/** The place of the first occurrence, or na. */
export function position(source: Text, part: Text): number {
  const place = (source ?? '').indexOf(part ?? '');
  return place < 0 ? Number.NaN : place;
}

/** From `begin` up to but not including `end`; an end beyond the string is its end. */
export function substring(source: Text, begin: number, end = Number.NaN): Text {
  if (source === null) return null;
  const to = Number.isNaN(end) ? source.length : Math.min(end, source.length);
  if (!(begin >= 0 && begin <= to))
    throw new PineRuntimeError(
      `In 'str.substring()' function. The positions ${begin} to ${to} are not within a string of length ${source.length}.`,
    );
  return source.slice(begin, to);
}

export function startsWith(source: Text, part: Text): boolean {
  return (source ?? '').startsWith(part ?? '');
}

export function endsWith(source: Text, part: Text): boolean {
  return (source ?? '').endsWith(part ?? '');
}

/** Replaces one occurrence, the first being number 0; the string itself when there are not so many. */
export function replace(source: Text, target: string, replacement: string, occurrence = 0): Text {
  if (source === null) return null;
  if (!(occurrence >= 0))
    throw new PineRuntimeError("In 'str.replace()' function. The occurrence must not be negative.");
  let place = source.indexOf(target);
  for (let skip = 0; skip < occurrence && place >= 0; skip += 1) {
    // Occurrences may overlap. An empty target is found at the end of the string again and again.
    place = place === source.length ? -1 : source.indexOf(target, place + 1);
  }
  if (place < 0) return source;
  return limited(source.slice(0, place) + replacement + source.slice(place + target.length));
}

export function replaceAll(source: Text, target: string, replacement: string): Text {
  if (source === null) return null;
  const pieces = source.split(target);
  // An empty target stands before, between and after all signs, where the split finds only the places between.
  if (target === '') return limited(replacement + pieces.map((piece) => piece + replacement).join(''));
  checkLength(source.length + (pieces.length - 1) * (replacement.length - target.length));
  return pieces.join(replacement);
}

export function upper(source: Text): Text {
  return source === null ? null : limited(source.toUpperCase());
}

export function lower(source: Text): Text {
  return source === null ? null : limited(source.toLowerCase());
}

export function trim(source: Text): Text {
  return source === null ? null : source.trim();
}

/** The pieces between the separators; without a separator, the signs. An empty text is always one piece. */
export function split(journal: Journal, source: Text, separator: Text): ItemArray<string> {
  return ItemArray.of<string>(journal, source ? source.split(separator ?? '') : ['']);
}

/** Na where the text or the number of repeats is na. */
export function repeat(source: Text, times: number, separator = ''): Text {
  if (source === null || Number.isNaN(times)) return null;
  if (!(times >= 0 && times < Number.POSITIVE_INFINITY))
    throw new PineRuntimeError("In 'str.repeat()' function. The number of repeats must not be negative or infinite.");
  if (times === 0) return '';
  checkLength(times * (source.length + separator.length) - separator.length);
  return (source + separator).repeat(times - 1) + source;
}

/** Digits, a sign in front and one point: no blanks and no exponent, as the manual has it. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** The number a text writes, or na. */
export function toNumber(source: Text): number {
  return source !== null && NUMBER.test(source) ? Number(source) : Number.NaN;
}

/** Compiled expressions are kept; a script has a handful, a hostile one is only slower. */
const MAX_EXPRESSIONS = 100;
const expressions = new Map<string, RegExp>();

/** The first part of the string that matches the regular expression, or an empty string. */
export function match(source: Text, regex: Text): string {
  if (source === null || regex === null) return '';
  return expressionOf(regex).exec(source)?.[0] ?? '';
}

function expressionOf(text: string): RegExp {
  let expression = expressions.get(text);
  if (expression === undefined) {
    expression = compile(text);
    if (expressions.size >= MAX_EXPRESSIONS) expressions.clear();
    expressions.set(text, expression);
  }
  return expression;
}

/** Flags at the front, (?i), are how the language writes what JavaScript writes behind the expression. */
function compile(text: string): RegExp {
  const [, flags = '', body = ''] = /^(?:\(\?([ims]+)\))?(.*)$/s.exec(text) ?? [];
  const once = [...new Set(flags)].join('');
  try {
    return new RegExp(body, `${once}u`);
  } catch {
    // Unicode mode refuses escapes that are not needed, which scripts do have.
    try {
      return new RegExp(body, once);
    } catch {
      throw new PineRuntimeError(`In 'str.match()' function. "${text.slice(0, 60)}" is not a regular expression.`);
    }
  }
}
