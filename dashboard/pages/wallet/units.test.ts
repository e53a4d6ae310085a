// Amounts of coins, exact to the last unit.

import { expect, test } from 'vitest';
import { fromUnits, toUnits } from './units.ts';

test.each([
  ['1', 18, '1000000000000000000'],
  ['0.000000000000000001', 18, '1'],
  ['.5', 6, '500000'],
  ['1.', 0, '1'],
  ['123456789.123456', 6, '123456789123456'],
])('%s with %i decimals is %s', (text, decimals, units) => {
  expect(toUnits(text, decimals)).toBe(units);
});

test.each(['', '.', '0', '0.0', '1,5', '1e3', '-1', '1.0000001'])(
  '%j is no amount of a coin with six decimals',
  (text) => {
    expect(toUnits(text, 6)).toBeUndefined();
  },
);

test.each([
  ['1000000000000000001', 18, '1.000000000000000001'],
  ['1', 6, '0.000001'],
  ['0', 18, '0'],
  ['1234567000000', 6, '1,234,567'],
  ['7', 0, '7'],
])('%s units of %i decimals are %s', (digits, decimals, text) => {
  expect(fromUnits(digits, decimals)).toBe(text);
});
