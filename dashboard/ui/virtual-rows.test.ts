// Which rows of a long list are drawn, also with something opened below one of them.

import { expect, test } from 'vitest';
import { drawnRows } from './virtual-rows.ts';

const LIST = { viewPx: 360, count: 10_000, rowPx: 36 };

test('at the top only what is in view and a little more', () => {
  expect(drawnRows({ ...LIST, scrolledPx: 0 })).toEqual({ first: 0, end: 17, abovePx: 0, totalPx: 360_000 });
});

test('in the middle a little more on both sides', () => {
  expect(drawnRows({ ...LIST, scrolledPx: 36 * 500 })).toEqual({
    ...{ first: 494, end: 517, abovePx: 494 * 36, totalPx: 360_000 },
  });
});

test('the end is the end', () => {
  expect(drawnRows({ ...LIST, scrolledPx: 360_000 - 360 })).toMatchObject({ first: 9984, end: 10_000 });
});

test('a list that begins further down, or has no row, draws nothing that is not there', () => {
  expect(drawnRows({ ...LIST, scrolledPx: -1000 })).toMatchObject({ first: 0, abovePx: 0 });
  expect(drawnRows({ ...LIST, count: 0, scrolledPx: 50 })).toEqual({ first: 0, end: 0, abovePx: 0, totalPx: 0 });
});

test('what is opened above the view counts with its height', () => {
  const opened = { index: 3, px: 400 };
  expect(drawnRows({ ...LIST, opened, scrolledPx: 36 * 500 + 400 })).toEqual({
    ...{ first: 494, end: 517, abovePx: 494 * 36 + 400, totalPx: 360_400 },
  });
});

test('a row whose opened part fills the view is still drawn', () => {
  const opened = { index: 100, px: 4000 };
  const { first, end } = drawnRows({ ...LIST, opened, scrolledPx: 36 * 101 + 2000 });
  expect(first).toBeLessThanOrEqual(100);
  expect(end).toBeGreaterThan(100);
});
