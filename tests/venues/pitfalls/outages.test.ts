// A venue that cannot be reached, is closed for maintenance or wants silence: signals wait, none is refused for it and none is lost.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../../support/live-gateway.ts';

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  beforeEach(async () => {
    gateway = await openLiveGateway(row, { settings: { DRAIN_TIMEOUT_S: '0' } });
  });
  afterEach(() => gateway.close());
  const states = async () => (await gateway.ask('/trades')).result.map(({ status }) => status);

  test('an outage leaves signals waiting in their order, and none is refused or dropped', async () => {
    await gateway.send();
    gateway.emulated.faults.maintenance = true;
    const actions = ['LONG', 'CLOSE_LONG', 'LONG'];
    for (const action of actions) await gateway.send({ action, quantity: 0.02 });
    const before = gateway.emulated.requests.length;
    await expect.poll(() => gateway.emulated.requests.length).toBeGreaterThan(before + 2);
    expect(await states()).toEqual(['Enqueued', 'Enqueued', 'Enqueued', 'Filled']);
    gateway.emulated.faults.maintenance = false;
    await expect.poll(states).toEqual(Array(4).fill('Filled'));
    expect(gateway.orders()).toEqual(['BUY 0.01', 'BUY 0.02', 'SELL 0.02', 'BUY 0.02'].map((each) => `${each} FILLED`));
  });

  test('an order that is at the venue while it cannot be asked about is not taken for missing', async () => {
    gateway.emulated.faults.dropAnswerAfterAccept(row.orders);
    gateway.emulated.faults.dropBefore(row.order, 2);
    await gateway.send();
    await expect.poll(states).toEqual(['Filled']);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
  });

  test('a venue that is gone altogether refuses nothing: the signal waits', async () => {
    await gateway.send();
    await gateway.emulated.close();
    await gateway.send();
    expect(await states()).toEqual(['Enqueued', 'Filled']);
  });

  test('a ban is obeyed to its end, then the order is sent, once', async () => {
    await gateway.send();
    const { emulated } = gateway;
    // Bybit shuts an address out for ten minutes, MEXC does not say for how long.
    const status = row.exchange === 'binance' ? 418 : 429;
    emulated.faults.tooManyRequests(row.orders, status, 1);
    await gateway.send({ quantity: 0.02 });
    await expect.poll(states).toEqual(['Filled', 'Filled']);
    const refused = emulated.requests.findIndex((request) => request.status === status);
    expect(refused).toBeGreaterThanOrEqual(0);
    const [at = Number.NaN, next = Number.NaN] = emulated.requests.slice(refused).map(({ atMs }) => atMs);
    expect(next - at).toBeGreaterThanOrEqual(900);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'BUY 0.02 FILLED']);
    expect(emulated.market.account.heldPositions(MARKET)).toHaveLength(1);
  });
});
