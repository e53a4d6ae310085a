// The numbers of `math.random`, in the order in which TradingView draws them.

/** 2^24: the generator's 48 bits are kept as two halves, whose products a double holds exactly. */
const HALF = 0x1000000;
const MULTIPLIER_HIGH = 0x5de;
const MULTIPLIER_LOW = 0xece66d;
const INCREMENT = 0xb;

/**
 * `math.random` of one call site. TradingView's charts show the sequence that the documentation of Java's
 * `java.util.Random` defines for the same seed: state · 0x5DEECE66D + 11 modulo 2^48, two draws of 26 and 27 bits a number.
 */
export class RandomSequence {
  private high: number;
  private low: number;
  private savedHigh: number;
  private savedLow: number;

  constructor(seed: number) {
    // The lowest 48 bits of the seed as a two's complement count; na stands for 0.
    const whole = Number.isFinite(seed) ? Math.trunc(seed) : 0;
    this.high = (modulo(Math.floor(whole / HALF), HALF) ^ MULTIPLIER_HIGH) >>> 0;
    this.low = (modulo(whole, HALF) ^ MULTIPLIER_LOW) >>> 0;
    this.savedHigh = this.high;
    this.savedLow = this.low;
  }

  /** At least `min` and below `max`. */
  next(min: number, max: number): number {
    this.step();
    const upper = this.high * 4 + (this.low >>> 22);
    this.step();
    const lower = this.high * 8 + (this.low >>> 21);
    return min + ((upper * 2 ** 27 + lower) / 2 ** 53) * (max - min);
  }

  save(): void {
    this.savedHigh = this.high;
    this.savedLow = this.low;
  }

  restore(): void {
    this.high = this.savedHigh;
    this.low = this.savedLow;
  }

  private step(): void {
    const product = this.low * MULTIPLIER_LOW + INCREMENT;
    const carry = Math.floor(product / HALF);
    this.high = (this.high * MULTIPLIER_LOW + this.low * MULTIPLIER_HIGH + carry) % HALF;
    this.low = product % HALF;
  }
}

/** The remainder that is never negative. */
const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;
