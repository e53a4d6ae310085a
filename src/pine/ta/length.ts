// Checks the lengths a script asks for, in the words Pine uses for them.

import { PineRuntimeError } from '../values/runtime-error.ts';

/** A window of this length takes about a megabyte; a script has many, and no chart shows so many bars. */
export const LONGEST_LENGTH = 100_000;

/** The whole number of bars a length stands for; `longest` is what the kernel's memory was made for. */
export function checkedLength(name: string, length: number, longest: number, argument = 'length'): number {
  if (!(length >= 1))
    throw new PineRuntimeError(
      `Invalid value of the '${argument}' argument (${inPine(length)}) in the '${name}' function. It must be > 0.`,
    );
  const whole = Math.trunc(length);
  if (whole > longest)
    throw new PineRuntimeError(
      `The '${argument}' argument (${whole}) of the '${name}' function is beyond the limit of ${longest} bars. Use a shorter length.`,
    );
  return whole;
}

/** For lengths that are known when the kernel is made. */
export function fixedLength(name: string, length: number, argument = 'length'): number {
  return checkedLength(name, length, LONGEST_LENGTH, argument);
}

/** For bars to the left and right of a pivot, and occurrences: zero is a count like any other. */
export function checkedCount(name: string, count: number, longest: number, argument: string): number {
  if (!(count >= 0))
    throw new PineRuntimeError(
      `Invalid value of the '${argument}' argument (${inPine(count)}) in the '${name}' function. It must be >= 0.`,
    );
  return count < 1 ? 0 : checkedLength(name, count, longest, argument);
}

/** For percentages, which end at 100. */
export function checkedPercentage(name: string, percentage: number): number {
  if (percentage >= 0 && percentage <= 100) return percentage;
  throw new PineRuntimeError(
    `Invalid value of the 'percentage' argument (${inPine(percentage)}) in the '${name}' function. It must be in the range [0..100].`,
  );
}

/** The smallest power of two that holds so many values: a ring of that size finds a slot with one `&`. */
export function ringCapacity(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(count, 2)));
}

const inPine = (value: number): string => (Number.isNaN(value) ? 'na' : String(value));
