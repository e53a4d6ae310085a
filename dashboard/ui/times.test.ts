// Times as people read them.

import { expect, test } from 'vitest';
import { ago, clockTime, dayAndTime, inUtc, lasting } from './times.ts';

const NOON = new Date(2026, 10, 17, 12, 0, 0).getTime();

test.each([
  [0, 'now'],
  [4_999, 'now'],
  [5_000, '5 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [3_599_999, '59 min ago'],
  [3_600_000, '11:00:00'],
  [13 * 3_600_000, '2026-11-16 23:00'],
])('%s ms before is told as %s', (ms, text) => {
  expect(ago(NOON - ms, NOON)).toBe(text);
});

test('a day is told where it is not today', () => {
  expect([clockTime(NOON), dayAndTime(NOON, NOON), dayAndTime(NOON - 86_400_000, NOON)]).toEqual([
    '12:00:00',
    '12:00:00',
    '2026-11-16 12:00',
  ]);
});

test('UTC has milliseconds', () => {
  expect(inUtc(1_794_942_435_647)).toBe('2026-11-17 19:07:15.647 UTC');
});

test.each([
  [18.4, '18 ms'],
  [1_234, '1.2 s'],
  [12_345, '12 s'],
  [180_000, '3 min'],
  [7_500_000, '2 h 5 min'],
  [7_200_000, '2 h'],
  [4 * 86_400_000 + 3 * 3_600_000, '4 d 3 h'],
])('%s ms last %s', (ms, text) => {
  expect(lasting(ms)).toBe(text);
});
