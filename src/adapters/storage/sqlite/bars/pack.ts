// A pack: 256 slots of one timeframe as plain numbers, so that fifty thousand bars are two hundred rows, not fifty thousand.

import { crc32 } from 'node:zlib';
import type { Bar } from '../../../../market-data/price-source.ts';

/** A closed minute rewrites its pack, so a pack stays small (12 KiB). */
export const SLOTS_A_PACK = 256;
/** Time, open, high, low, close, volume. */
const FIELDS = 6;
const PACK_BYTES = SLOTS_A_PACK * FIELDS * Float64Array.BYTES_PER_ELEMENT;
/** In place of a bar's time. */
const UNKNOWN = Number.NaN;
const NO_BAR = -1;

export class Pack {
  readonly #numbers: Float64Array;

  private constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  static empty(): Pack {
    return new Pack(new Float64Array(SLOTS_A_PACK * FIELDS).fill(UNKNOWN));
  }

  /** Undefined when the bytes are not those that were written. */
  static read(bytes: Uint8Array, checksum: number): Pack | undefined {
    if (bytes.length !== PACK_BYTES || crc32(bytes) !== checksum) return undefined;
    // A copy, because a view of numbers has to start at a multiple of eight.
    return new Pack(new Float64Array(bytes.slice().buffer));
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#numbers.buffer);
  }

  get checksum(): number {
    return crc32(this.bytes);
  }

  isKnown(slot: number): boolean {
    return !Number.isNaN(this.#numbers[slot * FIELDS] as number);
  }

  /** Undefined where there is no bar, or nothing is known. */
  bar(slot: number): Bar | undefined {
    const at = slot * FIELDS;
    const [time, open, high, low, close, volume] = this.#numbers.subarray(at, at + FIELDS) as unknown as number[];
    if (!((time as number) >= 0)) return undefined;
    return { time, open, high, low, close, volume } as Bar;
  }

  /** Undefined says that there is no bar. */
  set(slot: number, bar: Bar | undefined): void {
    const at = slot * FIELDS;
    this.#numbers.fill(NO_BAR, at, at + FIELDS);
    if (bar !== undefined) this.#numbers.set([bar.time, bar.open, bar.high, bar.low, bar.close, bar.volume], at);
  }
}
