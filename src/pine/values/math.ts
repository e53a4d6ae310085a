// The functions of `math.*` and the arithmetic that the language defines otherwise than JavaScript does.

/** na among the values makes the average na. */
export function averageOf(...values: number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total / values.length;
}

/** Halves go away from zero, as on TradingView's charts: -1.5 becomes -2. What rounds to zero has no sign. */
export function round(value: number): number {
  return value < 0 ? 0 - Math.round(-value) : Math.round(value) + 0;
}

/** Decimals beyond this many are noise in a double, and the power of ten would leave its range. */
const MAX_PRECISION = 300;

/** Powers of ten up to this one are doubles exactly. */
const MAX_EXACT_POWER = 22;

/** Rounded to `precision` decimals, halves away from zero; na precision rounds to a whole number. */
export function roundTo(value: number, precision: number): number {
  if (Number.isNaN(precision)) return round(value);
  if (precision > MAX_PRECISION || !Number.isFinite(value)) return value;
  const scale = 10 ** Math.trunc(Math.abs(precision));
  // Zero is the nearest multiple of a power of ten beyond the range of a double.
  if (precision < 0) return scale === Number.POSITIVE_INFINITY ? 0 : round(value / scale) * scale;
  const scaled = value * scale;
  // From 2^53 on a double has no decimals left to round.
  if (Math.abs(scaled) >= Number.MAX_SAFE_INTEGER) return value;
  // A product in the middle may have been rounded to it: 100019.7405 lies below and 0.125 in the middle. The digits of
  // the number itself decide.
  const isMiddle = Math.abs(scaled % 1) === 0.5 && precision <= MAX_EXACT_POWER;
  return isMiddle ? sign(value) * Number(Math.abs(value).toFixed(precision)) : round(scaled) / scale;
}

/** The nearest price of the symbol's grid; a price in the middle goes up. */
export function roundToMintick(value: number, mintick: number): number {
  if (!(mintick > 0)) return value;
  const perUnit = 1 / mintick;
  const whole = Math.round(perUnit);
  // A tick such as 0.01 is divided by 100 rather than multiplied, which gives the double nearest to the price.
  const divides = whole >= 1 && Math.abs(perUnit - whole) < 1e-6 * whole;
  const ticks = divides ? value * whole : value / mintick;
  // A value of so many ticks, which no price is, has no part of a tick left to round.
  if (!(Math.abs(ticks) < Number.MAX_SAFE_INTEGER)) return value;
  return divides ? nearestTick(ticks) / whole : nearestTick(ticks) * mintick;
}

/**
 * A product that falls short of the middle only by its own rounding error counts as the middle. The error is taken for
 * a quarter of a tick at most, so that a whole number of ticks stays what it is however large.
 */
function nearestTick(ticks: number): number {
  const error = Math.min(Math.abs(ticks) * 2 * Number.EPSILON, 0.25);
  const below = Math.floor(ticks);
  return ticks - below >= 0.5 - error ? below + 1 : below;
}

/** `int()`: the fraction is cut off. */
export function toInt(value: number): number {
  return Math.trunc(value) + 0;
}

/** `/` of two constant ints in version 5: the fraction is cut off; na when the divisor is zero. */
export function intDivide(dividend: number, divisor: number): number {
  return divisor === 0 ? Number.NaN : Math.trunc(dividend / divisor) + 0;
}

/** `%`: the quotient is cut off, so the result has the sign of the dividend; na when the divisor is zero. */
export function remainder(dividend: number, divisor: number): number {
  return dividend % divisor;
}

export function sign(value: number): number {
  return value > 0 ? 1 : value < 0 ? -1 : value === 0 ? 0 : Number.NaN;
}

export function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

export function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** na becomes the replacement, and so does an infinity: what `nz` is asked to guard is a division by zero. */
export function nz(value: number, replacement = 0): number {
  return Number.isFinite(value) ? value : replacement;
}

/** `nz` of what is na as null: colors, and bools of version 5. */
export function nzItem<T>(value: T | null, replacement: T): T {
  return value ?? replacement;
}

/** `fixnan` of what is na as null; numbers have their own among the `ta` kernels. */
export class FixNanItem<T> {
  private last: T | null = null;
  private saved: T | null = null;

  next(value: T | null): T | null {
    if (value !== null) this.last = value;
    return this.last;
  }

  save(): void {
    this.saved = this.last;
  }

  restore(): void {
    this.last = this.saved;
  }
}
