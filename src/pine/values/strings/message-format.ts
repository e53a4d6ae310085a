// `str.format`: text with places such as {0}, {1,number,#.##} or {2,date,yyyy-MM-dd}.
//
// A quote starts and ends text in which braces are ordinary signs; two quotes are one. A place whose value was not
// given stays as it is written.

import { PineRuntimeError } from '../runtime-error.ts';
import { zoneOf } from '../time/zone.ts';
import { formatDate } from './date-format.ts';
import { limited } from './limit.ts';
import { formatNumber } from './number-format.ts';
import { toText } from './to-text.ts';

interface Place {
  readonly index: number;
  readonly kind: string;
  readonly style: string;
  readonly written: string;
}

/** Parsed formats are kept; a script has a handful, a hostile one is only slower. */
const MAX_FORMATS = 200;
const formats = new Map<string, readonly (string | Place)[]>();

const NUMBER_STYLES: Readonly<Record<string, string>> = {
  '': '#,##0.###',
  integer: '#,##0',
  percent: '#,##0%',
  currency: '¤#,##0.00',
};

const DATE_STYLES: Readonly<Record<string, string>> = {
  '': 'MMM d, yyyy',
  short: 'M/d/yy',
  medium: 'MMM d, yyyy',
  long: 'MMMM d, yyyy',
  full: 'EEEE, MMMM d, yyyy',
};

const TIME_STYLES: Readonly<Record<string, string>> = {
  '': 'h:mm:ss a',
  short: 'h:mm a',
  medium: 'h:mm:ss a',
  long: 'h:mm:ss a z',
  full: 'h:mm:ss a z',
};

export function formatMessage(format: string, values: readonly unknown[], mintick: number): string {
  let text = '';
  for (const piece of piecesOf(format)) text += typeof piece === 'string' ? piece : placeText(piece, values, mintick);
  return limited(text);
}

function placeText(place: Place, values: readonly unknown[], mintick: number): string {
  if (place.index >= values.length) return place.written;
  const value = values[place.index];
  if (place.kind === '')
    return typeof value === 'number' ? formatNumber(value, '#,##0.###', 'even') : toText(value, null, mintick);
  if (typeof value !== 'number')
    throw new PineRuntimeError(
      `In 'str.format()' function. The value of ${place.written} is not a number, but its place asks for a ${place.kind}.`,
    );
  if (place.kind === 'number') return formatNumber(value, styled(NUMBER_STYLES, place.style), 'even');
  const styles = place.kind === 'date' ? DATE_STYLES : TIME_STYLES;
  return formatDate(value, styled(styles, place.style), zoneOf('UTC'));
}

/** The pattern of a named style; any other text is a pattern itself. */
function styled(styles: Readonly<Record<string, string>>, style: string): string {
  return Object.hasOwn(styles, style.trim()) ? (styles[style.trim()] as string) : style;
}

function piecesOf(format: string): readonly (string | Place)[] {
  let pieces = formats.get(format);
  if (pieces === undefined) {
    pieces = parse(format);
    if (formats.size >= MAX_FORMATS) formats.clear();
    formats.set(format, pieces);
  }
  return pieces;
}

function parse(format: string): (string | Place)[] {
  const pieces: (string | Place)[] = [];
  let text = '';
  let quoted = false;
  for (let i = 0; i < format.length; i += 1) {
    const sign = format[i] as string;
    if (sign === "'" && format[i + 1] === "'") {
      text += "'";
      i += 1;
    } else if (sign === "'") quoted = !quoted;
    else if (sign === '{' && !quoted) {
      const end = endOfPlace(format, i);
      pieces.push(text, parsePlace(format, format.slice(i + 1, end)));
      text = '';
      i = end;
    } else text += sign;
  }
  pieces.push(text);
  return pieces;
}

function endOfPlace(format: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < format.length; i += 1) {
    if (format[i] === "'") quoted = !quoted;
    else if (!quoted && format[i] === '{') depth += 1;
    else if (!quoted && format[i] === '}') {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  throw badFormat(format, 'a brace is not closed');
}

function parsePlace(format: string, inside: string): Place {
  const match = /^\s*(\d{1,4})\s*(?:,\s*(number|date|time)\s*(?:,(.*))?)?$/is.exec(inside);
  if (match === null) throw badFormat(format, `{${inside}} is not a place`);
  return {
    index: Number(match[1]),
    kind: (match[2] ?? '').toLowerCase(),
    style: match[3] ?? '',
    written: `{${inside}}`,
  };
}

function badFormat(format: string, reason: string): PineRuntimeError {
  return new PineRuntimeError(
    `In 'str.format()' function. "${format.slice(0, 60)}": ${reason}. Use {0} or {0,number,#.##}; put braces in quotes.`,
  );
}
