// The sum of the last `length` values that are not na, in constant time per call for any number of calls.

import { ExactSum, LARGE, mayHaveSwallowed } from './exact-sum.ts';
import type { Kernel } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';

export class SlidingSum implements Kernel {
  /** The length of the last call. */
  length: number;
  private readonly name: string;
  private readonly longest: number;
  private readonly ring: NumberRing;
  private readonly sum = new ExactSum();
  /** How many of the newest values are in the sum: `length`, or fewer while there are not so many. */
  private size = 0;
  /** How many of them are not zero: a window of zeros has the sum zero, not what rounding left. */
  private nonZero = 0;
  private isStale = false;
  private savedLength: number;
  private savedSize = 0;
  private savedNonZero = 0;

  constructor(name: string, longest: number) {
    this.name = name;
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    this.savedLength = this.longest;
    this.ring = new NumberRing(name, this.longest);
  }

  next(value: number, length: number): number {
    if (length !== this.length) this.resize(length);
    if (!Number.isFinite(value)) return this.size === this.length ? this.total() : Number.NaN;
    if (this.size === this.length) this.exchange(this.ring.at(this.size - 1), value);
    else this.take(value);
    this.ring.push(value);
    return this.size === this.length ? this.total() : Number.NaN;
  }

  save(): void {
    this.ring.save();
    this.sum.save();
    this.savedLength = this.length;
    this.savedSize = this.size;
    this.savedNonZero = this.nonZero;
  }

  restore(): void {
    this.ring.restore();
    this.sum.restore();
    this.length = this.savedLength;
    this.size = this.savedSize;
    this.nonZero = this.savedNonZero;
  }

  private exchange(leaving: number, coming: number): void {
    if (leaving !== 0 && coming !== 0 && Math.abs(leaving) < LARGE) {
      this.sum.exchange(leaving, coming);
      return;
    }
    this.size--;
    this.drop(leaving);
    this.take(coming);
  }

  private take(value: number): void {
    this.size++;
    if (value === 0) return;
    this.nonZero++;
    this.sum.add(value);
  }

  private drop(value: number): void {
    if (value === 0) return;
    if (--this.nonZero === 0) this.sum.clear();
    else this.sum.add(-value);
    if (mayHaveSwallowed(value, this.ring.at(0))) this.isStale = true;
  }

  private total(): number {
    const total = this.sum.value();
    return this.isStale || !Number.isFinite(total) ? this.addUpAgain() : total;
  }

  /** Only after a number that is out of all proportion, or an overflow: both would else stay in the sum for ever. */
  private addUpAgain(): number {
    this.isStale = false;
    this.sum.clear();
    for (let ago = this.size - 1; ago >= 0; ago--) this.sum.add(this.ring.at(ago));
    return this.sum.value();
  }

  /** Moves the old end of the window only, so that a length that changes a little costs a little. */
  private resize(length: number): void {
    this.length = checkedLength(this.name, length, this.longest);
    const size = Math.min(this.length, this.ring.pushed);
    while (this.size > size) this.drop(this.ring.at(--this.size));
    while (this.size < size) this.take(this.ring.at(this.size));
    if (this.isStale) this.addUpAgain();
  }
}
