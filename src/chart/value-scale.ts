// From values to heights: a range that nothing can break, round steps of 1, 2 or 5, and their labels.

import { compact, decimalsOfStep, fixed } from './numbers.ts';

/** Numbers further out than this are no prices; leaving them out keeps every difference finite. */
const LARGEST_VALUE = 1e100;
/** A range must be this much of its numbers, or doubles could not tell its ticks apart. */
const LEAST_SHARE = 1e-9;
/** From here on numbers get a unit: prices later, because people know theirs by all their digits. */
const LONG_NUMBER = 1e3;
const LONG_PRICE = 1e6;
/** Decimals before a unit, as few as tell neighbours apart. */
const UNIT_DECIMALS = [2, 3, 4, 5];

const isDrawable = (value: number): boolean => Math.abs(value) <= LARGEST_VALUE;

/** Collects values; what is not a number does not count. */
export class Range {
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    if (!isDrawable(value)) return;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  addAll(values: ArrayLike<number>): void {
    for (let i = 0; i < values.length; i += 1) this.add(values[i]!);
  }

  copy(): Range {
    const range = new Range();
    [range.min, range.max] = [this.min, this.max];
    return range;
  }

  /** Whether a value lies in the range or no further from it than a multiple of its size. Everything does where it has none. */
  isWithin(value: number, reach: number): boolean {
    const far = (this.max - this.min) * reach;
    return !(far > 0) || (value >= this.min - far && value <= this.max + far);
  }

  get isEmpty(): boolean {
    return this.min > this.max;
  }
}

export interface ValueScale {
  readonly min: number;
  readonly max: number;
  /** Heights in pixels: of the largest and of the smallest value. */
  readonly top: number;
  readonly bottom: number;
  y(value: number): number;
}

/** The range fills the height; no values give 0 to 1, and a single one stands in the middle. */
export function valueScale(range: Range, top: number, bottom: number): ValueScale {
  const [min, max] = widened(range);
  const perUnit = (bottom - top) / (max - min);
  return {
    min,
    max,
    top,
    bottom,
    y: (value) => (isDrawable(value) ? bottom - (value - min) * perUnit : Number.NaN),
  };
}

function widened({ min, max, isEmpty }: Range): [number, number] {
  if (isEmpty) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  // Too small to divide by: as good as zero.
  if (size < Number.MIN_VALUE * 2 ** 60) return [-1, 1];
  if (max - min > size * LEAST_SHARE) return [min, max];
  const middle = min / 2 + max / 2;
  return [middle - size * 0.01, middle + size * 0.01];
}

export interface Ticks {
  readonly step: number;
  readonly values: readonly number[];
}

/** Multiples of 1, 2 or 5 times a power of ten inside the range, no more than `most` (at least 1) of them. */
export function ticksOf(min: number, max: number, most: number): Ticks {
  const rough = (max - min) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10, 20].find((candidate) => countOf(min, max, candidate * power) <= most) ?? 20;
  const step = factor * power;
  const values: number[] = [];
  const first = Math.ceil(min / step);
  for (let i = 0; i < countOf(min, max, step); i += 1) values.push(roundedTo(step, first + i));
  return { step, values: values.filter((value) => value >= min && value <= max) };
}

const countOf = (min: number, max: number, step: number) => Math.floor(max / step) - Math.ceil(min / step) + 1;

/** A multiple of the step without the dust of its product: 0.3, not 0.30000000000000004. */
function roundedTo(step: number, times: number): number {
  const decimals = -Math.floor(Math.log10(step) + 1e-9);
  const product = step * times;
  return decimals >= 0 && decimals <= 100 ? Number(product.toFixed(decimals)) : product;
}

/** Labels in which neighbours differ. */
export function tickTexts({ values, step }: Ticks, isPrice = false): string[] {
  const largest = Math.max(0, ...values.map(Math.abs));
  const decimals = decimalsOfStep(step);
  const plain = values.map((value) => fixed(value, decimals));
  if (largest < (isPrice ? LONG_PRICE : LONG_NUMBER))
    return isDistinct(plain) ? plain : values.map((value) => value.toExponential(3));
  const short = UNIT_DECIMALS.map((count) => values.map((value) => compact(value, count))).find(isDistinct);
  if (short !== undefined && longestOf(short) <= longestOf(plain)) return short;
  return isDistinct(plain) ? plain : values.map((value) => value.toExponential(6));
}

const longestOf = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length));
const isDistinct = (texts: readonly string[]) => new Set(texts).size === texts.length;
