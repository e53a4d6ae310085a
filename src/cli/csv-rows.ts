// Rows and fields of a CSV file, read straight from its bytes: quoted fields, any line end, no text made on the way.

import { parseIsoTime, plainIsoTime } from '../market-data/bar-time.ts';

const COMMA = 44;
const SEMICOLON = 59;
const QUOTE = 34;
const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
const DOT = 46;
const ZERO = 48;
const MINUS = 45;
const PLUS = 43;

/** Ten to the n as far as a double holds it exactly. */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
/** Whole numbers of up to this many digits are exact doubles. */
const EXACT_DIGITS = 15;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?$/i;

const decoder = new TextDecoder();

/** Something in the file that cannot be read, with the line it stands on, counted from 1. */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** What the file separates its fields with: a comma, unless a semicolon or a tab stands before the first one. */
export function separatorIn(bytes: Uint8Array): number {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at]!;
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted && (code === COMMA || code === SEMICOLON || code === TAB)) return code;
  }
  return COMMA;
}

/** Goes through a file row by row. The fields of the current row are known by place, without what surrounds them. */
export class CsvRows {
  readonly #bytes: Uint8Array;
  readonly #separator: number;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #at: number;
  #nextLine = 1;
  /** Line on which the current row begins. */
  line = 0;
  /** Fields of the current row; those beyond the limit are counted but not kept. */
  count = 0;

  constructor(bytes: Uint8Array, maxFields: number, separator = COMMA) {
    this.#bytes = bytes;
    this.#separator = separator;
    this.#starts = new Int32Array(maxFields);
    this.#ends = new Int32Array(maxFields);
    this.#at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /** Moves to the next row that is not blank; false at the end of the file. */
  next(): boolean {
    while (this.#at < this.#bytes.length) {
      this.#readRow();
      if (this.count > 1 || this.#starts[0]! < this.#ends[0]!) return true;
    }
    return false;
  }

  #readRow(): void {
    const bytes = this.#bytes;
    this.line = this.#nextLine;
    this.count = 0;
    for (;;) {
      while (this.#isBlank(bytes[this.#at])) this.#at += 1;
      if (bytes[this.#at] === QUOTE) this.#readQuoted();
      else this.#readPlain();
      const code = bytes[this.#at];
      this.#at += 1;
      if (code === this.#separator) continue;
      if (code === CR && bytes[this.#at] === LF) this.#at += 1;
      this.#nextLine += 1;
      return;
    }
  }

  #readPlain(): void {
    const bytes = this.#bytes;
    const separator = this.#separator;
    const start = this.#at;
    let at = start;
    let code = bytes[at];
    while (code !== separator && code !== LF && code !== CR && code !== undefined) {
      at += 1;
      code = bytes[at];
    }
    this.#at = at;
    while (at > start && this.#isBlank(bytes[at - 1])) at -= 1;
    this.#keep(start, at);
  }

  #readQuoted(): void {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    for (; bytes[at] !== QUOTE || bytes[at + 1] === QUOTE; at += 1) {
      const code = bytes[at];
      if (code === undefined)
        throw new CsvFault(this.line, 'a quote is opened and never closed; close it or remove it');
      if (code === QUOTE) at += 1;
      else if (code === LF || (code === CR && bytes[at + 1] !== LF)) this.#nextLine += 1;
    }
    this.#keep(start, at);
    at += 1;
    while (this.#isBlank(bytes[at])) at += 1;
    const code = bytes[at];
    if (code !== this.#separator && code !== LF && code !== CR && code !== undefined)
      throw new CsvFault(
        this.line,
        'there is more behind a closing quote; put the whole field in quotes, quotes in it doubled',
      );
    this.#at = at;
  }

  #isBlank(code: number | undefined): boolean {
    return code === SPACE || (code === TAB && this.#separator !== TAB);
  }

  #keep(start: number, end: number): void {
    if (this.count < this.#starts.length) {
      this.#starts[this.count] = start;
      this.#ends[this.count] = end;
    }
    this.count += 1;
  }

  text(field: number): string {
    return decoder.decode(this.#bytes.subarray(this.#starts[field], this.#ends[field])).replaceAll('""', '"').trim();
  }

  isEmpty(field: number): boolean {
    return this.#starts[field] === this.#ends[field];
  }

  /** The field as milliseconds since 1970, or NaN when it is no ISO 8601. */
  isoTime(field: number): number {
    const time = plainIsoTime(this.#bytes, this.#starts[field]!, this.#ends[field]!);
    return Number.isNaN(time) ? parseIsoTime(this.text(field)) : time;
  }

  /** Bytes up to the end of the current row. */
  get readBytes(): number {
    return Math.min(this.#at, this.#bytes.length);
  }

  /** The field as a number, or NaN when it is none; exact to the last bit. */
  number(field: number): number {
    const bytes = this.#bytes;
    const end = this.#ends[field]!;
    let at = this.#starts[field]!;
    const first = bytes[at];
    if (first === MINUS || first === PLUS) at += 1;
    let value = 0;
    let digits = 0;
    let decimals = -1;
    for (; at < end; at += 1) {
      const digit = bytes[at]! - ZERO;
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        digits += 1;
        if (decimals >= 0) decimals += 1;
      } else if (bytes[at] === DOT && decimals < 0) decimals = 0;
      else return this.#rareNumber(field);
    }
    if (digits === 0 || digits > EXACT_DIGITS) return this.#rareNumber(field);
    // Both are exact, so that one division rounds as reading the whole text would.
    if (decimals > 0) value /= POWERS[decimals]!;
    return first === MINUS ? -value : value;
  }

  #rareNumber(field: number): number {
    const text = this.text(field);
    return NUMBER.test(text) ? Number(text) : Number.NaN;
  }
}
