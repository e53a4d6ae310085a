// What is held and what it cost: averages as exact arithmetic has them, rounded once; profit that adds up; never turned around.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Decimal,
  decimal,
  minus,
  type Product,
  plus,
  productFrom,
  productText,
  times,
  toText,
  ZERO,
} from '../decimal.ts';
import { entryPriceOf, FLAT, type Holding, heldAt, increase, profitAt, reduce } from './holding.ts';

const quantities = fc.integer({ min: 1, max: 1_000_000 }).map((n) => decimal(`${n}e-3`));
const prices = fc.integer({ min: 1, max: 200_000_000 }).map((n) => decimal(`${n}e-2`));
const sides = fc.constantFrom('LONG', 'SHORT');
const all = (fills: readonly (readonly [Decimal, Decimal])[]): Holding =>
  fills.reduce((held, [quantity, price]) => increase(held, quantity, price), FLAT);

/** A fraction of whole numbers, the yardstick: nothing is ever rounded in it. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** Halves away from zero; written another way than the code it checks: by comparing both neighbours. */
function roundedOnce({ over, under }: Fraction): bigint {
  const down = over / under;
  return 2n * (over - down * under) >= under ? down + 1n : down;
}

describe('the average entry price', () => {
  test('does not drift: the fills of the report, and then the same again and again', () => {
    let held = FLAT;
    for (let round = 0; round < 500; round++) {
      held = increase(held, decimal('0.003'), decimal('3017.85'));
      held = increase(held, decimal('0.001'), decimal('3017.86'));
      expect(toText(entryPriceOf(held))).toBe('3017.8525');
    }
  });

  test('comes back to a price that it left by a third', () => {
    const thirds = all([
      [decimal('1'), decimal('96337.1')],
      [decimal('2'), decimal('96337.2')],
    ]);
    expect(toText(entryPriceOf(thirds))).toBe('96337.166666666667');
    expect(toText(entryPriceOf(increase(thirds, decimal('1'), decimal('96337.1'))))).toBe('96337.15');
  });

  test('of random fills is what exact arithmetic has, rounded once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(quantities, prices), { minLength: 1, maxLength: 60 }), (fills) => {
        const over = fills.reduce((sum, [quantity, price]) => sum + quantity * price, 0n);
        const under = fills.reduce((sum, [quantity]) => sum + quantity, 0n);
        expect(entryPriceOf(all(fills))).toBe(roundedOnce({ over, under }));
      }),
    );
  });

  test('of random fills that add and reduce is what exact arithmetic has, rounded once', () => {
    const steps = fc.array(fc.tuple(quantities, prices, fc.boolean()), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(steps, (fills) => {
        let held = FLAT;
        let exact: Fraction = { over: 0n, under: 1n };
        for (const [quantity, price, adds] of fills) {
          if (adds) {
            const total = held.quantity + quantity;
            const over = exact.over * held.quantity + quantity * price * exact.under;
            exact = { over, under: exact.under * total };
            held = increase(held, quantity, price);
          } else if (quantity < held.quantity) held = reduce(held, 'LONG', quantity, price).holding;
        }
        if (held.quantity > ZERO) expect(entryPriceOf(held)).toBe(roundedOnce(exact));
      }),
    );
  });

  test('lies between the prices it was made of', () => {
    fc.assert(
      fc.property(quantities, prices, quantities, prices, (q1, p1, q2, p2) => {
        const held = increase(increase(FLAT, q1, p1), q2, p2);
        const entryPrice = entryPriceOf(held);
        expect(held.quantity).toBe(plus(q1, q2));
        expect(entryPrice >= (p1 < p2 ? p1 : p2) && entryPrice <= (p1 < p2 ? p2 : p1)).toBe(true);
      }),
    );
  });

  test('of a position that is known by it only is that price', () => {
    expect(entryPriceOf(heldAt(decimal('0.003'), decimal('68000.1')))).toBe(decimal('68000.1'));
    expect(heldAt(ZERO, decimal('68000.1'))).toBe(FLAT);
    expect(entryPriceOf(FLAT)).toBe(ZERO);
  });
});

describe('profit', () => {
  test('of closing in two parts is what closing at once earns, to the last but one unit', () => {
    fc.assert(
      fc.property(sides, quantities, prices, quantities, prices, (side, total, entry, part, exit) => {
        fc.pre(part < total);
        const held = increase(FLAT, total, entry);
        const first = reduce(held, side, part, exit);
        const second = reduce(first.holding, side, first.holding.quantity, exit);
        const whole = reduce(held, side, total, exit);
        expect(second.holding).toBe(FLAT);
        expect(whole.realizedPnl).toBe(profitAt(held, side, exit));
        const difference = whole.realizedPnl - plus(first.realizedPnl, second.realizedPnl);
        expect(difference >= -1n && difference <= 1n).toBe(true);
      }),
    );
  });

  test('of everything bought and sold is exactly the money that came minus the money that went', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(quantities, prices), { minLength: 1, maxLength: 20 }), prices, (fills, exit) => {
        const held = all(fills);
        const spent = fills.reduce((sum, [quantity, price]) => plus(sum, times(quantity, price)), ZERO);
        const { realizedPnl } = reduce(held, 'LONG', held.quantity, exit);
        expect(realizedPnl).toBe(minus(times(held.quantity, exit), spent));
      }),
    );
  });

  test('of a long is the loss of a short', () => {
    fc.assert(
      fc.property(quantities, prices, prices, (quantity, entry, mark) => {
        const held = increase(FLAT, quantity, entry);
        expect(profitAt(held, 'LONG', mark)).toBe(-profitAt(held, 'SHORT', mark));
      }),
    );
  });
});

test('reducing by one unit too many is a fault', () => {
  const held = increase(FLAT, decimal('1'), decimal('10'));
  expect(() => reduce(held, 'LONG', (decimal('1') + 1n) as Decimal, decimal('10'))).toThrow(RangeError);
});

test('a cost is text and back without loss', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n }), (units) => {
      expect(productFrom(productText(units as Product))).toBe(units);
    }),
  );
  expect(productText(0n as Product)).toBe('0');
  expect(productText(-1n as Product)).toBe(`-0.${'0'.repeat(23)}1`);
  for (const wrong of ['', '.5', '1.', '1e3', `0.${'1'.repeat(25)}`, 'NaN']) expect(() => productFrom(wrong)).toThrow();
});
