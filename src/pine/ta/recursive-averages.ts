// The averages that remember everything: ema, rma, and the macd and tsi made of them.

import type { Kernel } from './kernel.ts';
import { fixedLength } from './length.ts';

/** Seeded by the plain average of the first `length` values. An na leaves the average as it is and gives na. */
class SeededAverage implements Kernel {
  protected readonly length: number;
  protected average = Number.NaN;
  protected seedCount = 0;
  private seedSum = 0;
  private savedAverage = Number.NaN;
  private savedSeedSum = 0;
  private savedSeedCount = 0;

  constructor(length: number, name: string, argument: string) {
    this.length = fixedLength(name, length, argument);
  }

  save(): void {
    this.savedAverage = this.average;
    this.savedSeedSum = this.seedSum;
    this.savedSeedCount = this.seedCount;
  }

  restore(): void {
    this.average = this.savedAverage;
    this.seedSum = this.savedSeedSum;
    this.seedCount = this.savedSeedCount;
  }

  protected seed(source: number): void {
    this.seedSum += source;
    if (++this.seedCount === this.length) this.average = this.seedSum / this.length;
  }
}

/** ta.ema. Inputs: source. */
export class Ema extends SeededAverage {
  private readonly alpha: number;

  constructor(length: number, name = 'ema', argument = 'length') {
    super(length, name, argument);
    this.alpha = 2 / (this.length + 1);
  }

  next(source: number): number {
    if (!Number.isFinite(source)) return Number.NaN;
    // In this form the last digits are those of TradingView's charts; with two products they are not.
    if (this.seedCount === this.length) this.average += this.alpha * (source - this.average);
    else this.seed(source);
    return this.average;
  }
}

/** ta.rma. Inputs: source. */
export class Rma extends SeededAverage {
  constructor(length: number, name = 'rma', argument = 'length') {
    super(length, name, argument);
  }

  next(source: number): number {
    if (!Number.isFinite(source)) return Number.NaN;
    if (this.seedCount === this.length) this.average = (source + (this.length - 1) * this.average) / this.length;
    else this.seed(source);
    return this.average;
  }
}

/** ta.macd. Inputs: source. `next` returns the MACD line; `second` is the signal line, `third` the histogram. */
export class Macd implements Kernel {
  second = Number.NaN;
  third = Number.NaN;
  private readonly fast: Ema;
  private readonly slow: Ema;
  private readonly signal: Ema;

  constructor(fastLength: number, slowLength: number, signalLength: number) {
    this.fast = new Ema(fastLength, 'macd', 'fastlen');
    this.slow = new Ema(slowLength, 'macd', 'slowlen');
    this.signal = new Ema(signalLength, 'macd', 'siglen');
  }

  next(source: number): number {
    const line = this.fast.next(source) - this.slow.next(source);
    this.second = this.signal.next(line);
    this.third = line - this.second;
    return line;
  }

  save(): void {
    this.fast.save();
    this.slow.save();
    this.signal.save();
  }

  restore(): void {
    this.fast.restore();
    this.slow.restore();
    this.signal.restore();
  }
}

/**
 * ta.tsi. Inputs: source. Twice smoothed momentum over twice smoothed absolute momentum, between -1 and 1. A change from
 * or to an na is na, and the averages pass over it.
 */
export class Tsi implements Kernel {
  private readonly momentumLong: Ema;
  private readonly momentumShort: Ema;
  private readonly sizeLong: Ema;
  private readonly sizeShort: Ema;
  private previous = Number.NaN;
  private savedPrevious = Number.NaN;

  constructor(shortLength: number, longLength: number) {
    this.momentumLong = new Ema(longLength, 'tsi', 'long_length');
    this.momentumShort = new Ema(shortLength, 'tsi', 'short_length');
    this.sizeLong = new Ema(longLength, 'tsi', 'long_length');
    this.sizeShort = new Ema(shortLength, 'tsi', 'short_length');
  }

  next(source: number): number {
    const momentum = source - this.previous;
    this.previous = source;
    const smoothed = this.momentumShort.next(this.momentumLong.next(momentum));
    return smoothed / this.sizeShort.next(this.sizeLong.next(Math.abs(momentum)));
  }

  save(): void {
    this.momentumLong.save();
    this.momentumShort.save();
    this.sizeLong.save();
    this.sizeShort.save();
    this.savedPrevious = this.previous;
  }

  restore(): void {
    this.momentumLong.restore();
    this.momentumShort.restore();
    this.sizeLong.restore();
    this.sizeShort.restore();
    this.previous = this.savedPrevious;
  }
}
