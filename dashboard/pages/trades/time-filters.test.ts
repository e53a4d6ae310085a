// Days of a filter as moments: from the first one's beginning to the last one's end, in the reader's zone.

import { expect, test } from 'vitest';
import { timesOf } from './time-filters.ts';

const times = (query: string) => timesOf(new URLSearchParams(query));
const midnight = (year: number, month: number, day: number): string => String(new Date(year, month - 1, day).getTime());

test('both days count', () => {
  expect(times('from=2026-11-01&to=2026-11-30')).toEqual({ from: midnight(2026, 11, 1), to: midnight(2026, 12, 1) });
});

test('without a day there is no end', () => {
  expect(times('')).toEqual({ from: undefined, to: undefined });
});

test('what is no day is left to the server', () => {
  expect(times('from=1794709541004&to=soon')).toEqual({ from: '1794709541004', to: 'soon' });
});
