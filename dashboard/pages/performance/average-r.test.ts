// R on average and of a trade that was closed in parts.

import { expect, test } from 'vitest';
import { averageR, wholeR } from './average-r.ts';

test('those without a stop do not count', () => {
  expect(averageR([{ r: 2 }, { r: null }, { r: -1 }])).toEqual({ average: 0.5, count: 2 });
  expect(averageR([{ r: null }])).toBeUndefined();
  expect(averageR([])).toBeUndefined();
});

test('parts are weighed by what was at risk', () => {
  expect(
    wholeR([
      { net: 30, atRisk: 10 },
      { net: -30, atRisk: 30 },
    ]),
  ).toBe(0);
  expect(
    wholeR([
      { net: 30, atRisk: 10 },
      { net: 10, atRisk: null },
    ]),
  ).toBeUndefined();
  expect(wholeR([])).toBeUndefined();
});
