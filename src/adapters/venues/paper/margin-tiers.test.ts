// Margin tiers: the table is sound, the margin has no steps, and leverage falls as a position grows.

import { describe, expect, test } from 'vitest';
import { decimal, minus, plus, toText } from '../../../trading/decimal.ts';
import { largestAt, tierAt } from '../../../trading/leverage-tiers.ts';
import { maintenanceAt, type TierName, tiersOf } from './margin-tiers.ts';
import { openTestVenue, order } from './testing/open-test-venue.ts';

/** With the greatest leverage that a venue has in such a market. */
const NAMES: readonly [TierName, number][] = [
  ['btc', 200],
  ['eth', 200],
  ['large', 100],
  ['small', 75],
];
const CENT = decimal('0.01');

describe.each(NAMES)('the tiers of %s', (name, greatest) => {
  const tiers = tiersOf(name, greatest);

  test('grow in worth and margin, and fall in leverage', () => {
    for (const [index, tier] of tiers.entries()) {
      const before = tiers[index - 1];
      // Below the initial margin: otherwise a position would be liquidated as it is opened.
      expect(Number(toText(tier.maintenanceRate))).toBeLessThan(1 / tier.maxLeverage);
      if (!before) continue;
      expect(tier.upTo).toBeGreaterThan(before.upTo);
      expect(tier.maintenanceRate).toBeGreaterThan(before.maintenanceRate);
      expect(tier.maxLeverage).toBeLessThanOrEqual(before.maxLeverage);
    }
  });

  test('have no step in the margin at a bound', () => {
    for (const { upTo } of tiers.slice(0, -1)) {
      const step = minus(maintenanceAt(tiers, plus(upTo, CENT)), maintenanceAt(tiers, upTo));
      expect(step).toBeGreaterThan(0n);
      expect(step).toBeLessThan(CENT);
    }
  });

  test('a bound belongs to the lower tier', () => {
    const [first, second] = tiers;
    expect(tierAt(tiers, first!.upTo)).toBe(first);
    expect(tierAt(tiers, plus(first!.upTo, CENT))).toBe(second);
    expect(largestAt(tiers, first!.maxLeverage)).toBe(first!.upTo);
    expect(largestAt(tiers, first!.maxLeverage + 1)).toBe(0n);
  });
});

test('the market’s own greatest leverage is that of the first tier', () => {
  expect(tiersOf('btc', 200)[0]!.maxLeverage).toBe(200);
  expect(
    tiersOf('btc', 20)
      .map(({ maxLeverage }) => maxLeverage)
      .slice(0, 7),
  ).toEqual([20, 20, 20, 20, 20, 20, 10]);
});

describe('leverage', () => {
  const RICH = { startingBalance: '10000000' };

  test('is possible up to the worth of its tier, and refused with the remedy above', async () => {
    const { venue } = await openTestVenue(RICH);
    await venue.ensureLeverage('BTCUSDT', 125);
    await venue.placeOrder(order('LONG', '0.499'));
    await expect(venue.placeOrder(order('LONG', '0.002'))).rejects.toMatchObject({
      failure: 'rejected',
      message: expect.stringMatching(
        /^at 125x a position in BTCUSDT may be worth 50000 USDT, and this would make it 50100: lower the leverage to 100 or the quantity$/,
      ),
    });
    await venue.ensureLeverage('BTCUSDT', 100);
    expect(await venue.placeOrder(order('LONG', '5.5'))).toMatchObject({ status: 'filled' });
  });

  test('counts entries that wait on its side, and only those', async () => {
    const { venue } = await openTestVenue({ ...RICH, positionMode: 'hedge' });
    await venue.ensureLeverage('BTCUSDT', 125);
    const waiting = order('LONG', '0.4', { price: decimal('90000') });
    await venue.placeOrder(waiting);
    await venue.placeOrder(order('SHORT', '0.5'));
    await expect(venue.placeOrder(order('LONG', '0.141'))).rejects.toMatchObject({
      message: expect.stringContaining('may be worth 50000 USDT, and this would make it 50100'),
    });
    await venue.placeOrder(order('LONG', '0.14'));
    await venue.cancelOrder('BTCUSDT', waiting.clientOrderId);
    expect(await venue.placeOrder(order('LONG', '0.36'))).toMatchObject({ status: 'filled' });
  });

  test('cannot be raised above the tier of what waits', async () => {
    const { venue } = await openTestVenue(RICH);
    await venue.placeOrder(order('LONG', '7', { price: decimal('90000') }));
    await expect(venue.ensureLeverage('BTCUSDT', 100)).rejects.toMatchObject({ failure: 'rejected' });
    await venue.ensureLeverage('BTCUSDT', 75);
  });

  test('cannot be raised above the tier of what is held', async () => {
    const { venue } = await openTestVenue(RICH);
    await venue.placeOrder(order('LONG', '7'));
    await expect(venue.ensureLeverage('BTCUSDT', 100)).rejects.toMatchObject({
      failure: 'rejected',
      message: expect.stringContaining('use at most 75, or reduce it first'),
    });
    await venue.ensureLeverage('BTCUSDT', 75);
  });
});
