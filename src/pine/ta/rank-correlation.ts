// The rank correlation index: how well the order of the values follows their order in time.

import { type Kernel, TOLERANCE } from './kernel.ts';
import { fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';

/**
 * ta.rci. Inputs: source. Spearman's correlation of the values' ranks with their order in time, times 100; values
 * that comparisons take for equal share the mean of their ranks. All sums are whole numbers, hence exact. As TradingView's charts show it:
 * - it begins one call after the window is full, and is na where all values are equal;
 * - on na it stays what it was, and in the place of the na stands the value of `length + 1` calls before, or 0 where
 *   there is none: what a ring of one more value than the length holds when na is not written to it.
 *
 * A new value moves the ranks of those values only that lie between it and the one that leaves. In order of size they
 * stand in a row, so the window keeps the values sorted and beside each the number of the call that brought it.
 */
export class Rci implements Kernel {
  private readonly length: number;
  private readonly ring: NumberRing;
  private readonly sorted: Float64Array;
  private readonly calls: Float64Array;
  private size = 0;
  /** Σ time · twice the rank, times from 1 for the oldest value. */
  private timesRanks = 0;
  /** Σ (n³ − n) over the groups of n equal values. */
  private ties = 0;
  private result = Number.NaN;
  private live = false;
  /** Pairs of what came in and what went out since the save; na where nothing did. */
  private readonly steps: number[] = [];
  private savedTimesRanks = 0;
  private savedTies = 0;
  private savedResult = Number.NaN;

  constructor(length: number) {
    this.length = fixedLength('rci', length);
    this.ring = new NumberRing('rci', this.length);
    this.sorted = new Float64Array(this.length);
    this.calls = new Float64Array(this.length);
  }

  next(source: number): number {
    const isKnown = !Number.isNaN(source);
    this.take(isKnown ? source : this.stale());
    if (isKnown && this.ring.pushed > this.length) this.result = this.coefficient();
    return this.result;
  }

  save(): void {
    this.live = true;
    this.ring.save();
    this.steps.length = 0;
    this.savedTimesRanks = this.timesRanks;
    this.savedTies = this.ties;
    this.savedResult = this.result;
  }

  restore(): void {
    let newest = this.ring.pushed - 1;
    for (let i = this.steps.length - 2; i >= 0; i -= 2, newest--) {
      this.remove(this.countUpTo(this.steps[i]!) - 1);
      const left = this.steps[i + 1]!;
      if (!Number.isNaN(left)) this.insert(this.countBelow(left), left, newest - this.length);
    }
    this.steps.length = 0;
    this.ring.restore();
    this.timesRanks = this.savedTimesRanks;
    this.ties = this.savedTies;
    this.result = this.savedResult;
  }

  /** What stands where na is not written. */
  private stale(): number {
    return this.ring.pushed > this.length ? this.ring.at(this.length) : 0;
  }

  private take(value: number): void {
    const source = this.asKept(value);
    const isFull = this.size === this.length;
    const oldest = isFull ? this.ring.at(this.length - 1) : Number.NaN;
    if (isFull) this.drop(oldest, source);
    this.ties += grown(this.countUpTo(source) - this.countBelow(source));
    // Equal values stand in the order of their calls: the oldest goes first and the newest comes last.
    this.insert(this.countUpTo(source), source, this.ring.pushed);
    if (this.live) this.steps.push(source, oldest);
    this.ring.push(source);
    if (isFull) this.timesRanks += this.length * this.doubleRank(source);
    else if (this.size === this.length) this.rankAll();
  }

  /** The value of the window that this one is equal to, so that ties are ties exactly; else the value itself. */
  private asKept(value: number): number {
    const place = this.countBelow(value - TOLERANCE);
    return place < this.size && this.sorted[place]! - value <= TOLERANCE ? this.sorted[place]! : value;
  }

  /** Everyone's time falls by one, and the ranks between what leaves and what comes move up or down. */
  private drop(oldest: number, source: number): void {
    const start = this.countBelow(oldest);
    const end = this.countUpTo(oldest);
    const from = this.countBelow(source);
    const to = this.countUpTo(source);
    let moved = 0;
    if (source > oldest) moved = -this.times(start + 1, end) - 2 * this.times(end, from) - this.times(from, to);
    else if (source < oldest) moved = this.times(from, to) + 2 * this.times(to, start) + this.times(start + 1, end);
    this.timesRanks += moved - this.length * (this.length + 1);
    this.ties -= grown(end - start - 1);
    this.remove(start);
  }

  /** Σ of the times these will have when the new value is in: from 1 up to one less than the length. */
  private times(from: number, to: number): number {
    if (from >= to) return 0;
    let sum = 0;
    for (let i = from; i < to; i++) sum += this.calls[i]!;
    return sum - (to - from) * (this.ring.pushed - this.length);
  }

  private rankAll(): void {
    this.timesRanks = 0;
    for (let ago = 0; ago < this.length; ago++)
      this.timesRanks += (this.length - ago) * this.doubleRank(this.ring.at(ago));
  }

  /** The two roots are taken one by one, as TradingView does: a perfect order is 99.99999999999999 for some lengths. */
  private coefficient(): number {
    const n = this.length;
    const cube = n * (n * n - 1);
    const covariance = (this.timesRanks / 2 - (n * (n + 1) * (n + 1)) / 4) / n;
    return (100 * covariance) / (Math.sqrt(cube / (12 * n)) * Math.sqrt((cube - this.ties) / (12 * n)));
  }

  private doubleRank(value: number): number {
    return this.countBelow(value) + this.countUpTo(value) + 1;
  }

  private countBelow(value: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private countUpTo(value: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sorted[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private insert(place: number, value: number, call: number): void {
    this.sorted.copyWithin(place + 1, place, this.size);
    this.calls.copyWithin(place + 1, place, this.size);
    this.sorted[place] = value;
    this.calls[place] = call;
    this.size++;
  }

  private remove(place: number): void {
    this.sorted.copyWithin(place, place + 1, this.size);
    this.calls.copyWithin(place, place + 1, this.size);
    this.size--;
  }
}

/** What n³ − n grows by when a group of `count` equal values gets one more. */
const grown = (count: number): number => 3 * count * (count + 1);
