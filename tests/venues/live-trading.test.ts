// Signals through the whole gateway to emulated venues, over real HTTP: one signal is one order there, whatever gets lost on the way.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../support/live-gateway.ts';

describe.each(LIVE_VENUES)('$exchange', (row) => {
  const { exchange, orders: path, leverage } = row;
  let gateway: LiveGateway;

  beforeEach(async () => {
    gateway = await openLiveGateway(row);
  });
  afterEach(() => gateway.close());

  test('a signal is one order, and its answer has the venue’s own word', async () => {
    expect(await gateway.send()).toMatchObject({
      status: 200,
      tradeResult: { status: 'Filled', executedQty: 0.01, price: 50000.1, mode: 'live', account: 'main' },
    });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test.each<[string, (faults: LiveGateway['emulated']['faults']) => void]>([
    ['its answer is dropped', (faults) => faults.dropAnswerAfterAccept(path)],
    ['a 502 comes after it was taken', (faults) => faults.statusAfterAccept(path, 502)],
    ['its answer is garbage', (faults) => faults.garbage(path, true)],
    ['the venue says that nobody knows', (faults) => faults.unknownOutcome(path, true)],
  ])('an order that is taken while %s is found, reported as filled, and there is one', async (_, plan) => {
    plan(gateway.emulated.faults);
    expect(await gateway.send()).toMatchObject({ status: 200, tradeResult: { status: 'Filled', executedQty: 0.01 } });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test('a close sells what is held, never more, and the position is flat', async () => {
    await gateway.send();
    expect(await gateway.send({ action: 'CLOSE_LONG', quantity: 5 })).toMatchObject({
      tradeResult: { status: 'Filled', executedQty: 0.01 },
    });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
  });

  test('a reversal closes, then opens', async () => {
    await gateway.send();
    expect(await gateway.send({ action: 'SHORT' })).toMatchObject({ tradeResult: { status: 'Filled' } });
    // An account at MEXC begins as a hedge account, which holds both sides beside each other.
    const sold = Array(exchange === 'mexc' ? 1 : 2).fill('SELL 0.01 FILLED');
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', ...sold]);
  });

  test('where the leverage cannot be set, no order is sent', async () => {
    gateway.emulated.faults.statusAfterAccept(leverage, 400, 9);
    const { status, tradeResult } = await gateway.send({ leverage: 7 });
    expect([status, tradeResult]).not.toMatchObject([200, { status: 'Filled' }]);
    expect(gateway.orders()).toEqual([]);
  });

  test('what fills while the gateway is down is booked at the next start', async () => {
    expect(await gateway.send({ price: 49000 })).toMatchObject({ tradeResult: { status: 'Submitted' } });
    await gateway.stop();
    gateway.emulated.market.setPrice(MARKET, '48990');
    await gateway.restart();
    await expect
      .poll(() => gateway.ask('/trades'), { timeout: 10_000 })
      .toMatchObject({ result: [{ status: 'Filled', executedQty: 0.01 }] });
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });
});
