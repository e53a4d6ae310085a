// The arithmetic of positions: averages, profit and margin, exact and never turned around.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Decimal, decimal, plus } from '../../../trading/decimal.ts';
import { FLAT, increase, marginFor, reduce, unrealizedPnl } from './position.ts';

const quantities = fc.integer({ min: 1, max: 1_000_000 }).map((n) => decimal(`${n}e-3`));
const prices = fc.integer({ min: 1, max: 200_000_000 }).map((n) => decimal(`${n}e-2`));
const sides = fc.constantFrom('LONG', 'SHORT');

test('the average entry lies between the prices it was made of', () => {
  fc.assert(
    fc.property(quantities, prices, quantities, prices, (q1, p1, q2, p2) => {
      const { quantity, entryPrice } = increase(increase(FLAT, q1, p1), q2, p2);
      expect(quantity).toBe(plus(q1, q2));
      expect(entryPrice >= (p1 < p2 ? p1 : p2) && entryPrice <= (p1 < p2 ? p2 : p1)).toBe(true);
    }),
  );
});

test('closing in two parts earns what closing at once earns, to the last but one unit', () => {
  fc.assert(
    fc.property(sides, quantities, prices, quantities, prices, (side, total, entry, part, exit) => {
      fc.pre(part < total);
      const held = increase(FLAT, total, entry);
      const first = reduce(held, side, part, exit);
      const second = reduce(first.holding, side, first.holding.quantity, exit);
      const whole = reduce(held, side, total, exit);
      expect(second.holding).toBe(FLAT);
      expect(whole.realizedPnl).toBe(unrealizedPnl(held, side, exit));
      const difference = whole.realizedPnl - plus(first.realizedPnl, second.realizedPnl);
      expect(difference >= -1n && difference <= 1n).toBe(true);
    }),
  );
});

test('a long earns what a short loses', () => {
  fc.assert(
    fc.property(quantities, prices, prices, (quantity, entry, mark) => {
      const held = increase(FLAT, quantity, entry);
      expect(unrealizedPnl(held, 'LONG', mark)).toBe(-unrealizedPnl(held, 'SHORT', mark));
    }),
  );
});

test('reducing by one unit too many is a fault', () => {
  const held = increase(FLAT, decimal('1'), decimal('10'));
  expect(() => reduce(held, 'LONG', (decimal('1') + 1n) as Decimal, decimal('10'))).toThrow(RangeError);
});

test('margin is notional over leverage', () => {
  expect(marginFor(decimal('0.5'), decimal('3000'), 20)).toBe(decimal('75'));
  expect(marginFor(decimal('0.5'), decimal('3000'), 1)).toBe(decimal('1500'));
});
