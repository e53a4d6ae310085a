// Oscillators of a window: rsi, stoch, wpr, cci, cmo, mfi and the center of gravity.

import { ExtremeWindow } from './extreme-window.ts';
import { type Kernel, LONGEST_SERIES_LENGTH, TOLERANCE } from './kernel.ts';
import { Rma } from './recursive-averages.ts';
import { SlidingMoments } from './sliding-moments.ts';
import { SlidingSum } from './sliding-sum.ts';
import { SlidingWeightedSum } from './sliding-weighted-sum.ts';

/** ta.rsi. Inputs: source. A change from or to an na is na, and the averages pass over it. */
export class Rsi implements Kernel {
  private readonly gains: Rma;
  private readonly losses: Rma;
  private previous = Number.NaN;
  private savedPrevious = Number.NaN;

  constructor(length: number) {
    this.gains = new Rma(length, 'rsi');
    this.losses = new Rma(length, 'rsi');
  }

  next(source: number): number {
    const change = source - this.previous;
    this.previous = source;
    // The first change is na, and so is the larger of na and zero; an infinite one counts as na on both sides.
    const isKnown = Number.isFinite(change);
    const gain = this.gains.next(isKnown && change < 0 ? 0 : change);
    const loss = this.losses.next(isKnown && change > 0 ? 0 : -change);
    return loss === 0 ? 100 : 100 - 100 / (1 + gain / loss);
  }

  save(): void {
    this.gains.save();
    this.losses.save();
    this.savedPrevious = this.previous;
  }

  restore(): void {
    this.gains.restore();
    this.losses.restore();
    this.previous = this.savedPrevious;
  }
}

/** The highest high and the lowest low of the same window. */
class Channel implements Kernel {
  protected readonly highest: ExtremeWindow;
  protected readonly lowest: ExtremeWindow;

  constructor(name: string, longest: number) {
    this.highest = new ExtremeWindow(name, longest, 1);
    this.lowest = new ExtremeWindow(name, longest, -1);
  }

  save(): void {
    this.highest.save();
    this.lowest.save();
  }

  restore(): void {
    this.highest.restore();
    this.lowest.restore();
  }
}

/** ta.stoch. Inputs: source, high, low, length. Where the source stands in the channel; na when the channel is flat. */
export class Stoch extends Channel {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('stoch', longest);
  }

  next(source: number, high: number, low: number, length: number): number {
    const top = this.highest.next(high, length);
    const bottom = this.lowest.next(low, length);
    return top === bottom ? Number.NaN : (100 * (source - bottom)) / (top - bottom);
  }
}

/** ta.wpr. Inputs: high, low, close of the chart, length. From -100 at the bottom of the channel to 0 at its top. */
export class Wpr extends Channel {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('wpr', longest);
  }

  next(high: number, low: number, close: number, length: number): number {
    const top = this.highest.next(high, length);
    const bottom = this.lowest.next(low, length);
    return top === bottom ? Number.NaN : (100 * (close - top)) / (top - bottom);
  }
}

/** ta.cci. Inputs: source, length. Includes na, as `dev` does; na where all values of the window are equal. */
export class Cci implements Kernel {
  private readonly moments: SlidingMoments;
  private knownInARow = 0;
  private savedKnownInARow = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.moments = new SlidingMoments('cci', longest);
  }

  next(source: number, length: number): number {
    this.moments.next(source, length);
    this.knownInARow = Number.isFinite(source) ? this.knownInARow + 1 : 0;
    if (this.knownInARow < this.moments.length) return Number.NaN;
    const deviation = this.moments.meanDistance();
    return deviation === 0 ? Number.NaN : this.moments.distanceFromMean() / (0.015 * deviation);
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

/** Two sums over the same window and the value before, for the oscillators that part ups from downs. */
class UpsAndDowns implements Kernel {
  protected readonly ups: SlidingSum;
  protected readonly downs: SlidingSum;
  protected previous = Number.NaN;
  private savedPrevious = Number.NaN;

  constructor(name: string, longest: number) {
    this.ups = new SlidingSum(name, longest);
    this.downs = new SlidingSum(name, longest);
  }

  save(): void {
    this.ups.save();
    this.downs.save();
    this.savedPrevious = this.previous;
  }

  restore(): void {
    this.ups.restore();
    this.downs.restore();
    this.previous = this.savedPrevious;
  }
}

/**
 * ta.cmo. Inputs: source, length. Na where nothing moved. A change from or to an na is no rise, so it is a zero among the
 * rises; among the falls it is na, and passed over.
 */
export class Cmo extends UpsAndDowns {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('cmo', longest);
  }

  next(source: number, length: number): number {
    const change = source - this.previous;
    this.previous = source;
    const isUp = change >= -TOLERANCE;
    const up = this.ups.next(isUp ? change : 0, length);
    const down = this.downs.next(isUp ? 0 : -change, length);
    return up + down === 0 ? Number.NaN : (100 * (up - down)) / (up + down);
  }
}

/**
 * ta.mfi. Inputs: source, volume of the chart, length. A bar without a change, the first or one after an na, counts on
 * both sides. 100 where nothing fell, which counts where nothing moved too.
 */
export class Mfi extends UpsAndDowns {
  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    super('mfi', longest);
  }

  next(source: number, volume: number, length: number): number {
    const change = source - this.previous;
    this.previous = source;
    const flow = source * volume;
    const up = this.ups.next(change <= TOLERANCE ? flow * 0 : flow, length);
    const down = this.downs.next(change >= -TOLERANCE ? flow * 0 : flow, length);
    return down === 0 && !Number.isNaN(up) ? 100 : 100 - 100 / (1 + up / down);
  }
}

/** ta.cog. Inputs: source, length. Includes na; na where the sum is zero. */
export class Cog implements Kernel {
  private readonly sums: SlidingWeightedSum;
  private knownInARow = 0;
  private savedKnownInARow = 0;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.sums = new SlidingWeightedSum('cog', longest);
  }

  next(source: number, length: number): number {
    this.sums.next(source, length);
    this.knownInARow = Number.isFinite(source) ? this.knownInARow + 1 : 0;
    if (this.knownInARow < this.sums.length) return Number.NaN;
    const { sum, weighted } = this.sums;
    // Its weights run the other way: 1 for the newest value.
    return sum === 0 ? Number.NaN : weighted / sum - (this.sums.length + 1);
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
