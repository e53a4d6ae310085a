// What size costs: nothing at the best price, more the deeper an order walks, with every listed market in the table.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimal, toText } from '../../../trading/decimal.ts';
import { depthOf, impactOf } from './market-depth.ts';
import { closing, openTestVenue, order } from './testing/open-test-venue.ts';

const RICH = { startingBalance: '100000000' };

describe('price impact', () => {
  test('begins where the best price is used up: a two-hundredth of the depth', () => {
    const [last, depth] = [decimal('100'), decimal('1000000')];
    expect(impactOf(last, decimal('5000'), depth)).toBe(0n);
    expect(impactOf(last, decimal('5001'), depth)).toBeGreaterThan(0n);
    // W = 995,000 of V = D = 1,000,000: 0.990025 × 0.5 % of 100.
    expect(toText(impactOf(last, decimal('1000000'), depth))).toBe('0.4950125');
  });

  test('a larger order never pays a better average, whatever the market', () => {
    const amount = fc.integer({ min: 1, max: 1_000_000_000 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 400_000, max: 180_000_000 }), (a, b, depth) => {
        const [small, large] = [Math.min(a, b), Math.max(a, b)];
        const of = (value: number) => impactOf(decimal('100'), decimal(value), decimal(depth));
        expect(of(small)).toBeLessThanOrEqual(of(large));
      }),
    );
  });

  test('buys and sells pay it, opening and closing, and a limit is never passed', async () => {
    const { venue } = await openTestVenue(RICH);
    const { averagePrice: small } = await venue.placeOrder(order('LONG', '9'));
    const { averagePrice: large } = await venue.placeOrder(order('LONG', '100'));
    // 9 BTC at 100,000 are what rests at the best price; of 100 walk 9.1 million: 82.81 ÷ 1800 × 0.5 % is 23.0 USDT.
    expect([toText(small!), toText(large!)]).toEqual(['100005', '100028.1']);
    const { averagePrice: bound } = await venue.placeOrder(order('LONG', '100', { price: decimal('100010') }));
    expect(toText(bound!)).toBe('100010');
    const { averagePrice: sold } = await venue.placeOrder(closing('LONG', '209'));
    expect(Number(toText(sold!))).toBeLessThan(99_960);
  });
});

describe('the largest order', () => {
  test('opens, and one step more is refused with the bound; a close may be larger', async () => {
    const { venue } = await openTestVenue(RICH);
    await venue.placeOrder(order('LONG', '120'));
    await expect(venue.placeOrder(order('LONG', '120.001'))).rejects.toMatchObject({
      failure: 'rejected',
      message: 'BTCUSDT takes orders of at most 120 at once: send a smaller quantity',
    });
    await venue.placeOrder(order('LONG', '120'));
    expect(await venue.placeOrder(closing('LONG', '240'))).toMatchObject({ status: 'filled' });
  });

  test('of a market outside the table is worth at most 40,000 USDT and at least a step', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-7, max: 1e7, noNaN: true }), (price) => {
        const { maxQuantity } = depthOf('SOMEUSDT', price);
        expect(maxQuantity).toBeGreaterThan(0n);
        expect(Number(toText(maxQuantity)) * price).toBeLessThanOrEqual(Math.max(40_000.001, 0.001 * price));
      }),
    );
  });
});
