// The sum of several accounts' curves, and the deepest fall of one.

import { expect, test } from 'vitest';
import { drawdowns, sumOfCurves, worstDrawdown } from './equity-curve.ts';

const curve = (...points: readonly (readonly [at: number, equity: number])[]) => ({
  points: points.map(([at, equity]) => ({ at, equity, balance: equity })),
});
const sums = (...curves: readonly ReturnType<typeof curve>[]) =>
  sumOfCurves(curves).map(({ at, equity }) => [at, equity]);

test('each account counts with what it had last', () => {
  expect(sums(curve([1, 100], [3, 110]), curve([1, 50], [2, 40]))).toEqual([
    [1, 150],
    [2, 140],
    [3, 150],
  ]);
});

test('an account that came later counts with its first value before: it brought no profit', () => {
  expect(sums(curve([1, 100], [3, 101]), curve([2, 1000]))).toEqual([
    [1, 1100],
    [2, 1100],
    [3, 1101],
  ]);
});

test('without a point there is no curve', () => {
  expect(sums()).toEqual([]);
  expect(sums(curve())).toEqual([]);
});

test.each([
  [[100, 110, 99, 120, 114], -0.1],
  [[100, 101, 102], 0],
  [[], 0],
  [[0, 0], 0],
])('the worst fall of %j is %s', (values, worst) => {
  expect(worstDrawdown(values.map((equity, at) => ({ at, equity })))).toBeCloseTo(worst, 12);
});

test('each point falls from the height before it, not from the first one', () => {
  const falls = drawdowns([100, 200, 150, 100, 300].map((equity, at) => ({ at, equity })));
  expect(falls.map(({ value }) => value)).toEqual([0, 0, -0.25, -0.5, 0]);
});
