// Answers that get lost between us and a venue: an order is never sent twice, never called refused, and never forgotten.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LIVE_VENUES, type LiveGateway, openLiveGateway } from '../../support/live-gateway.ts';

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  beforeEach(async () => {
    gateway = await openLiveGateway(row);
  });
  afterEach(() => gateway.close());
  const lastTrade = async () => (await gateway.ask('/trades')).result[0];

  test('an order that filled and is first read as "not found" is not sent again', async () => {
    // As with tradingview-alert-connector #30.
    gateway.emulated.faults.dropAnswerAfterAccept(row.orders);
    const { emulated } = gateway;
    emulated.faults.answerInstead(row.order, 200, NOT_FOUND[row.exchange], row.exchange === 'bybit' ? 4 : 2);
    await gateway.send();
    await expect.poll(lastTrade).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test.each(['direct', 'failover'])(
    'in %s mode a close that was taken is no failure because its fills cannot be asked for',
    async (mode) => {
      await gateway.ask('/admin/queue-mode', { method: 'PUT', body: JSON.stringify({ mode }) });
      await gateway.send();
      gateway.emulated.faults.tooManyRequests(row.fills, 429, 1);
      await gateway.send({ action: 'CLOSE_LONG' });
      await expect.poll(lastTrade).toMatchObject({ action: 'CLOSE_LONG', status: 'Filled', executedQty: 0.01 });
      expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
    },
  );

  test('an order that was taken is not refused because the question for it is', async () => {
    const reply = { status: 400, text: '' };
    // Binance answers with the order itself, so that only its fills are asked for.
    for (const match of [row.order, row.fills])
      gateway.emulated.faults.plan(match, { type: 'answer', when: 'before', reply });
    await gateway.send();
    await expect.poll(lastTrade).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test('a cancel that was done is told as done although the order cannot be asked for at once', async () => {
    await gateway.send({ price: 40000 });
    const { result } = await gateway.ask('/orders');
    const id = String(result[0]?.clientOrderId);
    // Otherwise the venue's stream has it looked at by somebody else.
    gateway.emulated.faults.loseEvents = 10;
    gateway.emulated.faults.tooManyRequests(row.order, 429, 1);
    const answer = await gateway.ask(`/orders/${id}`, { method: 'DELETE' });
    expect(answer).toMatchObject({ success: true, result: { status: 'Canceled' } });
  });
});

/** How each venue says that it has no such order. */
const NOT_FOUND = {
  binance: { code: -2013, msg: 'Order does not exist.' },
  bybit: { retCode: 0, retMsg: 'OK', result: { category: 'linear', list: [] } },
  mexc: { success: false, code: 2040, message: 'Order does not exist' },
};
