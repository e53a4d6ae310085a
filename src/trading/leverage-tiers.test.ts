// Leverage tiers: which leverage a position of a size may have, and what is said where it may not.

import { expect, test } from 'vitest';
import { decimal } from './decimal.ts';
import { type LeverageTiers, tierFault } from './leverage-tiers.ts';

const TIERS: LeverageTiers = {
  by: 'worth',
  tiers: [
    { upTo: decimal('300000'), maxLeverage: 125 },
    { upTo: decimal('800000'), maxLeverage: 100 },
    { upTo: decimal('3000000'), maxLeverage: 1 },
  ],
};
const fault = (leverage: number, size: string, tiers = TIERS) =>
  tierFault(tiers, { market: 'BTCUSDT', leverage, size: decimal(size) });

test.each([
  [125, '0.01'],
  [125, '300000'],
  [101, '300000'],
  [100, '300000.01'],
  [100, '800000'],
  [1, '3000000'],
])('at %ix a position of %s may be', (leverage, size) => {
  expect(fault(leverage, size)).toBeUndefined();
});

test.each([
  [125, '300000.01', '300000', 'lower the leverage to 100 or the quantity'],
  [101, '800000', '300000', 'lower the leverage to 100 or the quantity'],
  [100, '800000.01', '800000', 'lower the leverage to 1 or the quantity'],
  // No leverage would help.
  [1, '3000000.01', '3000000', 'lower the quantity'],
  [126, '0.01', '0', 'lower the leverage to 125 or the quantity'],
])('at %ix a position of %s may not be', (leverage, size, largest, remedy) => {
  expect(fault(leverage, size)).toBe(
    `at ${leverage}x a position in BTCUSDT may be worth ${largest} USDT, and this would make it ${size}: ${remedy}`,
  );
});

test('tiers by quantity say so', () => {
  expect(fault(125, '300001.00005', { ...TIERS, by: 'quantity' })).toBe(
    'at 125x a position in BTCUSDT may have a quantity of 300000, and this would make it 300001: lower the leverage to 100 or the quantity',
  );
});
