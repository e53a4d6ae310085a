// Numbers as people read them.

import { expect, test } from 'vitest';
import { decimalsOf, decimalsOfAll, fixed, gainOrLoss, percent, plain, signed } from './numbers.ts';

test.each([
  [1234.5, 2, '1,234.50'],
  [-12.418, 2, '−12.42'],
  [-0.001, 2, '0.00'],
  [0, 0, '0'],
  [null, 2, '–'],
  [undefined, 2, '–'],
  [Number.NaN, 2, '–'],
  [1e15, 0, '1,000,000,000,000,000'],
])('%s with %s decimals is %s', (value, decimals, text) => {
  expect(fixed(value, decimals)).toBe(text);
});

test.each([
  [412.18, '+412.18'],
  [-412.18, '−412.18'],
  [0, '0.00'],
  [0.001, '0.00'],
])('%s as a gain or a loss is %s', (value, text) => {
  expect(signed(value)).toBe(text);
});

test('a share is told in percent', () => {
  expect([percent(0.0128), percent(-0.021, 1), percent(null)]).toEqual(['+1.28 %', '−2.1 %', '–']);
});

test.each([
  [0.01, 2],
  [95_262.6, 1],
  [40, 0],
  [1e-7, 7],
  [1.5e-7, 8],
  [1e21, 0],
  [0.1 + 0.2, 10],
])('%s is written with %s decimals', (value, decimals) => {
  expect(decimalsOf(value)).toBe(decimals);
});

test('a column has one number of decimals', () => {
  expect(decimalsOfAll([1, 0.25, null, 3.5])).toBe(2);
  expect(decimalsOfAll([])).toBe(0);
  expect(plain(0.25)).toBe('0.25');
});

test('nothing is neither gain nor loss, and neither is what is written as nothing', () => {
  expect([gainOrLoss(-0.0049), gainOrLoss(0.005)]).toEqual([undefined, 'up']);
  expect([gainOrLoss(1), gainOrLoss(-1), gainOrLoss(0), gainOrLoss(null)]).toEqual([
    'up',
    'down',
    undefined,
    undefined,
  ]);
});
