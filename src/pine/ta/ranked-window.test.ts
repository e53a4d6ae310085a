// Percentiles over a gap, worked out by hand with the moves that the head of the file describes.

import { expect, test } from 'vitest';
import { PercentileLinearInterpolation, PercentileNearestRank } from './order-statistics.ts';
import { RankedWindow } from './ranked-window.ts';

const na = Number.NaN;

function windows(values: readonly number[], length: number): number[][] {
  const window = new RankedWindow('percentile_nearest_rank', length);
  return values.map((value) => {
    window.next(value, length);
    return [...window.sorted.slice(0, window.size)];
  });
}

test('an na goes to the end, and a greater value passes it while a smaller one does not', () => {
  expect(windows([12, 13, 14, 15, na, na, 11, 12, 13, 14], 4).slice(3)).toEqual([
    [12, 13, 14, 15],
    [13, 14, 15, na],
    [14, 15, na, na],
    [11, 15, na, na],
    [11, 12, na, na],
    [11, 12, na, 13],
    [11, 12, 13, 14],
  ]);
  expect(windows([12, 19, 13, na, na, 21, 15, 22], 4).slice(4)).toEqual([
    [13, 19, na, na],
    [13, na, na, 21],
    [na, na, 15, 21],
    [na, 15, 21, 22],
  ]);
});

test('a value that is as great as the one that leaves, or as its neighbour, does not pass an na', () => {
  expect(windows([1, 2, 3, na, na, 1, 2, 3, 3], 5).slice(4)).toEqual([
    [1, 2, 3, na, na],
    [1, 2, 3, na, na],
    [1, 2, 3, na, na],
    [1, 2, 3, na, na],
    [1, 2, 3, 3, na],
  ]);
});

test('before the first value the window is full of na, which stand first', () => {
  expect(windows([na, na, na, na, na, 15, 16, 10, 11], 4).slice(5)).toEqual([
    [na, na, na, 15],
    [na, na, 15, 16],
    [na, 10, 15, 16],
    [10, 11, 15, 16],
  ]);
});

test('the nearest rank may be an na, and so is a line to one', () => {
  const [nearest, linear] = [new PercentileNearestRank(4), new PercentileLinearInterpolation(4)];
  const values = [13, 14, 15, 16, na, na, 11];
  expect(values.map((value) => nearest.next(value, 4, 75)).slice(3)).toEqual([15, 16, na, na]);
  expect(values.map((value) => linear.next(value, 4, 50)).slice(3)).toEqual([14.5, 15.5, na, na]);
});

test('a bar that is computed again finds the window as it was, with an na in it, before it and after it', () => {
  const values = [3, 1, 2, na, 5, 4, na, 0, 6, 7, 8];
  const plain = windows(values, 3);
  const live = new RankedWindow('percentile_nearest_rank', 3);
  const seen = values.map((value) => {
    live.save();
    for (const attempt of [9, na, 1]) {
      live.next(attempt, 3);
      live.next(attempt + 1, 3);
      live.restore();
    }
    live.next(value, 3);
    return [...live.sorted.slice(0, live.size)];
  });
  expect(seen).toEqual(plain);
});

test('another length puts the window in order, na last', () => {
  const window = new RankedWindow('percentile_nearest_rank', 5);
  for (const value of [4, na, 2, 3]) window.next(value, 2);
  expect(window.next(1, 5)).toBe(true);
  expect([...window.sorted]).toEqual([1, 2, 3, 4, na]);
});
