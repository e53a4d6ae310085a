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
const LIQUIDATED_MEANWHILE = 'liquidation-2';
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
  venue = openVenue();
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

const openVenue = (): ScriptedVenue =>
  Object.assign(createScriptedVenue('binance', 'one-way', pretendedTimers), { forcedOrders: async () => forced });

/** The venue closes the position and tells of it. */
async function liquidate(clientOrderId: string, quantity: string): Promise<void> {
  venue.script.push({ rest: true });
  const sells = { side: 'SELL', positionSide: 'LONG', reduceOnly: true, market } as const;
  await venue.placeOrder({ ...sells, clientOrderId, quantity: decimal(quantity) });
  venue.fill(clientOrderId);
  const found = await venue.findOrder(market, clientOrderId);
  if (found.found) forced = [...forced, found.order];
}
/** Something happens at the venue, which holds so much, while nobody listens. */
async function restartedAfter(quantity: string, happens: () => Promise<void>, before: readonly ScriptedVenue[] = []) {
  await passTime(desk.desk.stop(1000));
  venue = openVenue();
  venue.hold('LONG', quantity);
  await happens();
  desk = await openTestDesk({ ...slowly(storage.data), venues: [...before, venue] });
  await passTime(desk.desk.start());
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

test('one that was booked under the name of an earlier version is not booked again; another of that name is', async () => {
  await passTime(desk.trade('direct', { order: { market, symbol: market, quantity: decimal('3') } }));
  await liquidate('adl_autoclose', '2');
  await passTimeUntil(async () => (await stateOf('adl_autoclose')) === 'filled');
  const before = tries;
  // From now on its venue's adapter has other names.
  forced = forced.map((order) => ({ ...order, clientOrderId: 'binance-1', formerId: 'adl_autoclose' }));
  await passTime(advance(2 * RECONCILE_MS));
  expect([tries - before, await stateOf('binance-1')]).toEqual([0, undefined]);
  await restartedAfter('1', async () => {
    await liquidate('binance-2', '1');
    forced = forced.map((order) => ({ ...order, formerId: 'adl_autoclose' }));
  });
  await passTimeUntil(async () => (await stateOf('binance-2')) === 'filled');
  expect([await stateOf('binance-1'), await held()]).toEqual([undefined, [decimal('0')]]);
});

test('at a start a venue that is down is told alone, and those of the others are found', async () => {
  await passTime(desk.trade('direct', { order: { market, symbol: market, quantity: decimal('2') } }));
  const down = Object.assign(createScriptedVenue('bybit', 'one-way', pretendedTimers), {
    forcedOrders: () => Promise.reject(new Error('Bybit cannot be reached')),
  });
  await restartedAfter('2', () => liquidate(LIQUIDATED_MEANWHILE, '2'), [down]);
  expect(desk.troubles).toEqual(['orders of bybit itself cannot be looked up: Error: Bybit cannot be reached']);
  await passTimeUntil(async () => (await stateOf(LIQUIDATED_MEANWHILE)) === 'filled');
  expect(await held()).toEqual([decimal('0')]);
});

test('an order of ours that a venue counts among its own is not booked a second time', async () => {
  const { requestId } = await passTime(desk.trade('direct', { order: { market, symbol: market } }));
  const found = await venue.findOrder(market, clientOrderId(requestId, 'open'));
  if (found.found) forced = [found.order];
  expect(forced).toHaveLength(1);
  await passTime(advance(2 * RECONCILE_MS));
  expect(tries).toBe(0);
});
