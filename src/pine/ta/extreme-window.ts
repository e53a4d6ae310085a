// The highest value of the last `length` calls and where it stands, for any length up to the longest.

import type { Kernel } from './kernel.ts';
import { checkedLength, fixedLength, ringCapacity } from './length.ts';

/** +1 looks for the highest value, -1 for the lowest. */
export type Direction = 1 | -1;

/** Which of several equal extremes counts. */
export type Ties = 'oldest' | 'newest';

/**
 * A monotonic queue: a value behind which a higher one came can never be the highest again and is dropped, so the
 * values that are left fall from old to new. The first of them inside a window is the window's highest: the front for
 * the longest window, a binary search for shorter ones.
 *
 * An na empties the queue: it beats whatever came before it and is beaten by whatever comes after. So TradingView's
 * charts show it, though its manual says that an na is ignored.
 */
export class ExtremeWindow implements Kernel {
  /** Offset of the extreme found by the last call: 0 for the newest value, -1 for the one before; na before there are enough. */
  offset = Number.NaN;
  /** How many values were ever given. */
  count = 0;
  private readonly name: string;
  private readonly direction: number;
  private readonly dropsEqual: boolean;
  private readonly longest: number;
  private readonly mask: number;
  private readonly values: Float64Array;
  private readonly positions: Float64Array;
  private length: number;
  private head = 0;
  private tail = 0;
  private live = false;
  private savedCount = 0;
  private savedHead = 0;
  private savedTail = 0;
  /** Triples of slot, value and position that were overwritten since the save. */
  private readonly overwritten: number[] = [];

  constructor(name: string, longest: number, direction: Direction, ties: Ties = 'oldest') {
    this.name = name;
    this.direction = direction;
    this.dropsEqual = ties === 'newest';
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    const capacity = ringCapacity(this.longest);
    this.mask = capacity - 1;
    this.values = new Float64Array(capacity);
    this.positions = new Float64Array(capacity);
  }

  /** Takes the value; the extreme of the last `length` ones, or na while there are not so many. */
  next(value: number, length: number): number {
    this.push(value);
    if (length !== this.length) this.length = checkedLength(this.name, length, this.longest);
    return this.extreme(this.length);
  }

  push(value: number): void {
    const position = this.count++;
    if (this.head < this.tail && this.positions[this.head & this.mask]! <= position - this.longest) this.head++;
    const signed = this.direction * value;
    if (Number.isNaN(signed)) {
      this.head = this.tail;
      return;
    }
    while (this.tail > this.head && this.isBeaten(this.values[(this.tail - 1) & this.mask]!, signed)) this.tail--;
    const slot = this.tail & this.mask;
    if (this.live) this.overwritten.push(slot, this.values[slot]!, this.positions[slot]!);
    this.values[slot] = signed;
    this.positions[slot] = position;
    this.tail++;
  }

  /** The extreme of the last `length` values; a whole length between 1 and the longest. */
  extreme(length: number): number {
    this.offset = Number.NaN;
    if (this.count < length) return Number.NaN;
    const at = length === this.longest ? this.head : this.firstFrom(this.count - length);
    if (at === this.tail) {
      this.offset = 0;
      return Number.NaN;
    }
    this.offset = this.positions[at & this.mask]! - this.count + 1;
    return this.direction * this.values[at & this.mask]!;
  }

  save(): void {
    this.live = true;
    this.savedCount = this.count;
    this.savedHead = this.head;
    this.savedTail = this.tail;
    this.overwritten.length = 0;
  }

  restore(): void {
    const { overwritten } = this;
    for (let i = overwritten.length - 3; i >= 0; i -= 3) {
      const slot = overwritten[i]!;
      this.values[slot] = overwritten[i + 1]!;
      this.positions[slot] = overwritten[i + 2]!;
    }
    overwritten.length = 0;
    this.count = this.savedCount;
    this.head = this.savedHead;
    this.tail = this.savedTail;
  }

  private isBeaten(old: number, signed: number): boolean {
    return old < signed || (this.dropsEqual && old === signed);
  }

  private firstFrom(position: number): number {
    let low = this.head;
    let high = this.tail;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.positions[middle & this.mask]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
