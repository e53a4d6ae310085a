// The unit of times, and dates that look like counts.

import { expect, it } from 'vitest';
import { isCompactDate, unitsPerMs } from './time-unit.ts';

it.each([
  [0, 0.001],
  [1_700_000_000, 0.001],
  [99_999_999_999, 0.001],
  [100_000_000_000, 1],
  [1_700_000_000_000, 1],
  [99_999_999_999_999, 1],
  [100_000_000_000_000, 1000],
  [1_700_000_000_000_000, 1000],
  [99_999_999_999_999_980, 1000],
  [100_000_000_000_000_000, 1_000_000],
  [1.7e18, 1_000_000],
])('%d is counted in units of which %d are a millisecond', (time, units) => {
  expect(unitsPerMs(time)).toBe(units);
});

it('a date without dashes has a year, a month and a day that there may be, and perhaps a time', () => {
  for (const date of [20240301, 19991231, 202403011430, 20240301143059])
    expect(isCompactDate(date), `${date}`).toBe(true);
  for (const count of [
    1_700_000_000, 1_700_000_000_000, 20241301, 20240332, 202403012460, 2024030114, 30240301, -20240301, 20240301.5,
  ])
    expect(isCompactDate(count), `${count}`).toBe(false);
});
