// Closes and reversals at a live venue: never more than is held, never another strategy's, never on the other side, and a
// success only when the venue itself says so.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../../src/trading/decimal.ts';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../../support/live-gateway.ts';

describe.each(LIVE_VENUES)('$exchange', (row) => {
  const isHedge = row.exchange === 'mexc';
  let gateway: LiveGateway;
  beforeEach(async () => {
    gateway = await openLiveGateway(row);
  });
  afterEach(() => gateway.close());

  /** The owner trades by hand. */
  const byHand = (side: 'BUY' | 'SELL', quantity: string): void => {
    const positionSide = isHedge ? 'LONG' : 'BOTH';
    const order = { clientOrderId: 'by-hand', symbol: MARKET, side, positionSide, timeInForce: 'IOC' } as const;
    gateway.emulated.market.place({ ...order, quantity: decimal(quantity), reduceOnly: false });
  };
  const answerOf = (match: { path?: string }): object =>
    gateway.emulated.requests.findLast(({ path }) => path === match.path)?.answer as object;

  test('the exit of a strategy closes its own share, after a restart too', async () => {
    await gateway.send({ strategy: 'trend' });
    await gateway.send({ strategy: 'range', quantity: 0.02 });
    await gateway.restart();
    const closed = await gateway.outcome({ strategy: 'trend', action: 'CLOSE_LONG', quantity: 5 });
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(gateway.held()).toBe('LONG 0.02');
    await gateway.send({ strategy: 'range', action: 'CLOSE_LONG', quantity: 5 });
    expect(gateway.held()).toBe('');
  });

  test('a close whose position is misread as flat is no success, and closes it when the position is shown again', async () => {
    await gateway.send();
    gateway.emulated.faults.answerInstead(row.positions, 200, row.noPositions, 9999);
    const { requestId, status, tradeResult } = await gateway.send({ action: 'CLOSE_LONG' });
    expect([status, tradeResult?.status]).not.toEqual([200, 'Filled']);
    expect(gateway.held()).toBe('LONG 0.01');
    gateway.emulated.faults.clear();
    await expect
      .poll(() => gateway.ask(`/trades/${requestId}`), { timeout: 30_000 })
      .toMatchObject({ result: { status: 'Filled', executedQty: 0.01 } });
    expect(gateway.held()).toBe('');
  });

  test('a close never turns the position around, although less is held than was read', async () => {
    await gateway.send();
    await gateway.send({ quantity: 0.02 });
    const stale = answerOf(row.positions);
    byHand('SELL', '0.028');
    gateway.emulated.faults.answerInstead(row.positions, 200, stale, 9);
    await gateway.send({ action: 'CLOSE_LONG', quantity: 5 });
    expect(gateway.held()).not.toContain('SHORT');
  });

  // A hedge account holds both sides, and turns nothing around.
  const onNetted = isHedge ? () => {} : test;
  onNetted('a reversal opens nothing until the venue says that the old position is flat', async () => {
    await gateway.send();
    await gateway.send({ quantity: 0.01 });
    const stale = answerOf(row.positions);
    const { emulated } = gateway;
    // What the venue says of positions stays behind its fills.
    const stop = emulated.market.listen((event) => {
      if (event.type === 'order' && event.change === 'trade' && event.order.side === 'SELL')
        emulated.faults.answerInstead(row.positions, 200, stale, 9);
    });
    const { tradeResult } = await gateway.send({ action: 'SHORT' });
    stop();
    expect(tradeResult?.status).not.toBe('Filled');
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'BUY 0.01 FILLED', 'SELL 0.02 FILLED']);
    expect(gateway.held()).toBe('');
  });

  test('orders that rest to close do not stand in the way of a close, and none is left behind', async () => {
    await gateway.send();
    await gateway.send({ action: 'CLOSE_LONG', price: 52000 });
    expect(await gateway.send({ action: 'CLOSE_LONG' })).toMatchObject({ tradeResult: { status: 'Filled' } });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0 CANCELED', 'SELL 0.01 FILLED']);
    expect(gateway.held()).toBe('');
  });

  test('the kill switch withdraws and closes although everybody who is told of it fails', async () => {
    await gateway.restart({
      NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/nobody',
      NOTIFY_WEBHOOK_SECRET: 'k'.repeat(32),
    });
    await gateway.outcome();
    await gateway.outcome({ price: 48000 });
    gateway.emulated.faults.dropAnswerAfterAccept(row.orders);
    const body = JSON.stringify({ active: true, scope: 'all', flatten: true });
    await gateway.ask('/admin/kill-switch', { method: 'PUT', body });
    await expect.poll(() => gateway.held()).toBe('');
    expect(gateway.orders()).toContain('BUY 0 CANCELED');
    expect(await gateway.send()).not.toMatchObject({ status: 200 });
    expect(gateway.held()).toBe('');
  });
});
