// Finds the long lists in a JSON text, and the commas at which each can be cut, without reading any value.

export interface LongList {
  /** Of its opening bracket, and of its closing one. */
  readonly start: number;
  readonly end: number;
  /** Commas between items, so far apart that each piece is worth a step. */
  readonly cuts: readonly number[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** 1 for every byte that opens, closes and parts nothing. */
const IS_PLAIN = new Uint8Array(256).fill(1);
for (const byte of [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) IS_PLAIN[byte] = 0;

export interface CutOptions {
  readonly pieceBytes: number;
  readonly maxDepth: number;
  /** In one piece, and in all that is left when the long lists are cut out: what is read in one go stays short. */
  readonly maxCommas: number;
}

/** A list of more items is long however few bytes it has: a column of zeros is one. */
const LONG_LIST_COMMAS = 1000;
/** Numbers may be so short that a piece has too many of them long before it has its bytes. */
const PIECES_PER_MOST_COMMAS = 4;
const UNFIT = 'Its brackets do not fit together. Check it with a JSON validator.';

/**
 * One pass over the bytes, in as many steps as the caller likes. What is open is kept by its level in flat arrays:
 * tens of thousands of rows are opened and closed.
 */
export class ListFinder {
  readonly found: LongList[] = [];
  readonly #bytes: Uint8Array;
  readonly #pieceBytes: number;
  readonly #maxDepth: number;
  readonly #maxCommas: number;
  /** The byte that closes it, and where it began. */
  readonly #closers: Uint8Array;
  readonly #starts: Int32Array;
  /** Of a list: the last place it may be cut at, or its start; of an object: past every text. */
  readonly #lastCuts: Int32Array;
  readonly #cuts: number[][];
  /** How many commas there were before its last cut, and before its start. */
  readonly #commasAtCut: Int32Array;
  readonly #commasAtStart: Int32Array;
  /** 1 with a long list inside: then that one is cut, and this one is not. */
  readonly #hasLong: Uint8Array;
  #level = -1;
  #at = 0;
  #commas = 0;
  #commasInLists = 0;
  #fault: string | undefined;

  constructor(bytes: Uint8Array, { pieceBytes, maxDepth, maxCommas }: CutOptions) {
    this.#bytes = bytes;
    this.#pieceBytes = pieceBytes;
    this.#maxDepth = maxDepth;
    this.#maxCommas = maxCommas;
    this.#closers = new Uint8Array(maxDepth);
    this.#starts = new Int32Array(maxDepth);
    this.#lastCuts = new Int32Array(maxDepth);
    this.#cuts = Array.from({ length: maxDepth }, () => []);
    this.#commasAtCut = new Int32Array(maxDepth);
    this.#commasAtStart = new Int32Array(maxDepth);
    this.#hasLong = new Uint8Array(maxDepth);
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Why the text cannot be read, in words; known for sure at the end. What else is wrong the pieces will tell. */
  get fault(): string | undefined {
    if (this.#fault !== undefined || !this.isDone) return this.#fault;
    if (this.#level !== -1) return UNFIT;
    return this.#commas - this.#commasInLists > this.#maxCommas ? this.#tooMany() : undefined;
  }

  #tooMany(): string {
    return `It has more than ${this.#maxCommas} values where a few belong. Send the fields of the documentation.`;
  }

  /** Goes on over about so many bytes, or to the first fault. */
  step(count: number): void {
    const bytes = this.#bytes;
    const until = Math.min(this.#at + count, bytes.length);
    const { length } = bytes;
    let at = this.#at;
    for (; at < until; at += 1) {
      const byte = bytes[at] as number;
      // Most bytes are digits and letters: one look is enough for them.
      if (IS_PLAIN[byte] === 1) continue;
      if (byte === QUOTE) {
        at += 1;
        while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
        continue;
      }
      if (byte === COMMA) this.#comma(at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#open(byte, at);
      else this.#close(byte, at);
      if (this.#fault !== undefined) return;
    }
    this.#at = at;
  }

  #comma(at: number): void {
    const level = this.#level;
    this.#commas += 1;
    if (level < 0 || !this.#isPiece(level, at)) return;
    this.#lastCuts[level] = at;
    this.#cuts[level]?.push(at);
    this.#endPiece(level);
  }

  #isPiece(level: number, at: number): boolean {
    if (at - (this.#lastCuts[level] as number) >= this.#pieceBytes) return true;
    const inPiece = this.#commas - (this.#commasAtCut[level] as number);
    return this.#closers[level] === CLOSE_BRACKET && inPiece >= this.#maxCommas / PIECES_PER_MOST_COMMAS;
  }

  /** With a long list inside it is not cut, and what is left of it counts as outside. */
  #endPiece(level: number): void {
    const inPiece = this.#commas - (this.#commasAtCut[level] as number);
    if (inPiece > this.#maxCommas && this.#hasLong[level] === 0) this.#fault = this.#tooMany();
    this.#commasAtCut[level] = this.#commas;
  }

  #open(byte: number, at: number): void {
    this.#level += 1;
    const level = this.#level;
    if (level >= this.#maxDepth) {
      this.#fault = `It is nested deeper than ${this.#maxDepth} levels. Send a flatter object.`;
      return;
    }
    const isList = byte === OPEN_BRACKET;
    this.#closers[level] = isList ? CLOSE_BRACKET : CLOSE_BRACE;
    this.#starts[level] = at;
    this.#lastCuts[level] = isList ? at : this.#bytes.length;
    this.#commasAtCut[level] = this.#commas;
    this.#commasAtStart[level] = this.#commas;
    this.#hasLong[level] = 0;
    if (this.#cuts[level]?.length !== 0) this.#cuts[level] = [];
  }

  #close(byte: number, at: number): void {
    const level = this.#level;
    if (level < 0 || this.#closers[level] !== byte) {
      this.#fault = UNFIT;
      return;
    }
    const start = this.#starts[level] as number;
    const commas = this.#commas - (this.#commasAtStart[level] as number);
    const isLong = at - start >= this.#pieceBytes || commas >= LONG_LIST_COMMAS;
    if (byte === CLOSE_BRACKET && this.#hasLong[level] === 0 && isLong) {
      this.#endPiece(level);
      this.#commasInLists += commas;
      this.found.push({ start, end: at, cuts: this.#cuts[level] ?? [] });
      // The found one keeps its own.
      this.#cuts[level] = [];
      this.#hasLong[level] = 1;
    }
    this.#level = level - 1;
    if (this.#hasLong[level] === 1 && level > 0) this.#hasLong[level - 1] = 1;
  }
}
