// A venue that cannot be reached, is closed for maintenance or wants silence: signals wait, none is refused for it and none is lost.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../../support/live-gateway.ts';

/** The clocks of process and venue, which a test moves. */
let aheadMs: number;
const [sinceStart, sinceEpoch] = [performance.now.bind(performance), Date.now.bind(Date)];
beforeEach(() => {
  aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => sinceStart() + aheadMs);
  vi.spyOn(Date, 'now').mockImplementation(() => sinceEpoch() + aheadMs);
});
afterEach(() => vi.restoreAllMocks());

const OTHER_MARKET = 'ETHUSDT';
const HOUR_MS = 3_600_000;
/** As often as the product asks again about orders without an outcome. */
const ASK_EVERY_MS = 30_000;
/** An order without an outcome is looked for eleven seconds long before its trade is told as unknown. */
const PATIENT = { timeout: 60_000, interval: 100 };

describe.each(LIVE_VENUES)('$exchange', (row) => {
  let gateway: LiveGateway;
  beforeEach(async () => {
    const settings = { DRAIN_TIMEOUT_S: '0' };
    gateway = await openLiveGateway(row, { settings, venue: { nowMs: () => Date.now() } });
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

  /** As Node says it: nothing was sent to an address that has no name, and something may have been before a line broke. */
  const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

  test('an hour in which the name of the venue is unknown leaves what was sent before it unknown: never refused, never dropped', async () => {
    const { emulated } = gateway;
    emulated.market.setPrice(OTHER_MARKET, '3000');
    const reach = globalThis.fetch;
    const lines = { orders: 0, isOut: false, asked: 0 };
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      if (lines.isOut) {
        lines.asked += 1;
        throw failed('ENOTFOUND');
      }
      const isOrder = init?.method === 'POST' && new URL(String(url)).pathname === row.orders.path;
      if (!isOrder) return reach(url, init);
      lines.orders += 1;
      // The first one never arrives; of the second one only the answer is lost.
      if (lines.orders === 2) {
        await reach(url, init);
        lines.isOut = true;
      }
      throw failed('ECONNRESET');
    });
    const first = gateway.send({ symbol: OTHER_MARKET, quantity: 0.1 });
    await expect.poll(() => lines.orders, PATIENT).toBe(1);
    const second = gateway.send();
    await Promise.all([first, second]);
    await expect.poll(states, PATIENT).toEqual(['Unknown', 'Unknown']);
    const { dispatcher } = gateway.built().gateway!.desk;
    for (let waitedMs = 0; waitedMs < HOUR_MS; waitedMs += ASK_EVERY_MS) {
      aheadMs += ASK_EVERY_MS;
      await dispatcher.reconcile();
    }
    // It was asked about all the time, and no answer is not the answer that there is no order.
    expect(lines.asked).toBeGreaterThan(200);
    expect(await states()).toEqual(['Unknown', 'Unknown']);
    lines.isOut = false;
    await dispatcher.reconcile();
    await expect.poll(states, PATIENT).toEqual(['Filled', 'Expired']);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED']);
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
