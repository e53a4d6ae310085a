// Sizes: every type at its boundaries, exact, and never more than it says.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderOf } from '../../../tests/ports/sample-trades.ts';
import { type Decimal, decimal, times, toText, ZERO } from '../decimal.ts';
import { priceLevel } from '../level.ts';
import type { QuantityType, SignalOrder } from '../signal.ts';
import type { Market } from '../venue.ts';
import { type SizingFacts, sizeOrder } from './size-order.ts';

const MARKET: Market = {
  ...{ symbol: 'BTCUSDT', tickSize: decimal('0.1'), stepSize: decimal('0.001'), minQuantity: decimal('0.001') },
  ...{ minNotional: decimal('5'), maxLeverage: 50, lastPrice: decimal('50000') },
};
const facts = (changes: Partial<SizingFacts> = {}): SizingFacts => ({
  ...{ market: MARKET, share: ZERO, equity: async () => decimal('10000') },
  ...changes,
});
const sized = async (
  quantityType: QuantityType | undefined,
  quantity: string,
  changes: Partial<SizingFacts> = {},
  order: Partial<SignalOrder> = {},
): Promise<string> => {
  const asked = orderOf({ ...order, quantity: decimal(quantity), ...(quantityType && { quantityType }) });
  const answer = await sizeOrder(asked, facts(changes));
  return 'refusal' in answer ? answer.refusal : `${toText(answer.quantity)}${answer.closesAll ? ' all' : ''}`;
};

describe('a quantity', () => {
  const stops = { stopLoss: priceLevel(decimal('49000')) };

  test.each([
    ['in base currency stays', undefined, '0.5', {}, '0.5'],
    ['said to be in base currency stays', 'base', '0.5', {}, '0.5'],
    ['in quote currency is divided by the price', 'quote', '1000', {}, '0.02'],
    ['in percent of equity is worth that', 'percent_equity', '50', {}, '0.1'],
    ['beyond the equity is worth more than it', 'percent_equity', '200', {}, '0.4'],
    ['at risk is what the distance to the stop loses', 'risk_percent', '1', { stops }, '0.1'],
    [
      'at risk with a stop above, of a short',
      'risk_percent',
      '1',
      { stops: { stopLoss: priceLevel(decimal('50500')) } },
      '0.2',
    ],
    ['in percent of the position is that part of the share', 'percent_position', '25', { share: decimal('2') }, '0.5'],
    ['in percent of a short too', 'percent_position', '25', { share: decimal('-2') }, '0.5'],
    ['of all of it closes all of it', 'percent_position', '100', { share: decimal('0.0005') }, '0.0005 all'],
  ] as const)('%s', async (_, type, quantity, changes, expected) => {
    expect(await sized(type, quantity, changes)).toBe(expected);
  });

  test('is worked out at the limit price where there is one', async () => {
    expect(await sized('quote', '1000', {}, { price: decimal('25000') })).toBe('0.04');
    expect(await sized('risk_percent', '1', { stops }, { price: decimal('49500') })).toBe('0.2');
  });

  test('of a sell below the market is worked out at the market, where it will trade', async () => {
    const above = { stops: { stopLoss: priceLevel(decimal('50500')) } };
    for (const action of ['SHORT', 'CLOSE_LONG'] as const)
      expect(await sized('quote', '1000', {}, { action, price: decimal('1000') })).toBe('0.02');
    const short = { action: 'SHORT', price: decimal('1000') } as const;
    expect(await sized('percent_equity', '50', {}, short)).toBe('0.1');
    expect(await sized('risk_percent', '1', above, short)).toBe('0.2');
    expect(await sized('quote', '1000', {}, { action: 'SHORT', price: decimal('100000') })).toBe('0.01');
    const unknown = { market: { ...MARKET, lastPrice: undefined } };
    expect(await sized('quote', '1000', unknown, short)).toContain('BTCUSDT has no price now');
  });

  test('of a buy above the market costs no more than asked for, should the market rise to its price', async () => {
    expect(await sized('quote', '1000', {}, { price: decimal('100000') })).toBe('0.01');
    const unknown = { market: { ...MARKET, lastPrice: undefined } };
    expect(await sized('quote', '1000', unknown, { price: decimal('25000') })).toBe('0.04');
  });

  test.each([
    ['no price', 'quote', { market: { ...MARKET, lastPrice: undefined } }, 'BTCUSDT has no price now'],
    ['no equity', 'percent_equity', { equity: async (): Promise<undefined> => undefined }, 'a price is missing'],
    ['an account that is worth nothing', 'percent_equity', { equity: async () => ZERO }, 'worth nothing'],
    ['an account in debt', 'risk_percent', { equity: async () => decimal('-1'), stops }, 'worth nothing'],
    ['no stop', 'risk_percent', {}, 'risk_percent needs stopLoss'],
    ['a stop at the entry', 'risk_percent', { stops: { stopLoss: priceLevel(decimal('50000.09')) } }, 'no distance'],
  ] as const)('cannot be worked out with %s, and nothing is sent', async (_, type, changes, words) => {
    const answer = await sized(type, '1', changes as Partial<SizingFacts>);
    expect(answer).toContain(words);
    expect(answer).toMatch(/nothing was sent$/);
  });

  test('needs no account where it does not count', async () => {
    const equity = (): Promise<Decimal> => Promise.reject(new Error('nobody may ask'));
    expect(await sized('quote', '1000', { equity })).toBe('0.02');
    expect(await sized('percent_position', '50', { equity, share: decimal('1') })).toBe('0.5');
  });

  test('is never more than was asked for, and less only by the last place', async () => {
    const amount = fc.integer({ min: 1, max: 10_000_000 }).map((thousandths) => decimal(thousandths / 1000));
    const property = fc.asyncProperty(amount, amount, amount, async (percent, equity, price) => {
      const market = { ...MARKET, lastPrice: price };
      const asked = orderOf({ quantity: percent, quantityType: 'percent_equity' });
      const answer = await sizeOrder(asked, facts({ market, equity: async () => equity }));
      const quantity = 'quantity' in answer ? answer.quantity : ZERO;
      const wanted = (times(equity, percent) / 100n) as Decimal;
      expect(times(quantity, price) <= wanted).toBe(true);
      expect(times((quantity + 2n) as Decimal, price) + 2n >= wanted - price).toBe(true);
    });
    await fc.assert(property);
  });
});
