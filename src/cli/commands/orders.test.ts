// `orders` and `cancel` on the command line: which route they call, and what they show.

import { describe, expect, test } from 'vitest';
import { ok, run } from '../testing/fake-host.ts';

const ID = 'sbx01k9q7d3e4f5g6h7j8k9m0n1p2o';
const ORDER = {
  ...{ clientOrderId: ID, receivedAt: 1_750_000_000_000, exchange: 'binance', account: 'scalp', market: 'BTCUSDT' },
  ...{ side: 'SELL', positionSide: 'LONG', reduceOnly: true, quantity: 0.5, price: 70000, status: 'Submitted' },
  ...{ executedQty: 0, strategy: 'trend', mode: 'live' },
};

describe('orders', () => {
  test('lists the open ones', async () => {
    const { code, out, calls } = await run(['orders'], ok([ORDER]));
    expect([code, calls]).toEqual([0, [{ method: 'GET', path: '/orders' }]]);
    expect(out).toContain(
      `binance:scalp  BTCUSDT  SELL  close LONG       0.5  70000  Submitted       0  LIVE  trend     ${ID}`,
    );
  });

  test('of another state', async () => {
    expect((await run(['orders', '--state', 'Filled'], ok([]))).calls[0]?.path).toBe('/orders?state=Filled');
  });

  test('passes every flag on, and says so when there is none', async () => {
    const flags = ['--state', 'all', '--exchange', 'binance', '--account', 'scalp', '--symbol', 'BTCUSDT'];
    const more = ['--strategy', 'trend', '--limit', '5', '--before', ID];
    const { out, calls } = await run(['orders', ...flags, ...more], ok([]));
    const query = `state=all&exchange=binance&account=scalp&symbol=BTCUSDT&strategy=trend&limit=5&before=${ID}`;
    expect(calls[0]?.path).toBe(`/orders?${query}`);
    expect(out).toBe('There are no such orders.');
  });
});

describe('cancel', () => {
  test('one order', async () => {
    const { code, out, calls } = await run(['cancel', ID], ok({ ...ORDER, status: 'Canceled', executedQty: 0.2 }));
    expect([code, calls]).toEqual([0, [{ method: 'DELETE', path: `/orders/${ID}` }]]);
    expect(out).toBe(`Canceled: ${ID}; 0.2 had filled before.`);
  });

  test('one that has ended is refused with its word', async () => {
    const body = { success: false, requestId: 'r', error: 'the order is Filled already', code: 'ORDER_ENDED' };
    const { code, err } = await run(['cancel', ID], { answer: { status: 409, body } });
    expect(code).toBe(1);
    expect(err).toContain('Refused (409 ORDER_ENDED): the order is Filled already');
  });

  test('all', async () => {
    const { code, out, calls } = await run(['cancel', '--all'], ok([]));
    expect([code, calls]).toEqual([0, [{ method: 'POST', path: '/orders/cancel', body: { all: true } }]]);
    expect(out).toBe('No open order fits; there was nothing to cancel.');
  });

  test('those of a market', async () => {
    const { calls } = await run(['cancel', '--symbol', 'BTCUSDT'], ok([{ ...ORDER, outcome: 'ended', error: null }]));
    expect(calls).toEqual([{ method: 'POST', path: '/orders/cancel', body: { symbol: 'BTCUSDT' } }]);
  });

  test('those that fit, and an order that could not be canceled is a failure', async () => {
    const flags = ['--exchange', 'binance', '--account', 'scalp', '--symbol', 'BTCUSDT', '--side', 'sell'];
    const more = ['--position-side', 'long', '--key-label', 'chart', '--strategy', 'trend'];
    const failed = { ...ORDER, outcome: 'unreachable', error: 'binance cannot be reached' };
    const { code, err, calls } = await run(['cancel', ...flags, ...more], ok([failed]));
    expect(calls[0]?.body).toEqual({
      ...{ exchange: 'binance', account: 'scalp', symbol: 'BTCUSDT', strategy: 'trend' },
      ...{ side: 'SELL', positionSide: 'LONG', key: 'chart' },
    });
    expect(code).toBe(1);
    expect(err).toContain('unreachable  binance cannot be reached');
  });

  test.each([[], [ID, '--all'], ['--all', '--symbol', 'BTCUSDT'], [ID, 'another'], ['--side', 'LONG']])(
    'is refused as a command line: %j %j',
    async (...words) => {
      const { code, calls } = await run(['cancel', ...words]);
      expect([code, calls]).toEqual([2, []]);
    },
  );
});
