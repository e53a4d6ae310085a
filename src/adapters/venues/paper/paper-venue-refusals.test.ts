// What the paper venue refuses, and its answers about leverage, duplicates, lookups and cancels.

import { describe, expect, test } from 'vitest';
import { type Decimal, decimal, toText } from '../../../trading/decimal.ts';
import type { OrderRequest } from '../../../trading/venue.ts';
import { closing, openTestVenue, order } from './testing/open-test-venue.ts';

const rejection = (message: RegExp) => ({ failure: 'rejected', message: expect.stringMatching(message) });
const text = (value: bigint | undefined) => (value === undefined ? undefined : toText(value as Decimal));

describe('refusals', () => {
  const cases: [string, OrderRequest, RegExp][] = [
    ['a quantity below the minimum', order('LONG', '0.0009'), /0.0009 is below the minimum of 0.001 on BTCUSDT/],
    ['a quantity off the step', order('LONG', '0.0015'), /0.0015 is not on the step of BTCUSDT, 0.001/],
    ['no quantity', order('LONG', '0'), /greater than 0; the minimum is 0.001/],
    ['a price off the tick', order('LONG', '0.01', { price: decimal('99000.05') }), /not on the tick of BTCUSDT, 0.1/],
    ['a price of nothing', order('LONG', '0.01', { price: decimal('0') }), /price must be greater than 0/],
    ['too small an order', order('LONG', '0.001', { price: decimal('99999.9') }), /99.9999 USDT.*minimum of 100 USDT/],
    ['more than the margin', order('LONG', '3'), /15150.7575 USDT needed at 20x.*10000 USDT available/],
    ['a buy that closes a long', order('LONG', '1', { side: 'BUY', reduceOnly: true }), /does not reduce a long/],
    ['a sell that opens a long', order('LONG', '1', { side: 'SELL' }), /must be reduce-only/],
    ['an endless client id', order('LONG', '1', { clientOrderId: 'x'.repeat(37) }), /1 to 36 characters/],
    ['no market', order('LONG', '1', { market: 'no such' }), /binance has no market "no such"/],
  ];
  test.each(cases)('%s is refused and nothing is booked', async (_, request, message) => {
    const { venue, ledger } = await openTestVenue();
    const before = ledger.commits;
    await expect(venue.placeOrder(request)).rejects.toMatchObject(rejection(message));
    expect(ledger.commits).toBe(before);
    expect(await venue.findOrder(request.market, request.clientOrderId)).toEqual({ found: false, certain: true });
  });

  test('the smallest lawful order passes', async () => {
    const { venue } = await openTestVenue();
    expect((await venue.placeOrder(order('LONG', '0.001'))).status).toBe('filled');
  });

  test('the 201st resting order of a market is refused', async () => {
    const { venue } = await openTestVenue({ startingBalance: '1000000' });
    const rest = () => venue.placeOrder(order('LONG', '0.002', { price: decimal('90000') }));
    for (let i = 0; i < 200; i++) await rest();
    await expect(rest()).rejects.toMatchObject(rejection(/200 resting orders.*cancel some/));
    expect((await venue.placeOrder(order('LONG', '0.002'))).status).toBe('filled');
  });

  test('without a price an order was not sent', async () => {
    const { venue, prices } = await openTestVenue();
    prices.down = true;
    await expect(venue.placeOrder(order('LONG', '0.01'))).rejects.toMatchObject({ failure: 'not-sent' });
  });
});

describe('leverage', () => {
  test('goes from 1 to the maximum, which a refusal names', async () => {
    const { venue } = await openTestVenue();
    await venue.ensureLeverage('BTCUSDT', 1);
    await venue.ensureLeverage('BTCUSDT', 125);
    for (const leverage of [0, 126, 1.5, Number.NaN])
      await expect(venue.ensureLeverage('BTCUSDT', leverage)).rejects.toMatchObject(rejection(/from 1 to 125/));
  });

  test('is written only when it changes, and survives a restart', async () => {
    const { venue, ledger, reopen } = await openTestVenue();
    const before = ledger.commits;
    await venue.ensureLeverage('BTCUSDT', 20);
    expect(ledger.commits).toBe(before);
    await venue.ensureLeverage('BTCUSDT', 5);
    await venue.ensureLeverage('BTCUSDT', 5);
    expect(ledger.commits).toBe(before + 1);
    const again = await reopen();
    await again.placeOrder(order('LONG', '0.01', { price: decimal('99000') }));
    expect(text((await again.summary()).marginInUse)).toBe('198.198');
  });

  test('cannot fall when the margin for what is open is missing', async () => {
    const { venue } = await openTestVenue();
    await venue.placeOrder(order('LONG', '1'));
    await expect(venue.ensureLeverage('BTCUSDT', 5)).rejects.toMatchObject(rejection(/USDT more than is available/));
    await venue.ensureLeverage('BTCUSDT', 50);
    expect(text((await venue.summary()).marginInUse)).toBe('2000.1');
  });
});

describe('the same client order id', () => {
  test('is a duplicate and trades once, one after the other or at the same instant', async () => {
    const { venue, ledger } = await openTestVenue();
    const buy = order('LONG', '0.01');
    const outcomes = await Promise.allSettled([venue.placeOrder(buy), venue.placeOrder(buy), venue.placeOrder(buy)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ failure: 'duplicate' });
    await expect(venue.placeOrder(buy)).rejects.toMatchObject({ failure: 'duplicate' });
    expect(ledger.fills).toHaveLength(1);
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ quantity: decimal('0.01') }]);
  });

  test('is a duplicate even when the order would now be refused', async () => {
    const { venue } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.01'));
    const close = closing('LONG', '0.01');
    await venue.placeOrder(close);
    await expect(venue.placeOrder(close)).rejects.toMatchObject({ failure: 'duplicate' });
  });
});

describe('lookups and cancels', () => {
  test('an order is found by its id in its own market only, whole', async () => {
    const { venue } = await openTestVenue();
    const report = await venue.placeOrder(order('LONG', '0.01'));
    expect(await venue.findOrder('BTCUSDT', report.clientOrderId)).toEqual({ found: true, order: report });
    expect(await venue.findOrder('ETHUSDT', report.clientOrderId)).toEqual({ found: false, certain: true });
  });

  test('open orders are those with our prefix', async () => {
    const { venue } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.01', { price: decimal('90000'), clientOrderId: 'manual1' }));
    await venue.placeOrder(order('LONG', '0.01', { price: decimal('90000'), clientOrderId: 'sbxmine' }));
    expect((await venue.openOrders('BTCUSDT')).map((report) => report.clientOrderId)).toEqual(['sbxmine']);
    expect(await venue.openOrders('ETHUSDT')).toEqual([]);
  });

  test('canceling a filled order gives its final word, an unknown one is refused', async () => {
    const { venue } = await openTestVenue();
    const report = await venue.placeOrder(order('LONG', '0.01'));
    expect(await venue.cancelOrder('BTCUSDT', report.clientOrderId)).toEqual(report);
    await expect(venue.cancelOrder('BTCUSDT', 'sbxnone')).rejects.toMatchObject(
      rejection(/no order sbxnone in BTCUSDT/),
    );
  });

  test('a market that no table lists has rules from its price', async () => {
    const { venue, prices } = await openTestVenue();
    prices.trade('NEWCOINUSDT', '0.02345');
    expect(await venue.market('NEWCOINUSDT')).toMatchObject({ tickSize: decimal('0.000001'), stepSize: decimal('1') });
    prices.trade('NEWCOINUSDT', '0.02346');
    expect((await venue.market('NEWCOINUSDT')).lastPrice).toBe(decimal('0.02346'));
    const report = await venue.placeOrder(order('LONG', '1000', { market: 'NEWCOINUSDT' }));
    expect(text(report.averagePrice)).toBe('0.023462');
  });
});
