// The trend followers: directional movement, parabolic stop and reverse, supertrend.

import { Atr, trueRange } from './bands.ts';
import type { Kernel } from './kernel.ts';
import { Rma } from './recursive-averages.ts';

/**
 * ta.dmi. Inputs: high, low, previous high, low and close of the chart. `next` returns +DI; `second` is -DI, `third` the
 * ADX.
 */
export class Dmi implements Kernel {
  second = Number.NaN;
  third = Number.NaN;
  private readonly ups: Rma;
  private readonly downs: Rma;
  private readonly ranges: Rma;
  private readonly index: Rma;
  private plus = Number.NaN;
  private minus = Number.NaN;
  private savedPlus = Number.NaN;
  private savedMinus = Number.NaN;

  constructor(diLength: number, adxSmoothing: number) {
    this.ups = new Rma(diLength, 'dmi', 'diLength');
    this.downs = new Rma(diLength, 'dmi', 'diLength');
    this.ranges = new Rma(diLength, 'dmi', 'diLength');
    this.index = new Rma(adxSmoothing, 'dmi', 'adxSmoothing');
  }

  next(high: number, low: number, previousHigh: number, previousLow: number, previousClose: number): number {
    const up = high - previousHigh;
    const down = previousLow - low;
    const known = !Number.isNaN(up) && !Number.isNaN(down);
    const rise = this.ups.next(!known ? Number.NaN : up > down && up > 0 ? up : 0);
    const fall = this.downs.next(!known ? Number.NaN : down > up && down > 0 ? down : 0);
    const range = this.ranges.next(trueRange(high, low, previousClose, false));
    // A bar that has no answer, as one without any range, keeps the last.
    if (range !== 0 && !Number.isNaN(range) && !Number.isNaN(rise)) {
      this.plus = (100 * rise) / range;
      this.minus = (100 * fall) / range;
    }
    const sum = this.plus + this.minus;
    this.second = this.minus;
    this.third = 100 * this.index.next(Math.abs(this.plus - this.minus) / (sum === 0 ? 1 : sum));
    return this.plus;
  }

  save(): void {
    this.ups.save();
    this.downs.save();
    this.ranges.save();
    this.index.save();
    this.savedPlus = this.plus;
    this.savedMinus = this.minus;
  }

  restore(): void {
    this.ups.restore();
    this.downs.restore();
    this.ranges.restore();
    this.index.restore();
    this.plus = this.savedPlus;
    this.minus = this.savedMinus;
  }
}

/**
 * ta.sar. Inputs: the chart's bar index, high, low, close, those of the bar before, and high and low of two bars before.
 * It starts on the chart's second bar or never: a call that is skipped there stays na.
 */
export class Sar implements Kernel {
  private readonly start: number;
  private readonly increment: number;
  private readonly maximum: number;
  private stop = Number.NaN;
  /** The highest high of a rise, the lowest low of a fall. */
  private extreme = Number.NaN;
  private acceleration = Number.NaN;
  private isRise = false;
  private savedStop = Number.NaN;
  private savedExtreme = Number.NaN;
  private savedAcceleration = Number.NaN;
  private savedIsRise = false;

  constructor(start: number, increment: number, maximum: number) {
    this.start = start;
    this.increment = increment;
    this.maximum = maximum;
  }

  next(
    barIndex: number,
    high: number,
    low: number,
    close: number,
    previousHigh: number,
    previousLow: number,
    previousClose: number,
    highBeforeThat: number,
    lowBeforeThat: number,
  ): number {
    const starts = barIndex === 1;
    if (starts) this.begin(close > previousClose, high, low, previousHigh, previousLow);
    this.stop += this.acceleration * (this.extreme - this.stop);
    const turned = this.isRise ? this.stop > low : this.stop < high;
    if (turned) this.turn(high, low);
    else if (!starts) this.accelerate(high, low);
    this.keepOutside(previousHigh, previousLow);
    if (barIndex > 1) this.keepOutside(highBeforeThat, lowBeforeThat);
    return this.stop;
  }

  save(): void {
    this.savedStop = this.stop;
    this.savedExtreme = this.extreme;
    this.savedAcceleration = this.acceleration;
    this.savedIsRise = this.isRise;
  }

  restore(): void {
    this.stop = this.savedStop;
    this.extreme = this.savedExtreme;
    this.acceleration = this.savedAcceleration;
    this.isRise = this.savedIsRise;
  }

  private begin(isRise: boolean, high: number, low: number, previousHigh: number, previousLow: number): void {
    this.isRise = isRise;
    this.extreme = isRise ? high : low;
    this.stop = isRise ? previousLow : previousHigh;
    this.acceleration = this.start;
  }

  private turn(high: number, low: number): void {
    this.stop = this.isRise ? Math.max(high, this.extreme) : Math.min(low, this.extreme);
    this.isRise = !this.isRise;
    this.extreme = this.isRise ? high : low;
    this.acceleration = this.start;
  }

  private accelerate(high: number, low: number): void {
    if (this.isRise ? !(high > this.extreme) : !(low < this.extreme)) return;
    this.extreme = this.isRise ? high : low;
    this.acceleration = Math.min(this.acceleration + this.increment, this.maximum);
  }

  private keepOutside(high: number, low: number): void {
    this.stop = this.isRise ? Math.min(this.stop, low) : Math.max(this.stop, high);
  }
}

/**
 * ta.supertrend. Inputs: high, low, close, previous close of the chart, factor. `next` returns the line; `second` is the
 * direction, 1 down and -1 up. The bands before the first are zero, so the very first line is 0, as in TradingView; and
 * as there the first factor that is known stays, whatever comes after it.
 */
export class Supertrend implements Kernel {
  second = Number.NaN;
  private readonly atr: Atr;
  private upper = 0;
  private lower = 0;
  private line = Number.NaN;
  private range = Number.NaN;
  private factor = Number.NaN;
  private savedUpper = 0;
  private savedLower = 0;
  private savedLine = Number.NaN;
  private savedRange = Number.NaN;
  private savedFactor = Number.NaN;

  constructor(atrPeriod: number) {
    this.atr = new Atr(atrPeriod, 'supertrend', 'atrPeriod');
  }

  next(high: number, low: number, close: number, previousClose: number, factor: number): number {
    if (Number.isNaN(this.factor)) this.factor = factor;
    const middle = (high + low) / 2;
    const range = this.atr.next(high, low, previousClose);
    const previousUpper = Number.isNaN(this.upper) ? 0 : this.upper;
    const previousLower = Number.isNaN(this.lower) ? 0 : this.lower;
    const upper = middle + this.factor * range;
    const lower = middle - this.factor * range;
    this.upper = upper < previousUpper || previousClose > previousUpper ? upper : previousUpper;
    this.lower = lower > previousLower || previousClose < previousLower ? lower : previousLower;
    const isDown =
      Number.isNaN(this.range) || (this.line === previousUpper ? !(close > this.upper) : close < this.lower);
    this.range = range;
    this.second = isDown ? 1 : -1;
    this.line = isDown ? this.upper : this.lower;
    return this.line;
  }

  save(): void {
    this.atr.save();
    this.savedUpper = this.upper;
    this.savedLower = this.lower;
    this.savedLine = this.line;
    this.savedRange = this.range;
    this.savedFactor = this.factor;
  }

  restore(): void {
    this.atr.restore();
    this.upper = this.savedUpper;
    this.lower = this.savedLower;
    this.line = this.savedLine;
    this.range = this.savedRange;
    this.factor = this.savedFactor;
  }
}
