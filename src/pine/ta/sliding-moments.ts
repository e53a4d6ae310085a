// Mean and variance of the last `length` values that are not na, in constant time and without losing digits.

import { ExactSum } from './exact-sum.ts';
import type { Kernel } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';

/** A value that leaves and had this many times the squares of all that stay may have swallowed them. */
const OUT_OF_PROPORTION = 1e12;

/** Squared distance of the mean from the origin, in variances, at which the origin moves: costs four digits of sixteen. */
const FAR = 1e4;

/**
 * Sums distances from an origin near the values, not the values: the squares of prices around 1e6 would swallow a
 * variance of 1e-6. When the window has moved far from its origin, the origin moves to the mean and the sums are made
 * anew; that takes a jump of a hundred deviations, so it does not happen often.
 */
export class SlidingMoments implements Kernel {
  /** The length of the last call. */
  length: number;
  private readonly name: string;
  private readonly longest: number;
  private readonly ring: NumberRing;
  private readonly distances = new ExactSum();
  private readonly squares = new ExactSum();
  /** What the distances are measured from. */
  origin = 0;
  /** How many values are in the window: `length`, or fewer while there are not so many. */
  size = 0;
  /** How many of the newest values are the same: a window of equal values has no variance, not what rounding left. */
  private sameInARow = 0;
  private savedSameInARow = 0;
  private savedOrigin = 0;
  private savedLength: number;
  private savedSize = 0;

  constructor(name: string, longest: number) {
    this.name = name;
    this.longest = fixedLength(name, longest);
    this.length = this.longest;
    this.savedLength = this.longest;
    this.ring = new NumberRing(name, this.longest);
  }

  /** True when the window is full. */
  next(value: number, length: number): boolean {
    if (length !== this.length) this.resize(length);
    if (Number.isFinite(value)) {
      // Worked out in any case: what happens for the first time makes a JavaScript engine throw fast code away.
      const longer = this.sameInARow + 1;
      this.sameInARow = value === this.ring.before(0) ? longer : 1;
      if (this.size === this.length) this.exchange(this.ring.at(this.size - 1), value);
      else {
        if (this.ring.pushed === 0) this.origin = value;
        this.ring.push(value);
        this.size++;
        this.count(value);
      }
    }
    return this.size === this.length;
  }

  mean(): number {
    return this.origin + this.shift();
  }

  /** Of the population, or of a sample when not biased; a sample of one value has none. */
  variance(biased: boolean): number {
    const variance = this.sameInARow >= this.size ? 0 : this.spread();
    return biased ? variance : (variance * this.size) / (this.size - 1);
  }

  /** How far the newest value lies from the mean; moves the origin near the values first. */
  distanceFromMean(): number {
    this.variance(true);
    return this.ring.at(0) - this.origin - this.shift();
  }

  /** The mean distance of the values from their mean; looks at each, as the mean is another on every bar. */
  meanDistance(): number {
    if (this.variance(true) === 0) return 0;
    const shift = this.shift();
    let distance = 0;
    for (let ago = 0; ago < this.size; ago++) distance += Math.abs(this.ring.at(ago) - this.origin - shift);
    return distance / this.size;
  }

  /** The mean distance from the origin. */
  shift(): number {
    return this.distances.value() / this.size;
  }

  /** The value given `ago` values before the newest. */
  at(ago: number): number {
    return this.ring.at(ago);
  }

  save(): void {
    this.ring.save();
    this.distances.save();
    this.squares.save();
    this.savedSameInARow = this.sameInARow;
    this.savedOrigin = this.origin;
    this.savedLength = this.length;
    this.savedSize = this.size;
  }

  restore(): void {
    this.ring.restore();
    this.distances.restore();
    this.squares.restore();
    this.sameInARow = this.savedSameInARow;
    this.origin = this.savedOrigin;
    this.length = this.savedLength;
    this.size = this.savedSize;
  }

  /** What `dropOldest` and `count` do, in one step. */
  private exchange(leaving: number, coming: number): void {
    const less = leaving - this.origin;
    const more = coming - this.origin;
    const square = more * more;
    this.distances.exchange(less, more);
    this.squares.exchange(less * less, square);
    this.ring.push(coming);
    if (!(less * less <= OUT_OF_PROPORTION * (this.squares.value() - square))) this.moveOrigin();
  }

  private dropOldest(): void {
    const distance = this.ring.at(--this.size) - this.origin;
    this.distances.add(-distance);
    this.squares.add(-distance * distance);
    if (this.size > 0 && !(distance * distance <= OUT_OF_PROPORTION * this.squares.value())) this.moveOrigin();
  }

  private count(value: number): void {
    const distance = value - this.origin;
    this.distances.add(distance);
    this.squares.add(distance * distance);
  }

  private resize(length: number): void {
    this.length = checkedLength(this.name, length, this.longest);
    const size = Math.min(this.length, this.ring.pushed);
    while (this.size > size) this.dropOldest();
    while (this.size < size) this.count(this.ring.at(this.size++));
  }

  private spread(): number {
    let shift = this.shift();
    let variance = this.squares.value() / this.size - shift * shift;
    if (shift * shift <= FAR * variance) return variance;
    this.moveOrigin();
    shift = this.shift();
    variance = this.squares.value() / this.size - shift * shift;
    return variance < 0 ? 0 : variance;
  }

  private moveOrigin(): void {
    const newest = this.ring.at(0);
    let distance = 0;
    for (let ago = 0; ago < this.size; ago++) distance += this.ring.at(ago) - newest;
    this.origin = newest + distance / this.size;
    this.distances.clear();
    this.squares.clear();
    for (let ago = 0; ago < this.size; ago++) this.count(this.ring.at(ago));
  }
}
