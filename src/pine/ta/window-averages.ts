// The averages of a window: sma, wma, hma, vwma, swma, alma, and the sum and regression line that go with them.

import { type Kernel, LONGEST_SERIES_LENGTH } from './kernel.ts';
import { checkedLength, fixedLength } from './length.ts';
import { NumberRing } from './number-ring.ts';
import { SlidingSum } from './sliding-sum.ts';
import { SlidingWeightedSum } from './sliding-weighted-sum.ts';

/** math.sum. Inputs: source, length. Ignores na. */
export class Sum extends SlidingSum {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('sum', longest);
  }
}

/** ta.sma. Inputs: source, length. Ignores na. */
export class Sma implements Kernel {
  private readonly sum: SlidingSum;

  constructor(longest: number = LONGEST_SERIES_LENGTH, name = 'sma') {
    this.sum = new SlidingSum(name, longest);
  }

  next(source: number, length: number): number {
    return this.sum.next(source, length) / this.sum.length;
  }

  save(): void {
    this.sum.save();
  }

  restore(): void {
    this.sum.restore();
  }
}

/**
 * ta.wma. Inputs: source, length. An na gives na, and stands in the window as the value before it; it begins with the
 * bar that has as many known values behind it as the window has bars.
 */
export class Wma implements Kernel {
  private readonly sums: SlidingWeightedSum;
  private last = Number.NaN;
  private known = 0;
  private savedLast = Number.NaN;
  private savedKnown = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH, name = 'wma') {
    this.sums = new SlidingWeightedSum(name, longest);
  }

  next(source: number, length: number): number {
    const isKnown = Number.isFinite(source);
    if (isKnown) {
      this.last = source;
      this.known++;
    }
    this.sums.next(this.last, length);
    const bars = this.sums.length;
    if (!isKnown || this.known < bars) return Number.NaN;
    return this.sums.weighted / ((bars * (bars + 1)) / 2);
  }

  save(): void {
    this.sums.save();
    this.savedLast = this.last;
    this.savedKnown = this.known;
  }

  restore(): void {
    this.sums.restore();
    this.last = this.savedLast;
    this.known = this.savedKnown;
  }
}

/** ta.hma. Inputs: source. Half of one bar is no length for its inner wma, which says so in its own name. */
export class Hma implements Kernel {
  private readonly length: number;
  private readonly half: number;
  private readonly root: number;
  private readonly fast: Wma;
  private readonly slow: Wma;
  private readonly smooth: Wma;

  constructor(length: number) {
    this.length = fixedLength('hma', length);
    this.half = Math.floor(this.length / 2);
    this.root = Math.floor(Math.sqrt(this.length));
    this.fast = new Wma(Math.max(this.half, 1));
    this.slow = new Wma(this.length, 'hma');
    this.smooth = new Wma(this.root, 'hma');
  }

  next(source: number): number {
    const ahead = 2 * this.fast.next(source, this.half) - this.slow.next(source, this.length);
    return this.smooth.next(ahead, this.root);
  }

  save(): void {
    this.fast.save();
    this.slow.save();
    this.smooth.save();
  }

  restore(): void {
    this.fast.restore();
    this.slow.restore();
    this.smooth.restore();
  }
}

/** ta.vwma. Inputs: source, volume of the chart, length. Ignores na; na where there was no volume. */
export class Vwma implements Kernel {
  private readonly weighted: SlidingSum;
  private readonly volumes: SlidingSum;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.weighted = new SlidingSum('vwma', longest);
    this.volumes = new SlidingSum('vwma', longest);
  }

  next(source: number, volume: number, length: number): number {
    const weighted = this.weighted.next(source * volume, length);
    const total = this.volumes.next(volume, length);
    return total === 0 ? Number.NaN : weighted / total;
  }

  save(): void {
    this.weighted.save();
    this.volumes.save();
  }

  restore(): void {
    this.weighted.restore();
    this.volumes.restore();
  }
}

/** ta.swma. Inputs: source. Four values weighted 1, 2, 2, 1; includes na. */
export class Swma implements Kernel {
  private first = Number.NaN;
  private second = Number.NaN;
  private third = Number.NaN;
  private savedFirst = Number.NaN;
  private savedSecond = Number.NaN;
  private savedThird = Number.NaN;

  next(source: number): number {
    const average = (this.third * 1) / 6 + (this.second * 2) / 6 + (this.first * 2) / 6 + (source * 1) / 6;
    this.third = this.second;
    this.second = this.first;
    this.first = source;
    return average;
  }

  save(): void {
    this.savedFirst = this.first;
    this.savedSecond = this.second;
    this.savedThird = this.third;
  }

  restore(): void {
    this.first = this.savedFirst;
    this.second = this.savedSecond;
    this.third = this.savedThird;
  }
}

/**
 * ta.alma. Inputs: source, length; offset, sigma and floor belong to the call site. Includes na. Its weights follow a
 * bell curve, which has no shorter way than to multiply each value by its own.
 */
export class Alma implements Kernel {
  private readonly longest: number;
  private readonly offset: number;
  private readonly sigma: number;
  private readonly floor: boolean;
  private readonly ring: NumberRing;
  private weights = new Float64Array(0);
  private norm = 0;
  private length = 0;
  private knownInARow = 0;
  private savedKnownInARow = 0;

  constructor(longest: number, offset: number, sigma: number, floor = false) {
    this.longest = fixedLength('alma', longest);
    this.offset = offset;
    this.sigma = sigma;
    this.floor = floor;
    this.ring = new NumberRing('alma', this.longest);
    this.weigh(this.longest);
  }

  next(source: number, length: number): number {
    if (length !== this.length) this.weigh(length);
    this.ring.push(source);
    this.knownInARow = Number.isNaN(source) ? 0 : this.knownInARow + 1;
    if (this.knownInARow < this.length) return Number.NaN;
    let sum = 0;
    for (let ago = 0; ago < this.length; ago++) sum += this.ring.at(ago) * this.weights[ago]!;
    return sum / this.norm;
  }

  save(): void {
    this.ring.save();
    this.savedKnownInARow = this.knownInARow;
  }

  restore(): void {
    this.ring.restore();
    this.knownInARow = this.savedKnownInARow;
  }

  /** `weights[0]` is that of the newest value. */
  private weigh(length: number): void {
    this.length = checkedLength('alma', length, this.longest);
    if (this.weights.length < this.length) this.weights = new Float64Array(this.length);
    const center = this.offset * (this.length - 1);
    const peak = this.floor ? Math.floor(center) : center;
    const width = this.length / this.sigma;
    this.norm = 0;
    for (let ago = 0; ago < this.length; ago++) {
      const distance = this.length - 1 - ago - peak;
      const weight = Math.exp(-(distance * distance) / (2 * width * width));
      this.weights[ago] = weight;
      this.norm += weight;
    }
  }
}

/**
 * ta.linreg. Inputs: source, length, offset. The least squares line of the window, read `offset` bars ago; includes na,
 * and is na for a window of one bar, through which no line is drawn.
 */
export class Linreg implements Kernel {
  private readonly sums: SlidingWeightedSum;
  private knownInARow = 0;
  private savedKnownInARow = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.sums = new SlidingWeightedSum('linreg', longest);
  }

  next(source: number, length: number, offset: number): number {
    const known = Number.isFinite(source);
    this.knownInARow = known ? this.knownInARow + 1 : 0;
    // An na takes its place in the window as a zero that no result is read from.
    this.sums.next(known ? source : 0, length);
    const bars = this.sums.length;
    if (this.knownInARow < bars) return Number.NaN;
    const { sum, weighted } = this.sums;
    const mean = sum / bars;
    if (bars === 1) return Number.NaN;
    // Σ(k − middle)·y over Σ(k − middle)², with k from 1 to the number of bars.
    const slope = (weighted - ((bars + 1) / 2) * sum) / ((bars * (bars * bars - 1)) / 12);
    return mean + slope * ((bars - 1) / 2 - offset);
  }

  save(): void {
    this.sums.save();
    this.savedKnownInARow = this.knownInARow;
  }

  restore(): void {
    this.sums.restore();
    this.knownInARow = this.savedKnownInARow;
  }
}
