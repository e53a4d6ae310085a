// The last `length` values that are not na, always in order of size: what medians, percentiles and ranks are read from.

import type { Kernel } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';

/** Moves of more values than this are left to the memory move of the machine, which starts slower and runs faster. */
const BY_HAND = 48;

/**
 * A sorted array. The place of a value is a binary search; a new value replaces the one that leaves by moving only the
 * values between their two places, one memory move: at the lengths scripts use that beats every tree.
 */
export class SortedWindow implements Kernel {
  /** The values in order; only the first `size` count. */
  readonly sorted: Float64Array;
  size = 0;
  /** The length of the last call. */
  length: number;
  /** What the last `next` took out of a full window; na when it took nothing. */
  left = Number.NaN;
  protected readonly name: string;
  protected readonly longest: number;
  protected readonly ring: NumberRing;
  protected live = false;
  /** Pairs of what came in and what went out since the save; na where nothing did. */
  protected readonly steps: number[] = [];
  private savedLength: number;

  constructor(name: string, longest: number) {
    this.name = name;
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    this.savedLength = this.longest;
    this.ring = new NumberRing(name, this.longest);
    this.sorted = new Float64Array(this.longest);
  }

  /** True when the window is full. An na changes nothing. */
  next(value: number, length: number): boolean {
    if (length !== this.length) this.resize(length);
    this.left = Number.NaN;
    if (!Number.isNaN(value)) {
      if (this.size === this.length) {
        this.left = this.ring.at(this.size - 1);
        this.replace(this.left, value);
      } else this.insert(value);
      if (this.live) this.steps.push(value, this.left);
      this.ring.push(value);
    }
    return this.size === this.length;
  }

  /** How many values in the window are smaller. */
  countBelow(value: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many values in the window are smaller or equal. */
  countUpTo(value: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  save(): void {
    this.live = true;
    this.ring.save();
    this.savedLength = this.length;
    this.steps.length = 0;
  }

  restore(): void {
    const { steps } = this;
    for (let i = steps.length - 2; i >= 0; i -= 2) {
      if (!Number.isNaN(steps[i])) this.remove(steps[i]!);
      if (!Number.isNaN(steps[i + 1])) this.insert(steps[i + 1]!);
    }
    steps.length = 0;
    this.length = this.savedLength;
    this.ring.restore();
  }

  private resize(length: number): void {
    this.length = checkedLength(this.name, length, this.longest);
    const size = Math.min(this.length, this.ring.pushed);
    while (this.size > size) {
      const oldest = this.ring.at(this.size - 1);
      this.remove(oldest);
      if (this.live) this.steps.push(Number.NaN, oldest);
    }
    while (this.size < size) {
      const older = this.ring.at(this.size);
      this.insert(older);
      if (this.live) this.steps.push(older, Number.NaN);
    }
  }

  private insert(value: number): void {
    const place = this.countUpTo(value);
    this.sorted.copyWithin(place + 1, place, this.size++);
    this.sorted[place] = value;
  }

  private remove(value: number): void {
    const place = this.countBelow(value);
    this.sorted.copyWithin(place, place + 1, this.size--);
  }

  private replace(old: number, value: number): void {
    const { sorted } = this;
    let from = this.countBelow(old);
    let to = this.countBelow(value);
    if (to > from) to--;
    if (Math.abs(to - from) > BY_HAND) {
      if (from < to) sorted.copyWithin(from, from + 1, to + 1);
      else sorted.copyWithin(to + 1, to, from);
    } else {
      for (; from < to; from++) sorted[from] = sorted[from + 1]!;
      for (; from > to; from--) sorted[from] = sorted[from - 1]!;
    }
    sorted[to] = value;
  }
}
