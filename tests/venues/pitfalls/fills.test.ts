// Fills that nobody told us of: they are found by looking, and positions do not depend on how far back the venue shows them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../../src/trading/decimal.ts';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../../support/live-gateway.ts';

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  beforeEach(async () => {
    gateway = await openLiveGateway(row);
  });
  afterEach(() => gateway.close());
  const lastTrade = async () => (await gateway.ask('/trades')).result[0];
  const positions = async () =>
    (await gateway.ask('/positions')).result.map(({ side, quantity }) => `${side} ${quantity}`).join();

  test('a fill that the venue’s stream does not tell, although it lives, is found by looking', async () => {
    gateway.emulated.faults.loseEvents = 1000;
    await gateway.send({ price: 49000 });
    gateway.emulated.market.setPrice(MARKET, '48990');
    await expect.poll(lastTrade).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(await positions()).toBe('LONG 0.01');
  });

  test('fills in parts, before, during and after a cut of the stream, are each booked once', async () => {
    gateway.emulated.market.setLiquidity(MARKET, '0.004');
    await gateway.send({ price: 49000 });
    gateway.emulated.market.setPrice(MARKET, '48990');
    gateway.emulated.faults.cutStreams();
    gateway.emulated.market.setLiquidity(MARKET, '0.003');
    gateway.emulated.market.setPrice(MARKET, '48980');
    await expect.poll(lastTrade).toMatchObject({ status: 'PartiallyFilled', executedQty: 0.007 });
    gateway.emulated.market.setLiquidity(MARKET, '1');
    gateway.emulated.market.setPrice(MARKET, '48970');
    await expect.poll(lastTrade).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(await positions()).toBe('LONG 0.01');
  });

  test('a position that is older than every fill the venue still shows is kept at a start, and closed', async () => {
    await gateway.send();
    await gateway.stop();
    const none = row.exchange === 'binance' ? [] : row.noPositions;
    gateway.emulated.faults.answerInstead(row.fills, 200, none, 1000);
    await gateway.restart();
    expect(await positions()).toBe('LONG 0.01');
    gateway.emulated.faults.clear();
    const closed = await gateway.outcome({ action: 'CLOSE_LONG', quantity: 5 });
    expect(closed).toMatchObject({ status: 'Filled', executedQty: 0.01 });
    expect(await positions()).toBe('');
  });

  test('orders of ours and of the owner are not taken for liquidations', async () => {
    await gateway.outcome();
    const positionSide = row.exchange === 'mexc' ? 'LONG' : 'BOTH';
    const quantity = decimal('0.01');
    for (const side of ['BUY', 'SELL'] as const)
      gateway.emulated.market.place({
        ...{ clientOrderId: `by-hand-${side}`, symbol: MARKET, side, positionSide, timeInForce: 'IOC' },
        ...{ quantity, reduceOnly: false },
      });
    const accounts = gateway.built().gateway?.desk.accounts;
    const venue = accounts?.of({ exchange: row.exchange, mode: 'live', account: 'main' });
    expect(await venue?.forcedOrders?.()).toEqual([]);
  });
});
