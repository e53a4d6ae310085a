// In what unit the times of bars are counted, told from their size: nobody writes it beside them.

/**
 * Below this times count seconds, from it on milliseconds: as seconds it is the year 5138, as milliseconds 1973, and
 * bars whose newest is older than that come with dates. The same holds a thousand times further up.
 */
const LEAST_MILLISECONDS = 1e11;
export const LEAST_MICROSECONDS = 1e14;
const LEAST_NANOSECONDS = 1e17;

/** How many of the units are a millisecond, by the time that is farthest from 1970. */
export function unitsPerMs(farthest: number): number {
  if (farthest < LEAST_MILLISECONDS) return 1 / 1000;
  if (farthest < LEAST_MICROSECONDS) return 1;
  return farthest < LEAST_NANOSECONDS ? 1000 : 1_000_000;
}

const COMPACT = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?$/;

/** Whether a number is a date without dashes, 20240301 or 202403011430: as a count it would be a time that nobody means. */
export const isCompactDate = (value: number): boolean => COMPACT.test(String(value));
