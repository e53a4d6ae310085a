// The realized result as steps.

import { expect, test } from 'vitest';
import { stepsOf } from './steps-of.ts';

const flat = (points: readonly (readonly [at: number, value: number])[]) =>
  stepsOf(points.map(([at, value]) => ({ at, value }))).map(({ at, value }) => [at, value]);

test('begins at nothing, and stays between two fills as it was', () => {
  expect(
    flat([
      [100, -5],
      [200, 10],
    ]),
  ).toEqual([
    [99, 0],
    [100, -5],
    [199, -5],
    [200, 10],
  ]);
});

test('never goes back in time, also where two fills are one moment', () => {
  expect(
    flat([
      [100, -5],
      [100, 10],
    ]),
  ).toEqual([
    [99, 0],
    [100, -5],
    [100, -5],
    [100, 10],
  ]);
});

test('without a fill is none', () => {
  expect(stepsOf([])).toEqual([]);
});
