// Statistics of numbers, for arrays and matrices: na is left out unless a function says otherwise.

import { TOLERANCE } from './compare.ts';
import { PineRuntimeError } from './runtime-error.ts';

/** Cells of a matrix or elements of an array. */
export type Numbers = Float64Array | readonly number[];

/** How many values are not na. */
export function countOf(values: Numbers, from = 0): number {
  let count = 0;
  for (let i = from; i < values.length; i += 1) if (!Number.isNaN(values[i] as number)) count += 1;
  return count;
}

/** The plain sum from first to last; na when there is no value. */
export function sum(values: Numbers, from = 0): number {
  let total = 0;
  let count = 0;
  for (let i = from; i < values.length; i += 1) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    total += value;
    count += 1;
  }
  return count === 0 ? Number.NaN : total;
}

export function mean(values: Numbers, from = 0): number {
  let total = 0;
  let count = 0;
  for (let i = from; i < values.length; i += 1) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    total += value;
    count += 1;
  }
  return total / count;
}

/** Population variance, or the sample's (divided by one less) when not biased. */
export function variance(values: Numbers, biased = true): number {
  const count = countOf(values);
  const divisor = biased ? count : count - 1;
  if (divisor <= 0) return Number.NaN;
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) {
    const distance = (values[i] as number) - centre;
    if (!Number.isNaN(distance)) squares += distance * distance;
  }
  return squares / divisor;
}

export function stdev(values: Numbers, biased = true): number {
  return Math.sqrt(variance(values, biased));
}

/** Over the places where both have a value; na when the sizes differ. */
export function covariance(left: Numbers, right: Numbers, biased = true): number {
  if (left.length !== right.length)
    throw new PineRuntimeError('The sizes of the `id1` and `id2` arrays must be equal.');
  const lefts: number[] = [];
  const rights: number[] = [];
  for (let i = 0; i < left.length; i += 1) {
    const a = left[i] as number;
    const b = right[i] as number;
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    lefts.push(a);
    rights.push(b);
  }
  const divisor = biased ? lefts.length : lefts.length - 1;
  if (divisor <= 0) return Number.NaN;
  const leftMean = mean(lefts);
  const rightMean = mean(rights);
  let products = 0;
  for (let i = 0; i < lefts.length; i += 1)
    products += ((lefts[i] as number) - leftMean) * ((rights[i] as number) - rightMean);
  return products / divisor;
}

/** The values in ascending order, without na. */
export function sorted(values: Numbers, from = 0): Float64Array {
  // Float64Array sorts na to the end.
  return new Float64Array(values).subarray(from).sort().subarray(0, countOf(values, from));
}

/** The nth smallest value, the smallest being number 0 or na; na when there are not so many. */
export function smallest(values: Numbers, nth = 0, from = 0): number {
  if (nth === 0 || Number.isNaN(nth)) {
    let least = Number.NaN;
    for (let i = from; i < values.length; i += 1) {
      const value = values[i] as number;
      if (!(value >= least) && !Number.isNaN(value)) least = value;
    }
    return least;
  }
  return sorted(values, from)[nth] ?? Number.NaN;
}

/** The nth largest value, the largest being number 0 or na; na when there are not so many. */
export function largest(values: Numbers, nth = 0, from = 0): number {
  if (nth === 0 || Number.isNaN(nth)) {
    let most = Number.NaN;
    for (let i = from; i < values.length; i += 1) {
      const value = values[i] as number;
      if (!(value <= most) && !Number.isNaN(value)) most = value;
    }
    return most;
  }
  const ordered = sorted(values, from);
  return ordered[ordered.length - 1 - nth] ?? Number.NaN;
}

export function range(values: Numbers, from = 0): number {
  return largest(values, 0, from) - smallest(values, 0, from);
}

export function median(values: Numbers): number {
  const ordered = sorted(values);
  const middle = ordered.length >> 1;
  if (ordered.length === 0) return Number.NaN;
  const upper = ordered[middle] as number;
  return ordered.length % 2 === 1 ? upper : ((ordered[middle - 1] as number) + upper) / 2;
}

/** The most frequent value; the smallest of several. */
export function mode(values: Numbers): number {
  const ordered = sorted(values);
  let best = Number.NaN;
  let bestCount = 0;
  let count = 0;
  for (let i = 0; i < ordered.length; i += 1) {
    count = i > 0 && ordered[i] === ordered[i - 1] ? count + 1 : 1;
    if (count > bestCount) {
      best = ordered[i] as number;
      bestCount = count;
    }
  }
  return best;
}

/** The smallest value that at least `percentage` percent of the values do not exceed; na stand behind all values. */
export function percentileNearestRank(values: Numbers, percentage: number): number {
  const ordered = sorted(values);
  if (!isPercentage(percentage, 'array.percentile_nearest_rank')) return Number.NaN;
  // Multiplied first: 55 percent of 100 values are 55 of them, but 0.55 · 100 is a little more.
  return ordered[Math.max(Math.ceil((percentage * values.length) / 100) - 1, 0)] ?? Number.NaN;
}

/**
 * The nth smallest of N values stands at 100·(n − ½)/N percent; between two of them the line between them, beyond the
 * ends the end. Na stand behind all values, and as seen on TradingView a single one makes every result na that lies
 * between two of the N.
 */
export function percentileLinear(values: Numbers, percentage: number): number {
  const ordered = sorted(values);
  if (!isPercentage(percentage, 'array.percentile_linear_interpolation')) return Number.NaN;
  const rank = Math.min(Math.max((percentage * values.length) / 100 - 0.5, 0), values.length - 1);
  const below = Math.floor(rank);
  const low = ordered[below] ?? Number.NaN;
  if (below === rank) return low;
  return ordered.length < values.length ? Number.NaN : low + ((ordered[below + 1] as number) - low) * (rank - below);
}

/** False for na; an error for what no part of a whole can be. */
function isPercentage(percentage: number, name: string): boolean {
  if (percentage < 0 || percentage > 100)
    throw new PineRuntimeError(
      `Invalid value of the 'percentage' argument (${percentage}) in the '${name}' function. It must be in the range [0..100].`,
    );
  return !Number.isNaN(percentage);
}

/**
 * How many percent of the other values are at most the one at `index`; na where there is no other. An na is among the
 * others and never at most anything, as seen on TradingView.
 */
export function percentRank(values: Numbers, index: number): number {
  const value = values[index] as number;
  const others = values.length - 1;
  let atMost = 0;
  for (let i = 0; i < values.length; i += 1) if ((values[i] as number) - value <= TOLERANCE) atMost += 1;
  return Number.isNaN(value) || others === 0 ? Number.NaN : (100 * (atMost - 1)) / others;
}

/** Every value as its distance from the mean in standard deviations; 1 where all values are equal. */
export function standardize(values: Numbers): number[] {
  const centre = mean(values);
  const deviation = stdev(values);
  return Array.from(values, (value) => (deviation === 0 && value === centre ? 1 : (value - centre) / deviation));
}
