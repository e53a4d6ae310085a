// Spread and relation of the values in a window: variance, stdev, dev and correlation.

import { ExactSum } from './exact-sum.ts';
import { type Kernel, LONGEST_SERIES_LENGTH } from './kernel.ts';
import { SlidingMoments } from './sliding-moments.ts';

/** ta.variance. Inputs: source, length, biased (boolean; true for the whole population). Ignores na. */
export class Variance implements Kernel {
  private readonly moments: SlidingMoments;

  constructor(longest: number = LONGEST_SERIES_LENGTH, name = 'variance') {
    this.moments = new SlidingMoments(name, longest);
  }

  next(source: number, length: number, biased: boolean): number {
    return this.moments.next(source, length) ? this.moments.variance(biased) : Number.NaN;
  }

  save(): void {
    this.moments.save();
  }

  restore(): void {
    this.moments.restore();
  }
}

/** ta.stdev. Inputs: source, length, biased (boolean). Ignores na. */
export class Stdev implements Kernel {
  private readonly moments: SlidingMoments;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.moments = new SlidingMoments('stdev', longest);
  }

  next(source: number, length: number, biased: boolean): number {
    return this.moments.next(source, length) ? Math.sqrt(this.moments.variance(biased)) : Number.NaN;
  }

  save(): void {
    this.moments.save();
  }

  restore(): void {
    this.moments.restore();
  }
}

/** ta.dev. Inputs: source, length. The mean distance from the sma; ignores na. */
export class Dev implements Kernel {
  private readonly moments: SlidingMoments;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.moments = new SlidingMoments('dev', longest);
  }

  next(source: number, length: number): number {
    return this.moments.next(source, length) ? this.moments.meanDistance() : Number.NaN;
  }

  save(): void {
    this.moments.save();
  }

  restore(): void {
    this.moments.restore();
  }
}

/** ta.correlation. Inputs: source1, source2, length. Ignores pairs with an na; na where one of the two stands still. */
export class Correlation implements Kernel {
  private readonly first: SlidingMoments;
  private readonly second: SlidingMoments;
  /** Σ of the products of both distances, measured from the two origins below. */
  private readonly products = new ExactSum();
  private firstOrigin = 0;
  private secondOrigin = 0;
  private length = 0;
  private size = 0;
  private savedFirstOrigin = 0;
  private savedSecondOrigin = 0;
  private savedLength = 0;
  private savedSize = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.first = new SlidingMoments('correlation', longest);
    this.second = new SlidingMoments('correlation', longest);
  }

  next(source1: number, source2: number, length: number): number {
    const difference = source1 - source2;
    const known = Number.isFinite(difference);
    // An na of one is an na of both: the windows must hold the same bars.
    const isFull = this.first.next(known ? source1 : Number.NaN, length);
    this.second.next(known ? source2 : Number.NaN, length);
    if (this.first.length !== this.length) this.multiplyAgain();
    else if (known) this.slide();
    return isFull ? this.coefficient() : Number.NaN;
  }

  save(): void {
    this.first.save();
    this.second.save();
    this.products.save();
    this.savedFirstOrigin = this.firstOrigin;
    this.savedSecondOrigin = this.secondOrigin;
    this.savedLength = this.length;
    this.savedSize = this.size;
  }

  restore(): void {
    this.first.restore();
    this.second.restore();
    this.products.restore();
    this.firstOrigin = this.savedFirstOrigin;
    this.secondOrigin = this.savedSecondOrigin;
    this.length = this.savedLength;
    this.size = this.savedSize;
  }

  private coefficient(): number {
    const spread = this.first.variance(true) * this.second.variance(true);
    // What stands still goes along with nothing, whatever rounding left in the products.
    if (spread === 0) return Number.NaN;
    const moved = this.first.origin !== this.firstOrigin || this.second.origin !== this.secondOrigin;
    // An overflow would else stay in the sum for ever.
    if (moved || !Number.isFinite(this.products.value())) this.multiplyAgain();
    const covariance = this.products.value() / this.size - this.first.shift() * this.second.shift();
    return covariance / Math.sqrt(spread);
  }

  private product(ago: number): number {
    return (this.first.at(ago) - this.firstOrigin) * (this.second.at(ago) - this.secondOrigin);
  }

  private slide(): void {
    if (this.size === this.length) this.products.add(-this.product(this.length));
    else this.size++;
    this.products.add(this.product(0));
  }

  private multiplyAgain(): void {
    this.length = this.first.length;
    this.size = this.first.size;
    this.firstOrigin = this.first.origin;
    this.secondOrigin = this.second.origin;
    this.products.clear();
    for (let ago = 0; ago < this.size; ago++) this.products.add(this.product(ago));
  }
}
