// Collects texts and numbers as bytes of UTF-8, without a string for each of them on the way.

import { MAX_NUMBER_BYTES, writeNumber } from './number-text.ts';

const FIRST_BYTES = 64 * 1024;
const GROWTH = 1.5;
/** UTF-8 takes three bytes at most for a unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity = FIRST_BYTES) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    this.#makeRoom(text.length * MAX_BYTES_PER_UNIT);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** One letter of ASCII by its code. */
  letter(code: number): void {
    this.#makeRoom(1);
    this.#bytes[this.#length] = code;
    this.#length += 1;
  }

  /** A number of a column. */
  number(column: Float64Array, index: number): void {
    this.#makeRoom(MAX_NUMBER_BYTES);
    this.#length = writeNumber(column, index, this.#bytes, this.#length);
  }

  /** What was written from one place to another, once more. */
  again(from: number, to: number): void {
    this.#makeRoom(to - from);
    this.#bytes.copyWithin(this.#length, from, to);
    this.#length += to - from;
  }

  /** Everything written; nothing may be written afterwards. */
  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes > this.#bytes.length) this.#grow(this.#length + bytes);
  }

  /** The old memory is given back at once: as garbage it would be thrice the answer, and bring a collection for each run. */
  #grow(needed: number): void {
    const size = Math.ceil(Math.max(needed, this.#bytes.length * GROWTH));
    this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size));
  }
}
