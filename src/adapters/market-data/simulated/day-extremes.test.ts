// Days that are kept have the values that the path has, and no more of them are kept than there is room for.

import { expect, test } from 'vitest';
import { DAY_S, DayExtremes } from './day-extremes.ts';
import { createPricePath, type PricePath } from './price-path.ts';

/** Counts how often it was searched. */
function countedPath(seed: number): PricePath & { searches: number } {
  const path = createPricePath(seed, 1);
  return {
    searches: 0,
    at: (second) => path.at(second),
    extremes(from, to) {
      this.searches++;
      return path.extremes(from, to);
    },
  };
}

test.each([
  ['a day', 20_000 * DAY_S, 20_001 * DAY_S],
  ['a week', 20_000 * DAY_S, 20_007 * DAY_S],
  ['a part of a day', 20_000 * DAY_S, 20_000 * DAY_S + 3600],
  ['days that begin at noon', 20_000.5 * DAY_S, 20_002.5 * DAY_S],
])('%s has the values of its path, also when it is asked for again', (_, from, to) => {
  const path = createPricePath(7, 1);
  const days = new DayExtremes();
  for (let time = 0; time < 2; time++) expect(days.of(path, from, to)).toEqual(path.extremes(from, to));
});

test('a day is searched once, whichever bars it is in', () => {
  const days = new DayExtremes();
  const path = countedPath(7);
  days.of(path, 20_000 * DAY_S, 20_007 * DAY_S);
  days.of(path, 20_003 * DAY_S, 20_004 * DAY_S);
  expect([path.searches, days.size]).toEqual([7, 7]);
});

test('where there is no room left, the market that was begun first is forgotten, and computed anew', () => {
  const days = new DayExtremes(10);
  const [first, second] = [countedPath(1), countedPath(2)];
  const week = [20_000 * DAY_S, 20_007 * DAY_S] as const;
  const expected = createPricePath(1, 1).extremes(...week);
  days.of(first, ...week);
  days.of(second, ...week);
  expect(days.size).toBe(7);
  expect(days.of(first, ...week)).toEqual(expected);
  expect(first.searches).toBe(14);
  // More days than there is room for, of one market alone.
  days.of(second, 20_000 * DAY_S, 20_025 * DAY_S);
  expect(days.size).toBeLessThanOrEqual(10);
});
