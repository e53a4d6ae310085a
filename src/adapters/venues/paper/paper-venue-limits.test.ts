// The paper venue's limit orders: when they rest, when the market fills them, what they reserve.

import { describe, expect, test } from 'vitest';
import { type Decimal, decimal, toText } from '../../../trading/decimal.ts';
import { closing, openTestVenue, order } from './testing/open-test-venue.ts';

const text = (value: bigint | undefined) => (value === undefined ? undefined : toText(value as Decimal));

describe('a limit order', () => {
  test('that crosses fills at once at the market, not at its limit', async () => {
    const { venue } = await openTestVenue();
    const report = await venue.placeOrder(order('LONG', '0.01', { price: decimal('101000') }));
    expect([report.status, text(report.averagePrice)]).toEqual(['filled', '100005']);
    const touch = await venue.placeOrder(order('LONG', '0.01', { price: decimal('100005') }));
    expect(touch.status).toBe('filled');
  });

  test('below the market rests, and fills at its limit for the maker fee once the market trades through it', async () => {
    const { venue, prices } = await openTestVenue();
    const heard: unknown[] = [];
    venue.watchOrders((report) => heard.push(report));
    const buy = order('LONG', '0.01', { price: decimal('99000') });
    expect(await venue.placeOrder(buy)).toMatchObject({ status: 'submitted', fills: [] });
    expect(await venue.openOrders('BTCUSDT')).toHaveLength(1);
    prices.advance(10);
    prices.trade('BTCUSDT', '99000');
    prices.advance(10);
    expect(await venue.matchNow()).toBe(0);
    prices.trade('BTCUSDT', '98999.9');
    prices.trade('BTCUSDT', '105000');
    prices.advance(10);
    expect(await venue.matchNow()).toBe(1);
    expect(heard).toMatchObject([
      { clientOrderId: buy.clientOrderId, status: 'filled', averagePrice: decimal('99000') },
    ]);
    const lookup = await venue.findOrder('BTCUSDT', buy.clientOrderId);
    expect(lookup).toMatchObject({ found: true, order: { fills: [{ fee: decimal('0.198') }] } });
    expect(await venue.openOrders('BTCUSDT')).toEqual([]);
    expect(await venue.matchNow()).toBe(0);
  });

  test('is not filled by trades from before its birth', async () => {
    const { venue, prices } = await openTestVenue();
    prices.trade('BTCUSDT', '90000');
    prices.advance(10);
    prices.trade('BTCUSDT', '100000');
    prices.advance(10);
    await venue.placeOrder(order('LONG', '0.01', { price: decimal('95000') }));
    prices.advance(10);
    expect(await venue.matchNow()).toBe(0);
  });

  test('whose market passed it while the process was down fills after the restart', async () => {
    const { venue, prices, reopen } = await openTestVenue();
    const sell = order('SHORT', '0.01', { price: decimal('101000') });
    await venue.placeOrder(sell);
    await venue.close();
    prices.advance(60_000);
    prices.trade('BTCUSDT', '102000');
    prices.advance(60_000);
    prices.trade('BTCUSDT', '100000');
    prices.advance(60_000);
    const again = await reopen();
    const heard: string[] = [];
    again.watchOrders((report) => heard.push(report.status));
    await again.matchNow();
    expect(heard).toEqual(['filled']);
    expect(await again.positions('BTCUSDT')).toMatchObject([{ side: 'SHORT', entryPrice: decimal('101000') }]);
  });

  test('reserves margin until it is canceled', async () => {
    const { venue } = await openTestVenue();
    const buy = order('LONG', '0.1', { price: decimal('90000') });
    await venue.placeOrder(buy);
    expect(text((await venue.summary()).marginInUse)).toBe('451.8');
    expect(await venue.cancelOrder('BTCUSDT', buy.clientOrderId)).toMatchObject({ status: 'canceled' });
    expect(text((await venue.summary()).marginInUse)).toBe('0');
  });

  test('that reduces more than is left fills what is left', async () => {
    const { venue, prices } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.02'));
    const take = closing('LONG', '0.02', { price: decimal('101000') });
    await venue.placeOrder(take);
    await venue.placeOrder(closing('LONG', '0.015'));
    prices.trade('BTCUSDT', '102000');
    prices.advance(10);
    expect(await venue.matchNow()).toBe(1);
    const found = await venue.findOrder('BTCUSDT', take.clientOrderId);
    expect(found).toMatchObject({
      order: { status: 'canceled', executedQuantity: decimal('0.005'), reason: expect.stringMatching(/closed/) },
    });
    expect(await venue.positions('BTCUSDT')).toEqual([]);
  });

  test('that would open against a position of a one-way account is canceled when its time comes', async () => {
    const { venue, prices } = await openTestVenue();
    const buy = order('LONG', '0.01', { price: decimal('99000') });
    await venue.placeOrder(buy);
    await venue.placeOrder(order('SHORT', '0.01'));
    prices.trade('BTCUSDT', '98000');
    prices.advance(10);
    await venue.matchNow();
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toMatchObject({
      order: { status: 'canceled', reason: expect.stringMatching(/one-way mode/) },
    });
  });

  test('is compared again when the market could not be read', async () => {
    const { venue, prices } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.01', { price: decimal('99000') }));
    prices.trade('BTCUSDT', '98000');
    prices.advance(10);
    prices.down = true;
    expect(await venue.matchNow().catch(() => 'failed')).toBe(0);
    prices.down = false;
    prices.advance(10);
    expect(await venue.matchNow()).toBe(1);
  });
});

describe('the timer', () => {
  test('matches again and again until the venue is closed', async () => {
    const runs: (() => void)[] = [];
    let stopped = 0;
    const after = (delayMs: number, run: () => void) => {
      expect(delayMs).toBe(1000);
      runs.push(run);
      return () => {
        stopped++;
      };
    };
    const { venue, prices } = await openTestVenue({ timers: { after } });
    const heard = new Promise((resolve) => venue.watchOrders(resolve));
    await venue.placeOrder(order('LONG', '0.01', { price: decimal('99000') }));
    prices.trade('BTCUSDT', '98000');
    prices.advance(10);
    runs[0]!();
    expect(await heard).toMatchObject({ status: 'filled' });
    await expect.poll(() => runs.length).toBe(2);
    await venue.close();
    expect(stopped).toBe(1);
  });
});
