// Fills that are listed a week at a time: the latest week first, and no week more than is needed.

import { expect, test } from 'vitest';
import { decimal } from '../../trading/decimal.ts';
import type { Fill } from '../../trading/venue.ts';
import { fillsByWeek } from './fills-by-week.ts';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 1000 * DAY_MS;
const KEPT_MS = 90 * DAY_MS;

/** Fills of so many days ago, each of 1, as a venue lists them that refuses more than a week. */
function venue(...daysAgo: readonly number[]) {
  const weeks: (readonly [fromDay: number, toDay: number])[] = [];
  const all = daysAgo.map((days): Fill => {
    const [quantity, price, fee] = [decimal(1), decimal(50_000), decimal(0)];
    return { fillId: `${days} days ago`, quantity, price, fee, atMs: NOW_MS - days * DAY_MS };
  });
  const fillsOf = (createdDaysAgo: number, executed: number) =>
    fillsByWeek(
      { createdAtMs: NOW_MS - createdDaysAgo * DAY_MS, executedQuantity: decimal(executed) },
      ...([NOW_MS, KEPT_MS] as const),
      async ({ startTime, endTime }) => {
        expect(endTime - startTime).toBeLessThanOrEqual(7 * DAY_MS);
        weeks.push([Math.round((NOW_MS - startTime) / DAY_MS), Math.round((NOW_MS - endTime) / DAY_MS)]);
        return all.filter(({ atMs }) => startTime <= atMs && atMs <= endTime);
      },
    );
  return { weeks, fillsOf };
}

test.each([0, 6.9])('an order that is %d days old needs one question', async (days) => {
  const { weeks, fillsOf } = venue(days);
  expect(await fillsOf(days, 1)).toHaveLength(1);
  expect(weeks).toHaveLength(1);
});

test('one that is older is asked for from its latest week back, until its fills add up', async () => {
  const { weeks, fillsOf } = venue(29, 8, 0);
  expect((await fillsOf(30, 2)).map(({ fillId }) => fillId)).toEqual(['8 days ago', '0 days ago']);
  expect(weeks).toEqual([
    [2, -5],
    [9, 2],
  ]);
});

test('no moment between two weeks is left out, back to when the order was made', async () => {
  const days = [30, 23, 16, 9, 2, 0];
  const { fillsOf } = venue(...days);
  expect(await fillsOf(30, days.length)).toHaveLength(days.length);
});

test('what the venue shows no more is not asked for', async () => {
  const { weeks, fillsOf } = venue(95);
  expect(await fillsOf(100, 1)).toEqual([]);
  expect(weeks.at(-1)).toEqual([90, 83]);
});
