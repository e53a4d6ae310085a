// Reads rows of bars straight from the bytes of a body into columns: as objects, twenty thousand of them take four times
// as long, on the very loop that trades wait for.
//
// Only plain rows are read here: the six names, each at most once, with plain numbers. Whatever else stands in a list is
// not for here, and the whole list is read as any other JSON, which finds the words for what is wrong with it.

import { type BarColumns, emptyColumns } from '../../pine/index.ts';

export const COLUMN_NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const NULL = Buffer.from('null');

/** `{"time":1,"open":1,"high":1,"low":1,"close":1},` has so many bytes: no list has more rows than its bytes allow. */
const LEAST_ROW_BYTES = 47;
/** Up to here a whole number is exact, and so is its quotient by a power of ten below. */
const MOST_EXACT = Number.MAX_SAFE_INTEGER;
const POWERS_OF_TEN = Array.from({ length: 16 }, (_, i) => 10 ** i);
const WITHOUT_VOLUME = 0b011111;

/** By their first letter, which differs in all of them: the rest with the closing quote, and which column it is. */
const NAMES = new Map(
  COLUMN_NAMES.map((name, column) => [name.charCodeAt(0), { name, rest: Buffer.from(`${name.slice(1)}"`), column }]),
);

export class BarRows {
  #columns: BarColumns;
  #length = 0;
  #bytes: Uint8Array = NULL;
  #at = 0;
  #to = 0;

  /** `bytes`: how long the whole list is. */
  constructor(bytes: number) {
    this.#columns = emptyColumns(Math.ceil(bytes / LEAST_ROW_BYTES) + 1);
  }

  /** Rows that were read elsewhere. */
  static of(columns: BarColumns): BarRows {
    const rows = new BarRows(0);
    rows.#columns = columns;
    rows.#length = columns.count;
    return rows;
  }

  get length(): number {
    return this.#length;
  }

  /** The rows between two places of the text; false when they are not plain, and then nothing here is of use. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
    do {
      this.#skipSpaces();
      if (!this.#row()) return false;
      this.#skipSpaces();
    } while (this.#take(COMMA));
    return this.#at === to;
  }

  /** In memory of their own. */
  columns(): BarColumns {
    if (this.#columns.count === this.#length) return this.#columns;
    const exact = (name: ColumnName) => this.#columns[name].slice(0, this.#length);
    const [time, open, high, low, close, volume] = [
      exact('time'),
      exact('open'),
      exact('high'),
      exact('low'),
      exact('close'),
      exact('volume'),
    ];
    return { count: this.#length, time, open, high, low, close, volume };
  }

  /** As it was sent. */
  row(index: number): Partial<Record<ColumnName, number | null>> {
    const row: Partial<Record<ColumnName, number | null>> = {};
    for (const name of COLUMN_NAMES) {
      const value = this.#columns[name][index] as number;
      if (!Number.isNaN(value)) row[name] = value;
    }
    return row;
  }

  #row(): boolean {
    if (!this.#take(OPEN_BRACE)) return false;
    const row = this.#length;
    let seen = 0;
    this.#columns.volume[row] = Number.NaN;
    do {
      this.#skipSpaces();
      const entry = this.#name();
      if (entry === undefined || (seen & (1 << entry.column)) !== 0) return false;
      seen |= 1 << entry.column;
      this.#skipSpaces();
      if (!this.#take(COLON)) return false;
      this.#skipSpaces();
      const value = this.#number();
      if (Number.isNaN(value) && !(entry.name === 'volume' && this.#follows(NULL))) return false;
      this.#columns[entry.name][row] = value;
      this.#skipSpaces();
    } while (this.#take(COMMA));
    this.#length += 1;
    return this.#take(CLOSE_BRACE) && (seen & WITHOUT_VOLUME) === WITHOUT_VOLUME;
  }

  #name(): { readonly name: ColumnName; readonly column: number } | undefined {
    if (!this.#take(QUOTE)) return undefined;
    const entry = NAMES.get(this.#bytes[this.#at] as number);
    this.#at += 1;
    return entry !== undefined && this.#follows(entry.rest) ? entry : undefined;
  }

  /** NaN, and the place unchanged, when there is none that JSON allows or that is too long for here. */
  #number(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at += 1;
    const first = at;
    let whole = 0;
    for (; isDigit(bytes[at]); at += 1) whole = whole * 10 + ((bytes[at] as number) - ZERO);
    if (at === first || (bytes[first] === ZERO && at > first + 1)) return Number.NaN;
    let decimals = 0;
    if (bytes[at] === DOT) {
      const dot = at;
      for (at += 1; isDigit(bytes[at]); at += 1) whole = whole * 10 + ((bytes[at] as number) - ZERO);
      decimals = at - dot - 1;
      if (decimals === 0) return Number.NaN;
    }
    if (bytes[at] === LOWER_E || bytes[at] === UPPER_E) return Number.NaN;
    this.#at = at;
    const divisor = POWERS_OF_TEN[decimals];
    // Both exact, so that the quotient is the number nearest to the text, as JSON has it.
    const value = whole <= MOST_EXACT && divisor !== undefined ? whole / divisor : this.#slow(first, at);
    return isNegative ? -value : value;
  }

  #slow(from: number, to: number): number {
    const { buffer, byteOffset } = this.#bytes;
    const value = Number(Buffer.from(buffer, byteOffset + from, to - from).toString('latin1'));
    return Number.isFinite(value) ? value : Number.NaN;
  }

  #take(byte: number): boolean {
    if (this.#at >= this.#to || this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #follows(word: Uint8Array): boolean {
    for (let i = 0; i < word.length; i += 1) if (this.#bytes[this.#at + i] !== word[i]) return false;
    this.#at += word.length;
    return true;
  }

  #skipSpaces(): void {
    while ((this.#bytes[this.#at] as number) <= 0x20 && SPACES.has(this.#bytes[this.#at] as number)) this.#at += 1;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;
