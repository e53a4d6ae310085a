// The paper venue when its disk fails, its commits wait, or orders meet at the same instant.

import { describe, expect, test } from 'vitest';
import { FeedRefusal } from '../../../market-data/bar-feed.ts';
import { decimal, toText } from '../../../trading/decimal.ts';
import { closing, openTestVenue, order } from './testing/open-test-venue.ts';

const balanceOf = async (venue: Awaited<ReturnType<typeof openTestVenue>>['venue']) =>
  toText((await venue.summary()).balance);

describe('a commit that fails', () => {
  test('means the order was not sent, and the books are as before', async () => {
    const { venue, ledger } = await openTestVenue();
    ledger.failCommits(1);
    const buy = order('LONG', '0.01');
    await expect(venue.placeOrder(buy)).rejects.toMatchObject({
      failure: 'not-sent',
      message: expect.stringMatching(/could not store the order: disk full/),
    });
    expect(await venue.positions('BTCUSDT')).toEqual([]);
    expect(await balanceOf(venue)).toBe('10000');
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toEqual({ found: false, certain: true });
    expect(await venue.placeOrder(buy)).toMatchObject({ status: 'filled', orderId: 'paper-binance-000001' });
  });

  test('does not harm the orders in flight behind it: they are booked on the true books', async () => {
    const { venue, ledger } = await openTestVenue();
    const release = ledger.hold();
    ledger.failCommits(1);
    const lost = venue.placeOrder(order('LONG', '0.01'));
    const others = [order('LONG', '0.02'), order('LONG', '0.5', { market: 'ETHUSDT' })].map((o) => venue.placeOrder(o));
    release();
    await expect(lost).rejects.toMatchObject({ failure: 'not-sent' });
    for (const report of await Promise.all(others)) expect(report.status).toBe('filled');
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ quantity: decimal('0.02') }]);
    const fees = ledger.fills.reduce((sum, fill) => sum + decimal(fill.fee), 0n);
    expect((await venue.summary()).balance).toBe(decimal('10000') - fees);
  });

  test('while the books cannot be read either, orders are not sent; later all is well', async () => {
    const { venue, ledger } = await openTestVenue();
    ledger.failCommits(1);
    ledger.failLoads(2);
    await expect(venue.placeOrder(order('LONG', '0.01'))).rejects.toMatchObject({ failure: 'not-sent' });
    await expect(venue.placeOrder(order('LONG', '0.01'))).rejects.toMatchObject({
      failure: 'not-sent',
      message: expect.stringMatching(/cannot read its books: disk gone/),
    });
    await expect(venue.positions('BTCUSDT')).rejects.toMatchObject({ failure: 'not-sent' });
    expect(await venue.placeOrder(order('LONG', '0.01'))).toMatchObject({ status: 'filled' });
  });

  test('of a resting order’s fill is tried again, and watchers hear of it once', async () => {
    const { venue, ledger, prices } = await openTestVenue();
    const heard: string[] = [];
    venue.watchOrders((report) => heard.push(report.status));
    await venue.placeOrder(order('LONG', '0.01', { price: decimal('99000') }));
    prices.trade('BTCUSDT', '98000');
    prices.advance(10);
    ledger.failCommits(1);
    expect(await venue.matchNow()).toBe(0);
    expect(heard).toEqual([]);
    prices.advance(10);
    expect(await venue.matchNow()).toBe(1);
    expect(heard).toEqual(['filled']);
  });

  test('of a leverage or a cancel leaves both as they were', async () => {
    const { venue, ledger } = await openTestVenue();
    const buy = order('LONG', '0.01', { price: decimal('99000') });
    await venue.placeOrder(buy);
    ledger.failCommits(1);
    await expect(venue.cancelOrder('BTCUSDT', buy.clientOrderId)).rejects.toMatchObject({ failure: 'not-sent' });
    expect(await venue.openOrders('BTCUSDT')).toHaveLength(1);
    ledger.failCommits(1);
    await expect(venue.ensureLeverage('BTCUSDT', 7)).rejects.toMatchObject({ failure: 'not-sent' });
    const before = ledger.commits;
    await venue.ensureLeverage('BTCUSDT', 20);
    expect(ledger.commits).toBe(before);
  });
});

describe('a commit of which nobody knows whether it holds', () => {
  test.each(['written', 'late'] as const)('is asked about and found, if it was %s', async (fate) => {
    const { venue, ledger } = await openTestVenue();
    ledger.leaveUnclear(fate);
    const buy = order('LONG', '0.01');
    await expect(venue.placeOrder(buy)).rejects.toMatchObject({
      failure: 'unknown',
      message: expect.stringMatching(/does not know whether it has stored the order: the answer is lost/),
    });
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toMatchObject({
      found: true,
      order: { status: 'filled' },
    });
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ quantity: decimal('0.01') }]);
    await expect(venue.placeOrder(buy)).rejects.toMatchObject({ failure: 'duplicate' });
  });

  test('is certainly not there once another one stands in its place, and may be sent again', async () => {
    const { venue, ledger } = await openTestVenue();
    ledger.leaveUnclear('gone');
    const buy = order('LONG', '0.01');
    await expect(venue.placeOrder(buy)).rejects.toMatchObject({ failure: 'unknown' });
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toEqual({ found: false, certain: true });
    expect(await balanceOf(venue)).toBe('10000');
    expect(await venue.placeOrder(buy)).toMatchObject({ status: 'filled', orderId: 'paper-binance-000001' });
  });

  test('has no answer while nothing can be stored or read', async () => {
    const { venue, ledger } = await openTestVenue();
    ledger.leaveUnclear('late');
    const buy = order('LONG', '0.01');
    await expect(venue.placeOrder(buy)).rejects.toMatchObject({ failure: 'unknown' });
    ledger.failLoads(1);
    await expect(venue.findOrder('BTCUSDT', buy.clientOrderId)).rejects.toThrow(/cannot read its books/);
    ledger.failCommits(1);
    await expect(venue.findOrder('BTCUSDT', buy.clientOrderId)).rejects.toThrow(/cannot read its books/);
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toMatchObject({ found: true });
    expect(ledger.fills).toHaveLength(1);
  });

  test('does not harm the orders in flight behind it', async () => {
    const { venue, ledger } = await openTestVenue();
    const release = ledger.hold();
    ledger.leaveUnclear('gone');
    const unclear = venue.placeOrder(order('LONG', '0.01'));
    const others = [order('LONG', '0.02'), order('LONG', '0.5', { market: 'ETHUSDT' })].map((o) => venue.placeOrder(o));
    release();
    await expect(unclear).rejects.toMatchObject({ failure: 'unknown' });
    for (const report of await Promise.all(others)) expect(report.status).toBe('filled');
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ quantity: decimal('0.02') }]);
  });

  test('of a cancel is asked about too', async () => {
    const { venue, ledger } = await openTestVenue();
    const buy = order('LONG', '0.01', { price: decimal('99000') });
    await venue.placeOrder(buy);
    ledger.leaveUnclear('written');
    await expect(venue.cancelOrder('BTCUSDT', buy.clientOrderId)).rejects.toMatchObject({ failure: 'unknown' });
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toMatchObject({ order: { status: 'canceled' } });
  });
});

describe('a comparison with the market', () => {
  async function slowComparison() {
    const opened = await openTestVenue();
    const { venue, prices } = opened;
    const buy = order('LONG', '0.01', { price: decimal('99000') });
    await venue.placeOrder(buy);
    prices.trade('BTCUSDT', '98000');
    prices.advance(10);
    const { promise, resolve } = Promise.withResolvers<void>();
    const range = prices.range.bind(prices);
    prices.range = async (...ask) => {
      await promise;
      return range(...ask);
    };
    return { ...opened, buy, pass: venue.matchNow(), readMarket: resolve };
  }

  test('does not fill an order that was canceled meanwhile', async () => {
    const { venue, ledger, buy, pass, readMarket } = await slowComparison();
    await new Promise(setImmediate);
    await venue.cancelOrder('BTCUSDT', buy.clientOrderId);
    readMarket();
    expect(await pass).toBe(0);
    expect(ledger.fills).toEqual([]);
    expect(await venue.findOrder('BTCUSDT', buy.clientOrderId)).toMatchObject({ order: { status: 'canceled' } });
  });

  test('books nothing on books that were lost meanwhile; the next one does', async () => {
    const { venue, ledger, prices, pass, readMarket } = await slowComparison();
    await new Promise(setImmediate);
    ledger.failCommits(1);
    await expect(venue.placeOrder(order('LONG', '0.01'))).rejects.toMatchObject({ failure: 'not-sent' });
    await venue.placeOrder(order('LONG', '0.02'));
    const { commits } = ledger;
    readMarket();
    expect(await pass).toBe(0);
    expect(ledger.commits).toBe(commits);
    prices.advance(10);
    expect(await venue.matchNow()).toBe(1);
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ quantity: decimal('0.03') }]);
  });
});

describe('commits that wait', () => {
  test('the books are read again only when nothing is in flight', async () => {
    const { venue, ledger } = await openTestVenue();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const commit = ledger.commit.bind(ledger);
    ledger.commit = async (entry) => {
      if (entry.order?.row.market === 'ETHUSDT') await held;
      return commit(entry);
    };
    ledger.failCommits(1);
    const lost = venue.placeOrder(order('LONG', '0.01'));
    const behind = venue.placeOrder(order('LONG', '0.5', { market: 'ETHUSDT' }));
    await expect(lost).rejects.toMatchObject({ failure: 'not-sent' });
    let read = false;
    const positions = venue.positions('BTCUSDT').finally(() => {
      read = true;
    });
    await new Promise(setImmediate);
    expect(read).toBe(false);
    release();
    expect(await positions).toEqual([]);
    expect(await behind).toMatchObject({ status: 'filled' });
  });

  test('nothing is answered before it is on disk', async () => {
    const { venue, ledger } = await openTestVenue();
    const release = ledger.hold();
    let answered = false;
    const buy = order('LONG', '0.01');
    const placed = venue.placeOrder(buy).then(() => {
      answered = true;
    });
    const lookup = venue.findOrder('BTCUSDT', buy.clientOrderId);
    await new Promise(setImmediate);
    let shown = false;
    const positions = venue.positions('BTCUSDT').finally(() => {
      shown = true;
    });
    await new Promise(setImmediate);
    expect([answered, shown]).toEqual([false, false]);
    release();
    await placed;
    expect(await lookup).toMatchObject({ found: true });
    expect(await positions).toMatchObject([{ quantity: decimal('0.01') }]);
  });

  test('orders at the same instant cannot spend the same margin twice', async () => {
    const { venue } = await openTestVenue();
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => venue.placeOrder(order('LONG', '1.2'))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('closes at the same instant cannot close more than there is', async () => {
    const { venue } = await openTestVenue();
    await venue.placeOrder(order('LONG', '0.03'));
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => venue.placeOrder(closing('LONG', '0.02'))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await venue.positions('BTCUSDT')).toEqual([]);
  });

  test('closing the venue waits for them', async () => {
    const { venue, ledger } = await openTestVenue();
    const release = ledger.hold();
    const placed = venue.placeOrder(order('LONG', '0.01'));
    let closed = false;
    const closing = venue.close().then(() => {
      closed = true;
    });
    await new Promise(setImmediate);
    expect(closed).toBe(false);
    release();
    await Promise.all([placed, closing]);
    expect(ledger.fills).toHaveLength(1);
  });
});

describe('two processes on one ledger', () => {
  test('see each other’s entries instead of writing over them', async () => {
    const { venue, reopen, ledger } = await openTestVenue();
    const other = await reopen();
    await venue.placeOrder(order('LONG', '0.01'));
    await other.placeOrder(order('LONG', '0.02'));
    await venue.placeOrder(order('LONG', '0.03'));
    expect(await venue.positions('BTCUSDT')).toMatchObject([{ quantity: decimal('0.06') }]);
    expect(new Set(ledger.fills.map(({ fillId }) => fillId)).size).toBe(3);
  });
});

describe('prices that cannot be had', () => {
  test('do not stop the account from opening: what it holds in any market is there', async () => {
    const { venue, prices, reopen } = await openTestVenue();
    prices.trade('ODDUSDT', '3.5');
    prices.advance(1);
    await venue.ensureLeverage('ODDUSDT', 3);
    await venue.placeOrder(order('LONG', '10', { market: 'ODDUSDT' }));
    prices.trade('LEVUSDT', '7');
    prices.advance(1);
    await venue.ensureLeverage('LEVUSDT', 4);
    const { lastPrice } = prices;
    prices.lastPrice = async () => {
      throw new Error('no way out');
    };
    const again = await reopen();
    expect(await again.positions('ODDUSDT')).toMatchObject([{ side: 'LONG', quantity: decimal('10') }]);
    prices.lastPrice = lastPrice;
    expect(await again.placeOrder(closing('LONG', '10', { market: 'ODDUSDT' }))).toMatchObject({ status: 'filled' });
    expect(await again.placeOrder(order('LONG', '10', { market: 'LEVUSDT' }))).toMatchObject({ status: 'filled' });
  });

  test('because there is no such market are a refusal, not a reason to try again', async () => {
    const { venue, prices } = await openTestVenue();
    prices.lastPrice = async () => {
      throw new FeedRefusal('binance has no market NOUSDT; check the spelling');
    };
    await expect(venue.placeOrder(order('LONG', '1', { market: 'NOUSDT' }))).rejects.toMatchObject({
      failure: 'rejected',
      message: 'binance has no market NOUSDT; check the spelling',
    });
  });
});
