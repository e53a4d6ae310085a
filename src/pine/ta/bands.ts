// True range and the bands around an average: atr, bb, bbw, kc, kcw.

import { type Kernel, LONGEST_SERIES_LENGTH } from './kernel.ts';
import { Ema, Rma } from './recursive-averages.ts';
import { SlidingMoments } from './sliding-moments.ts';

/** ta.tr. `previousClose` is the chart's; where it is na the range is high less low with `handleNa`, else na. */
export function trueRange(high: number, low: number, previousClose: number, handleNa: boolean): number {
  if (handleNa && Number.isNaN(previousClose)) return high - low;
  return Math.max(high - low, Math.abs(high - previousClose), Math.abs(low - previousClose));
}

/** ta.tr. Inputs: high, low, previous close of the chart, handle_na (boolean; false for the variable). */
export class TrueRange implements Kernel {
  next(high: number, low: number, previousClose: number, handleNa: boolean): number {
    return trueRange(high, low, previousClose, handleNa);
  }

  save(): void {}

  restore(): void {}
}

/** ta.atr. Inputs: high, low, previous close of the chart: smooths only when called, measures from the chart's bars. */
export class Atr implements Kernel {
  private readonly average: Rma;

  constructor(length: number, name = 'atr', argument = 'length') {
    this.average = new Rma(length, name, argument);
  }

  next(high: number, low: number, previousClose: number): number {
    return this.average.next(trueRange(high, low, previousClose, true));
  }

  save(): void {
    this.average.save();
  }

  restore(): void {
    this.average.restore();
  }
}

/** ta.bb. Inputs: source, length, mult. `next` returns the middle; `second` is the upper band, `third` the lower. */
export class Bb implements Kernel {
  second = Number.NaN;
  third = Number.NaN;
  private readonly moments: SlidingMoments;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.moments = new SlidingMoments('bb', longest);
  }

  next(source: number, length: number, mult: number): number {
    this.second = Number.NaN;
    this.third = Number.NaN;
    if (!this.moments.next(source, length)) return Number.NaN;
    const distance = mult * Math.sqrt(this.moments.variance(true));
    const middle = this.moments.mean();
    this.second = middle + distance;
    this.third = middle - distance;
    return middle;
  }

  save(): void {
    this.moments.save();
  }

  restore(): void {
    this.moments.restore();
  }
}

/** ta.bbw. Inputs: source, length, mult. The width of the bands in percent of the middle. */
export class Bbw implements Kernel {
  private readonly moments: SlidingMoments;

  constructor(longest: number = LONGEST_SERIES_LENGTH) {
    this.moments = new SlidingMoments('bbw', longest);
  }

  next(source: number, length: number, mult: number): number {
    if (!this.moments.next(source, length)) return Number.NaN;
    const distance = mult * Math.sqrt(this.moments.variance(true));
    const middle = this.moments.mean();
    return middle === 0 ? Number.NaN : (200 * distance) / middle;
  }

  save(): void {
    this.moments.save();
  }

  restore(): void {
    this.moments.restore();
  }
}

/** The ema of the source and that of the range; the first true range is na, so the bands start a bar after the middle. */
class Keltner implements Kernel {
  private readonly middle: Ema;
  private readonly range: Ema;

  constructor(name: string, length: number) {
    this.middle = new Ema(length, name);
    this.range = new Ema(length, name);
  }

  save(): void {
    this.middle.save();
    this.range.save();
  }

  restore(): void {
    this.middle.restore();
    this.range.restore();
  }

  protected base(source: number): number {
    return this.middle.next(source);
  }

  protected span(high: number, low: number, previousClose: number, useTrueRange: boolean): number {
    return this.range.next(useTrueRange ? trueRange(high, low, previousClose, false) : high - low);
  }
}

/**
 * ta.kc. Inputs: source, high, low, previous close of the chart, mult, useTrueRange (boolean). `next` returns the
 * middle; `second` is the upper band, `third` the lower.
 */
export class Kc extends Keltner {
  second = Number.NaN;
  third = Number.NaN;

  constructor(length: number) {
    super('kc', length);
  }

  next(source: number, high: number, low: number, previousClose: number, mult: number, useTrueRange: boolean): number {
    const middle = this.base(source);
    const distance = mult * this.span(high, low, previousClose, useTrueRange);
    this.second = middle + distance;
    this.third = middle - distance;
    return middle;
  }
}

/** ta.kcw. Inputs as of ta.kc. The width of the channel as a part of the middle. */
export class Kcw extends Keltner {
  constructor(length: number) {
    super('kcw', length);
  }

  next(source: number, high: number, low: number, previousClose: number, mult: number, useTrueRange: boolean): number {
    const middle = this.base(source);
    const distance = mult * this.span(high, low, previousClose, useTrueRange);
    return middle === 0 ? Number.NaN : (2 * distance) / middle;
  }
}
