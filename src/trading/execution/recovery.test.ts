// What a start finds: orders are settled before trades are executed, and where the books differ the venue is right.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { START_MS } from '../../../tests/ports/sample-trades.ts';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import type { Journal } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import { createCrashableJournal } from '../testing/crashable-journal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers, turn } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { openTestDesk, type TestDesk } from '../testing/test-desk.ts';

let venue: ScriptedVenue;
let disk: ReturnType<typeof createCrashableJournal>;
/** How many of the next outcomes the disk refuses. */
let refusals: number;
let open: TestDesk[];
beforeEach(() => {
  hurry();
  venue = createScriptedVenue('binance', 'one-way', pretendedTimers);
  refusals = 0;
  open = [];
  const fails = (kind: string): boolean => kind === 'record' && refusals-- > 0;
  disk = createCrashableJournal({ commitTurns: () => 1, fails });
});
afterEach(async () => {
  for (const { desk } of open) await passTime(desk.stop(1000));
});

async function openDesk(journal: Journal = disk.connect()): Promise<TestDesk> {
  const signals = { add: async () => undefined } as never;
  const desk = await openTestDesk({ journal, signals, outbox: createMemoryOutbox(), venues: [venue] });
  open.push(desk);
  await desk.desk.start({ afterCrash: true });
  await passTimeUntil(() => desk.desk.backlog() === 0);
  return desk;
}
const ours = (): string[] =>
  disk
    .positions()
    .map(({ side, quantity, entryPrice }) => `${side} ${Number(quantity) / 1e12} at ${entryPrice / 10n ** 12n}`);

test('a position that differs from the venue is adopted, alarmed and written down with an event', async () => {
  const first = await openDesk();
  await passTime(first.trade('direct'));
  expect(ours()).toEqual(['LONG 0.5 at 100']);
  disk.die();
  venue.hold('LONG', '0.3');
  const second = await openDesk();
  expect(ours()).toEqual(['LONG 0.3 at 100']);
  expect(disk.adopted).toEqual(['LONG BTCUSDT on binance: our books had 0.5, the venue has 0.3']);
  expect(second.alarms).toEqual([expect.stringContaining("the venue's word was adopted")]);
  await passTime(second.trade('direct', { order: { action: 'CLOSE_LONG', quantity: decimal('9') } }));
  expect(ours()).toEqual(['LONG 0 at 0']);
});

test('equal positions are left alone', async () => {
  const first = await openDesk();
  await passTime(first.trade('direct'));
  disk.die();
  const second = await openDesk();
  expect([disk.adopted, second.alarms]).toEqual([[], []]);
});

test('a venue that is away at the start is asked for its positions later', async () => {
  const first = await openDesk();
  await passTime(first.trade('direct'));
  disk.die();
  venue.hold('LONG', '0.2');
  venue.down = 'not-sent';
  const second = await openDesk();
  expect(disk.adopted).toEqual([]);
  expect(second.alarms).toEqual([expect.stringContaining('could not be compared')]);
  venue.down = undefined;
  await passTime(second.desk.dispatcher.reconcile());
  await passTimeUntil(() => disk.adopted.length === 1);
  expect(ours()).toEqual(['LONG 0.2 at 100']);
});

test('a lane that is stuck gets one comparison, however often it is asked for, and none that is no longer wanted', async () => {
  const first = await openDesk();
  await passTime(first.trade('direct'));
  disk.die();
  venue.down = 'not-sent';
  const { desk } = await openDesk();
  const { positions } = venue;
  let release = (): void => {};
  const stuck = new Promise<void>((resolve) => {
    release = resolve;
  });
  let looks = 0;
  venue.down = undefined;
  venue.positions = async (market) => {
    looks++;
    await stuck;
    return positions(market);
  };
  for (let times = 0; times < 5; times++) await passTime(desk.dispatcher.reconcile());
  expect(desk.backlog()).toBe(1);
  release();
  await passTimeUntil(() => desk.backlog() === 0);
  // One comparison reads the positions twice.
  expect(looks).toBe(2);
  await passTime(desk.dispatcher.reconcile());
  expect([looks, desk.backlog()]).toEqual([2, 0]);
});

test('an order whose lane is stuck is looked up once, however often it is asked for', async () => {
  const { desk, trade } = await openDesk();
  venue.script.push({ fail: 'unknown' });
  await passTime(trade('direct'));
  await passTimeUntil(() => desk.backlog() === 0);
  const { findOrder } = venue;
  let release = (): void => {};
  const stuck = new Promise<void>((resolve) => {
    release = resolve;
  });
  let looks = 0;
  venue.findOrder = async (...order) => {
    looks++;
    await stuck;
    return findOrder(...order);
  };
  const rounds = Array.from({ length: 5 }, () => desk.dispatcher.reconcile());
  await turn();
  expect([desk.backlog(), looks]).toEqual([1, 1]);
  release();
  await passTime(Promise.all(rounds));
  expect([desk.backlog(), looks]).toEqual([0, 1]);
  await passTime(desk.dispatcher.reconcile());
  expect(looks).toBe(2);
});

test('nothing is adopted while the fate of an order is unknown', async () => {
  const first = await openDesk();
  await passTime(first.trade('direct'));
  venue.script.push({ fail: 'unknown', taken: true });
  venue.hiddenLooks = 100;
  await passTime(first.trade('direct'));
  await passTimeUntil(() => disk.rows().some(({ trade }) => trade.state === 'unknown'));
  disk.die();
  const second = await openDesk();
  expect(disk.adopted).toEqual([]);
  venue.hiddenLooks = 0;
  await passTime(second.desk.dispatcher.reconcile());
  await passTimeUntil(() => ours()[0] === 'LONG 1 at 100');
  expect(disk.adopted).toEqual([]);
  expect(new Set(second.alarms.map((alarm) => alarm.split(':')[0]))).toEqual(new Set(second.alarmsOver));
});

test('a resting order that filled meanwhile is booked, not adopted', async () => {
  const first = await openDesk();
  venue.script.push({ rest: true });
  await passTime(first.trade('direct', { order: { price: decimal('90') } }));
  disk.die();
  venue.fill(venue.sent[0]?.clientOrderId as string);
  await turn();
  await openDesk();
  expect([ours(), disk.adopted]).toEqual([['LONG 0.5 at 100'], []]);
});

test('a resting order that fills while positions are compared is counted once', async () => {
  const first = await openDesk();
  venue.script.push({ rest: true });
  await passTime(first.trade('direct', { order: { price: decimal('90') } }));
  disk.die();
  const { positions } = venue;
  let looks = 0;
  venue.positions = async (market) => {
    if (++looks === 1) venue.fill(venue.sent[0]?.clientOrderId as string);
    return positions(market);
  };
  const second = await openDesk();
  expect([ours(), disk.adopted, second.alarms]).toEqual([['LONG 0.5 at 100'], [], []]);
});

test('an order waits for the outcomes before it, and a kill switch thrown meanwhile stops it', async () => {
  const { trade, controls, desk } = await openDesk();
  // Closing nothing is refused; that outcome does not get onto the disk for a while.
  refusals = 3;
  const refused = trade('direct', { order: { action: 'CLOSE_LONG' } });
  const opened = trade('failover');
  for (let turns = 0; turns < 50; turns++) await turn();
  expect(venue.sent).toEqual([]);
  await controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
  await passTime(Promise.all([refused, opened]));
  await passTimeUntil(() => desk.backlog() === 0 && disk.rows().every(({ trade: { state } }) => state !== 'accepted'));
  expect(disk.rows().map(({ trade: { state } }) => state)).toEqual(['rejected', 'canceled']);
  expect(disk.rows()[1]?.orders.map(({ state }) => state)).toEqual(['accepted']);
  expect(venue.sent).toEqual([]);
});

/** As a venue with real money: what a close leaves open is closed by a second order. */
const goLive = (): void => {
  const quote = async () => ({ bid: decimal('99.9'), ask: decimal('100.1'), atMs: START_MS });
  Object.assign(venue, { mode: 'live', quote });
};
const sentInWords = (): string[] =>
  venue.sent.map(
    ({ side, quantity, reduceOnly }) => `${side} ${Number(quantity) / 1e12}${reduceOnly ? ' reduce-only' : ''}`,
  );

test('a close of less than our books have tells so, and closes what turns out to be left', async () => {
  goLive();
  const { trade } = await openDesk();
  await passTime(trade('direct'));
  const { positions, placeOrder } = venue;
  venue.positions = async (market) => (await positions(market)).map((each) => ({ ...each, quantity: decimal('0.2') }));
  venue.placeOrder = (request) => placeOrder(request).finally(() => Object.assign(venue, { positions }));
  const { dispatched } = await passTime(
    trade('direct', { order: { action: 'CLOSE_LONG', quantity: decimal('9'), closesAll: true } }),
  );
  const warnings = ['position: our books have 0.5 and binance shows 0.2'];
  expect(dispatched).toMatchObject({ settled: { state: 'filled', executedQuantity: decimal('0.5'), warnings } });
  expect(sentInWords()).toEqual(['BUY 0.5', 'SELL 0.2 reduce-only', 'SELL 0.3 reduce-only']);
});

test('a close that was interrupted is looked at whole: what a misread position left open is closed after the start', async () => {
  goLive();
  const first = await openDesk();
  await passTime(first.trade('direct'));
  const { positions, findOrder } = venue;
  venue.positions = async (market) => (await positions(market)).map((each) => ({ ...each, quantity: decimal('0.2') }));
  venue.findOrder = () => new Promise(() => {});
  venue.script.push({ fail: 'unknown', taken: true });
  void first.trade('direct', { order: { action: 'CLOSE_LONG', quantity: decimal('9') } });
  await passTimeUntil(() => venue.sent.length === 2);
  disk.die();
  Object.assign(venue, { positions, findOrder });
  await openDesk();
  expect(sentInWords()).toEqual(['BUY 0.5', 'SELL 0.2 reduce-only', 'SELL 0.3 reduce-only']);
  expect([ours(), disk.rows().at(-1)?.trade.state]).toEqual([['LONG 0 at 0'], 'filled']);
});

test('what is left of a share that stands against the others’ is told, and never closed by an order that opens', async () => {
  goLive();
  const { trade, alarms } = await openDesk();
  await passTime(trade('direct', { order: { strategy: 'a', quantity: decimal('2') } }));
  await passTime(trade('direct', { order: { strategy: 'b', action: 'SHORT', quantity: decimal('1.5') } }));
  venue.script.push({ waitMs: 0 }, { part: '1' });
  const close = { strategy: 'a', action: 'CLOSE_LONG', quantity: decimal('9') } as const;
  const { dispatched } = await passTime(trade('direct', { order: close }));
  expect(sentInWords().slice(2)).toEqual(['SELL 0.5 reduce-only', 'SELL 1.5']);
  const error = expect.stringMatching(/could not be closed: what is left cannot be closed by reducing/);
  expect(dispatched).toMatchObject({ settled: { state: 'expired', executedQuantity: decimal('1.5'), error } });
  expect(alarms.join()).toMatch(/CLOSE_LONG 9 BTCUSDT .* has not closed all/);
});
