// Spread and relation of the values in a window: variance, stdev, dev and correlation.

import { ExactSum } from './exact-sum.ts';
import { type Kernel, LONGEST_SERIES_LENGTH, TOLERANCE } from './kernel.ts';
import { SlidingMoments } from './sliding-moments.ts';
import { SlidingSum } from './sliding-sum.ts';

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

/** ta.dev. Inputs: source, length. The mean distance from the sma; includes na. */
export class Dev implements Kernel {
  private readonly moments: SlidingMoments;
  private knownInARow = 0;
  private savedKnownInARow = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.moments = new SlidingMoments('dev', longest);
  }

  next(source: number, length: number): number {
    this.moments.next(source, length);
    this.knownInARow = Number.isFinite(source) ? this.knownInARow + 1 : 0;
    return this.knownInARow < this.moments.length ? Number.NaN : this.moments.meanDistance();
  }

  save(): void {
    this.moments.save();
    this.savedKnownInARow = this.knownInARow;
  }

  restore(): void {
    this.moments.restore();
    this.knownInARow = this.savedKnownInARow;
  }
}

/**
 * ta.correlation. Inputs: source1, source2, length. 0 where one of the two stands still, or both move so little that
 * their covariance is within the tolerance of comparisons. The means and deviations of both and the mean of their products each ignore na on their own, as TradingView's do: over a gap in one of the two
 * they are of different bars, and the result may lie beyond one.
 */
export class Correlation implements Kernel {
  private readonly first: SlidingMoments;
  private readonly second: SlidingMoments;
  private readonly plainProducts: SlidingSum;
  /** Σ of the products of both distances, measured from the two origins below; kept only while there is no gap. */
  private readonly products = new ExactSum();
  private firstOrigin = 0;
  private secondOrigin = 0;
  /** How many bars the products are of; 0 where they are to be made anew. */
  private size = 0;
  private knownInARow = 0;
  private savedFirstOrigin = 0;
  private savedSecondOrigin = 0;
  private savedSize = 0;
  private savedKnownInARow = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.first = new SlidingMoments('correlation', longest);
    this.second = new SlidingMoments('correlation', longest);
    this.plainProducts = new SlidingSum('correlation', longest);
  }

  next(source1: number, source2: number, length: number): number {
    const isFull = this.first.next(source1, length);
    const isSecondFull = this.second.next(source2, length);
    const product = this.plainProducts.next(source1 * source2, length) / this.first.length;
    const isKnown = Number.isFinite(source1) && Number.isFinite(source2);
    this.knownInARow = isKnown ? this.knownInARow + 1 : 0;
    if (this.knownInARow < this.first.length) {
      this.size = 0;
      if (!isFull || !isSecondFull) return Number.NaN;
      return this.over(product - this.first.mean() * this.second.mean());
    }
    if (this.size === this.first.length) {
      this.products.add(-this.product(this.size));
      this.products.add(this.product(0));
    } else this.multiplyAgain();
    return this.coefficient();
  }

  save(): void {
    this.first.save();
    this.second.save();
    this.plainProducts.save();
    this.products.save();
    this.savedFirstOrigin = this.firstOrigin;
    this.savedSecondOrigin = this.secondOrigin;
    this.savedSize = this.size;
    this.savedKnownInARow = this.knownInARow;
  }

  restore(): void {
    this.first.restore();
    this.second.restore();
    this.plainProducts.restore();
    this.products.restore();
    this.firstOrigin = this.savedFirstOrigin;
    this.secondOrigin = this.savedSecondOrigin;
    this.size = this.savedSize;
    this.knownInARow = this.savedKnownInARow;
  }

  /** What stands still goes along with nothing, whatever rounding left in the products. */
  private over(covariance: number): number {
    const spread = this.first.variance(true) * this.second.variance(true);
    return spread === 0 || Math.abs(covariance) < TOLERANCE ? 0 : covariance / Math.sqrt(spread);
  }

  private coefficient(): number {
    if (this.first.variance(true) * this.second.variance(true) === 0) return 0;
    const moved = this.first.origin !== this.firstOrigin || this.second.origin !== this.secondOrigin;
    // An overflow would else stay in the sum for ever.
    if (moved || !Number.isFinite(this.products.value())) this.multiplyAgain();
    return this.over(this.products.value() / this.size - this.first.shift() * this.second.shift());
  }

  private product(ago: number): number {
    return (this.first.at(ago) - this.firstOrigin) * (this.second.at(ago) - this.secondOrigin);
  }

  private multiplyAgain(): void {
    this.size = this.first.length;
    this.firstOrigin = this.first.origin;
    this.secondOrigin = this.second.origin;
    this.products.clear();
    for (let ago = 0; ago < this.size; ago++) this.products.add(this.product(ago));
  }
}
