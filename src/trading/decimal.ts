// Exact decimal numbers for money: a bigint that counts units of 10^-12, so nothing ever becomes 0.02999999 or 1e-7.

declare const decimalBrand: unique symbol;
/** A count of 10^-12 units. Twelve places hold every tick and step the venues use, with room for averages. */
export type Decimal = bigint & { readonly [decimalBrand]: true };

const PLACES = 12;
const UNIT = 10n ** BigInt(PLACES);
const UNIT_NUMBER = Number(UNIT);
/** Up to here whole numbers are exact as doubles, with room to be off by a few. */
const MAX_QUICK = 10n ** 15n * UNIT;
const ZEROS = '0'.repeat(PLACES);
/** Longer inputs are refused rather than computed with: no price or quantity needs them. */
const MAX_TEXT_LENGTH = 64;
const SHAPE = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;

const POWERS = Array.from({ length: PLACES + 1 }, (_, exponent) => 10 ** exponent);

export const ZERO = 0n as Decimal;

/** Reads a number or decimal text exactly; digits past the twelfth place are cut toward zero. */
export function decimal(input: number | string): Decimal {
  const text = typeof input === 'number' ? String(input) : input;
  return short(text) ?? long(text);
}

const SHORT = /^(\d{1,15})(?:\.(\d{1,12}))?$/;

/** Nearly every number there is: each half fits a double exactly, which is much quicker than a bigint from text. */
function short(text: string): Decimal | undefined {
  const match = SHORT.exec(text);
  if (!match) return undefined;
  const whole = BigInt(Number(match[1])) * UNIT;
  const fraction = match[2];
  if (fraction === undefined) return whole as Decimal;
  return (whole + BigInt(Number(fraction) * POWERS[PLACES - fraction.length]!)) as Decimal;
}

function long(text: string): Decimal {
  const match = text.length <= MAX_TEXT_LENGTH ? SHAPE.exec(text) : null;
  if (!match || (match[2] === '' && match[3] === ''))
    throw new RangeError(`not a decimal number: ${text.slice(0, 80)}`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = PLACES - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const units = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return (sign ? -units : units) as Decimal;
}

/**
 * The texts made last, each in the slot of its value: one trade writes the same quantity, price and balance into many
 * rows. Slots are found by the nearest double; their number is a prime, so that prices whole ticks apart spread out.
 */
const SLOTS = 1021;
const slotValues: Decimal[] = Array.from({ length: SLOTS }, () => ZERO);
const slotTexts: string[] = Array.from({ length: SLOTS }, () => '0');

/** Plain decimal text without exponent or trailing zeros: what venues accept and rows store. */
export function toText(value: Decimal): string {
  if (value < 0n) return `-${toText(negate(value))}`;
  // Numbers turn into text several times faster than bigints, and all but absurd values fit two of them.
  if (value > MAX_QUICK) return slowText(value);
  const nearest = Number(value);
  const slot = nearest % SLOTS;
  if (slotValues[slot] === value) return slotTexts[slot] as string;
  const text = quickText(value, nearest);
  slotValues[slot] = value;
  slotTexts[slot] = text;
  return text;
}

function quickText(value: Decimal, nearest: number): string {
  let whole = Math.floor(nearest / UNIT_NUMBER);
  let fraction = Number(value - BigInt(whole) * UNIT);
  // The quotient of two doubles may be off by one at the edge.
  if (fraction < 0) {
    whole -= 1;
    fraction += UNIT_NUMBER;
  } else if (fraction >= UNIT_NUMBER) {
    whole += 1;
    fraction -= UNIT_NUMBER;
  }
  return fraction === 0 ? String(whole) : `${whole}.${withoutZeros(fraction)}`;
}

function slowText(value: Decimal): string {
  const fraction = Number(value % UNIT);
  return fraction === 0 ? String(value / UNIT) : `${value / UNIT}.${withoutZeros(fraction)}`;
}

function withoutZeros(fraction: number): string {
  let places = PLACES;
  let digits = fraction;
  while (digits % 1000 === 0) {
    digits /= 1000;
    places -= 3;
  }
  while (digits % 10 === 0) {
    digits /= 10;
    places -= 1;
  }
  const text = String(digits);
  return text.length === places ? text : ZEROS.slice(0, places - text.length) + text;
}

/** For answers, whose fields are JSON numbers; never for arithmetic. */
export const toNumber = (value: Decimal): number => Number(toText(value));

export const plus = (a: Decimal, b: Decimal): Decimal => (a + b) as Decimal;
export const minus = (a: Decimal, b: Decimal): Decimal => (a - b) as Decimal;
export const times = (a: Decimal, b: Decimal): Decimal => ((a * b) / UNIT) as Decimal;
/** Division cut toward zero at the twelfth place. */
export const over = (a: Decimal, b: Decimal): Decimal => ((a * UNIT) / b) as Decimal;
export const negate = (a: Decimal): Decimal => -a as Decimal;
export const smaller = (a: Decimal, b: Decimal): Decimal => (a < b ? a : b);
export const larger = (a: Decimal, b: Decimal): Decimal => (a > b ? a : b);
export const absolute = (a: Decimal): Decimal => (a < 0n ? negate(a) : a);

/** Quantities go down to the step: never order more than was asked for. */
export const floorTo = (value: Decimal, step: Decimal): Decimal => (value - (value % step)) as Decimal;

/** Prices go to the nearest tick, halves away from zero. */
export function roundTo(value: Decimal, tick: Decimal): Decimal {
  const rest = absolute((value % tick) as Decimal);
  const down = floorTo(value, tick);
  if (rest * 2n < tick) return down;
  return value < 0n ? minus(down, tick) : plus(down, tick);
}

declare const productBrand: unique symbol;
/** The exact product of two decimals: a count of 10^-24 units. Sums of products lose nothing either. */
export type Product = bigint & { readonly [productBrand]: true };

export const product = (a: Decimal, b: Decimal): Product => (a * b) as Product;
/** One division, rounded once: to the nearest unit, halves away from zero. */
export const quotient = (whole: Product, part: Decimal): Decimal => nearest(whole, part) as Decimal;
/** The share that `part` is of `whole`, of a product; exact where it can be, else to the last of 24 places. */
export const shareOf = (all: Product, part: Decimal, whole: Decimal): Product => nearest(all * part, whole) as Product;
export const rounded = (exact: Product): Decimal => nearest(exact, UNIT) as Decimal;

function nearest(dividend: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return dividend < 0n ? -((half - dividend) / divisor) : (dividend + half) / divisor;
}

/** Plain text without trailing zeros, as rows store it. */
export function productText(value: Product): string {
  if (value < 0n) return `-${productText(-value as Product)}`;
  const digits = value.toString().padStart(2 * PLACES + 1, '0');
  const fraction = digits.slice(-2 * PLACES).replace(/0+$/, '');
  const whole = digits.slice(0, -2 * PLACES);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export function productFrom(text: string): Product {
  const match = /^(-?)(\d{1,64})(?:\.(\d{1,24}))?$/.exec(text);
  if (!match) throw new RangeError(`not a product: ${text.slice(0, 80)}`);
  const [, sign, whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction.padEnd(2 * PLACES, '0'));
  return (sign ? -units : units) as Product;
}
