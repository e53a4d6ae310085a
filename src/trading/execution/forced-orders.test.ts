// Orders of the venue's own: booked once, also when the disk fails at the moment at which the venue tells of one.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { Journal } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import { LIQUIDATION } from '../signal.ts';
import { advance, hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import { openTestDesk, slowly, type TestDesk } from '../testing/test-desk.ts';
import type { OrderReport } from '../venue.ts';
import { clientOrderId } from './client-order-id.ts';

const market = 'BTCUSDT';
const LIQUIDATED = 'liquidation-1';
const RECONCILE_MS = 30_000;

let storage: TestData;
let venue: ScriptedVenue;
let forced: readonly OrderReport[];
let failures: number;
let tries: number;
let desk: TestDesk;

beforeAll(async () => {
  storage = await openTestData();
});
afterAll(() => storage.close());
beforeEach(async () => {
  hurry();
  [forced, failures, tries] = [[], 0, 0];
  venue = Object.assign(createScriptedVenue('binance', 'one-way', pretendedTimers), {
    forcedOrders: async () => forced,
  });
  const slow = slowly(storage.data);
  const accept: Journal['accept'] = (trade, ...rest) => {
    if (trade.source === LIQUIDATION) tries++;
    if (trade.source !== LIQUIDATION || failures-- <= 0) return slow.journal.accept(trade, ...rest);
    return Promise.reject(new Error('disk full'));
  };
  const journal = new Proxy(slow.journal, {
    get: (disk, name) => (name === 'accept' ? accept : Reflect.get(disk, name)),
  });
  desk = await openTestDesk({ ...slow, journal, venues: [venue] });
  await desk.desk.start();
});
afterEach(() => passTime(desk.desk.stop(1000)));

/** The venue closes the position and tells of it. */
async function liquidate(clientOrderId: string, quantity: string): Promise<void> {
  venue.script.push({ rest: true });
  const sells = { side: 'SELL', positionSide: 'LONG', reduceOnly: true, market } as const;
  await venue.placeOrder({ ...sells, clientOrderId, quantity: decimal(quantity) });
  venue.fill(clientOrderId);
  const found = await venue.findOrder(market, clientOrderId);
  if (found.found) forced = [...forced, found.order];
}
const stateOf = async (requestId: string): Promise<string | undefined> =>
  (await storage.data.journal.trade(requestId))?.trade.state;
const held = async () =>
  (await storage.data.journal.positions()).filter((each) => each.market === market).map(({ quantity }) => quantity);

test('a liquidation whose write fails is booked at the next look, and once', async () => {
  await passTime(desk.trade('direct', { order: { market, symbol: market, quantity: decimal('2') } }));
  expect(await held()).toEqual([decimal('2')]);
  failures = 2;
  await liquidate(LIQUIDATED, '2');
  await passTimeUntil(() => desk.troubles.length > 0);
  expect(desk.troubles).toEqual(['an order report was not booked: Error: disk full']);
  expect(await stateOf(LIQUIDATED)).toBeUndefined();
  await passTimeUntil(async () => (await stateOf(LIQUIDATED)) === 'filled');
  expect(await held()).toEqual([decimal('0')]);
  expect(tries).toBe(3);
  await passTime(advance(3 * RECONCILE_MS));
  expect(tries).toBe(3);
  expect(desk.alarms.filter((alarm) => alarm.includes('was liquidated'))).toHaveLength(1);
  const trades = await storage.data.journal.trades({ limit: 10 });
  expect(trades.filter(({ source }) => source === LIQUIDATION)).toHaveLength(1);
});

test('an order of ours that a venue counts among its own is not booked a second time', async () => {
  const { requestId } = await passTime(desk.trade('direct', { order: { market, symbol: market } }));
  const found = await venue.findOrder(market, clientOrderId(requestId, 'open'));
  if (found.found) forced = [found.order];
  expect(forced).toHaveLength(1);
  await passTime(advance(2 * RECONCILE_MS));
  expect(tries).toBe(0);
});
