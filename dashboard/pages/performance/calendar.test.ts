// Months of a calendar: which days stand where, over the turn of a year and in a leap year.

import { expect, test } from 'vitest';
import { monthsOf, shortNet } from './calendar.ts';

const months = (days: readonly string[], most = 12) => monthsOf(new Map(days.map((day) => [day, 1])), most);
const rows = (day: string) => months([day])[0]!.weeks.map((week) => week.map((each) => each?.number ?? '.').join(' '));

test('a month begins under its weekday', () => {
  // 1 November 2026 is a Sunday.
  expect(rows('2026-11-17')).toEqual([
    ...['. . . . . . 1', '2 3 4 5 6 7 8', '9 10 11 12 13 14 15'],
    ...['16 17 18 19 20 21 22', '23 24 25 26 27 28 29', '30 . . . . . .'],
  ]);
});

test('a leap year has its day, others have not', () => {
  expect(rows('2028-02-01').at(-1)).toContain('29');
  expect(rows('2027-02-01').join(' ')).not.toContain('29');
});

test('a day has what was traded on it, and only that one', () => {
  const days = months(['2026-11-17'])[0]!
    .weeks.flat()
    .filter((each) => each?.value !== undefined);
  expect(days).toEqual([{ day: '2026-11-17', number: 17, value: 1 }]);
});

test('months without a trade between two others are there, the newest first, over the turn of the year', () => {
  const titles = (most: number) => months(['2025-11-30', '2026-02-01'], most).map(({ title }) => title);
  expect(titles(12)).toEqual(['February 2026', 'January 2026', 'December 2025', 'November 2025']);
  expect(titles(2)).toEqual(['February 2026', 'January 2026']);
  expect(months([])).toEqual([]);
});

test.each([
  [-0.004, '0.00'],
  [99.994, '+99.99'],
  [-15.39, '−15.39'],
  [99.996, '+100'],
  [-9_999.4, '−9,999'],
  [9_999.6, '+10.0k'],
  [-99_949, '−99.9k'],
  [-123_456, '−123k'],
  [999_951, '+1.0M'],
  [88_800_000, '+89M'],
  [-123_456_789, '−123M'],
])('a day that came to %f is told as %s', (net, words) => {
  expect(shortNet(net)).toBe(words);
  expect(words.length).toBeLessThanOrEqual(6);
});
