// The plain and the linearly weighted sum of the last `length` values that are not na, in constant time per call.

import { ExactSum, mayHaveSwallowed } from './exact-sum.ts';
import type { Kernel } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';

/** Weights are 1 for the oldest value up to `length` for the newest. All weights fall by one when the oldest leaves. */
export class SlidingWeightedSum implements Kernel {
  /** The length of the last call. */
  length: number;
  /** Both sums as of the last call that returned true. */
  sum = Number.NaN;
  weighted = Number.NaN;
  private readonly name: string;
  private readonly longest: number;
  private readonly ring: NumberRing;
  private readonly plainSum = new ExactSum();
  private readonly weightedSum = new ExactSum();
  private size = 0;
  private isStale = false;
  private savedLength: number;
  private savedSize = 0;

  constructor(name: string, longest: number) {
    this.name = name;
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    this.savedLength = this.longest;
    this.ring = new NumberRing(name, this.longest);
  }

  /** True when the window is full; `sum` and `weighted` are those of the window then. */
  next(value: number, length: number): boolean {
    if (length !== this.length) this.resize(length);
    if (Number.isFinite(value)) {
      if (this.size === this.length) this.dropOldest();
      this.size++;
      this.plainSum.add(value);
      this.weightedSum.addProduct(this.size, value);
      this.ring.push(value);
      if (this.ring.endsRounds()) this.isStale = true;
    }
    if (this.size < this.length) return false;
    this.weighted = this.weightedSum.value();
    if (this.isStale || !Number.isFinite(this.weighted)) this.addUpAgain();
    this.sum = this.plainSum.value();
    return true;
  }

  save(): void {
    this.ring.save();
    this.plainSum.save();
    this.weightedSum.save();
    this.savedLength = this.length;
    this.savedSize = this.size;
  }

  restore(): void {
    this.ring.restore();
    this.plainSum.restore();
    this.weightedSum.restore();
    this.length = this.savedLength;
    this.size = this.savedSize;
  }

  private dropOldest(): void {
    this.weightedSum.subtractAll(this.plainSum);
    const oldest = this.ring.at(--this.size);
    this.plainSum.add(-oldest);
    if (mayHaveSwallowed(oldest, this.ring.at(0))) this.isStale = true;
  }

  private takeOlder(): void {
    this.plainSum.add(this.ring.at(this.size++));
    this.weightedSum.addAll(this.plainSum);
  }

  private resize(length: number): void {
    this.length = checkedLength(this.name, length, this.longest);
    const size = Math.min(this.length, this.ring.pushed);
    while (this.size > size) this.dropOldest();
    while (this.size < size) this.takeOlder();
    if (this.isStale) this.addUpAgain();
  }

  /**
   * After a number that is out of all proportion, or an overflow: both would else stay in the sums for ever. And once in
   * a while, since an error of the plain sum goes into the weighted one with every bar.
   */
  private addUpAgain(): void {
    this.isStale = false;
    this.plainSum.clear();
    this.weightedSum.clear();
    for (let ago = this.size - 1; ago >= 0; ago--) {
      this.plainSum.add(this.ring.at(ago));
      this.weightedSum.addProduct(this.size - ago, this.ring.at(ago));
    }
    this.weighted = this.weightedSum.value();
  }
}
