// Orders right behind others whose end the venue has not told yet: what they wait for, what they do not wait for, and what is told.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { decimal, toText } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import { createCrashableJournal } from '../testing/crashable-journal.ts';
import { advance, hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import { createMemoryOutbox } from '../testing/memory-outbox.ts';
import { openTestDesk, type TestDesk } from '../testing/test-desk.ts';

let venue: ScriptedVenue;
let journal: ReturnType<ReturnType<typeof createCrashableJournal>['connect']>;
let desk: TestDesk;
let accepted: string[];
beforeEach(async () => {
  hurry();
  venue = createScriptedVenue('binance', 'one-way', pretendedTimers);
  journal = createCrashableJournal({ commitTurns: () => 1, fails: () => false }).connect();
  accepted = [];
  const signals = { add: async () => undefined } as never;
  desk = await openTestDesk({ journal, signals, outbox: createMemoryOutbox(), venues: [venue] });
  await desk.desk.start({ afterCrash: false });
});
afterEach(async () => passTime(desk.desk.stop(1000)));

/** Handed in one after the other; nobody waits for the end. */
async function send(order: Partial<SignalOrder>, quantity = '0.5'): Promise<void> {
  const { requestId } = await passTime(desk.trade('async', { order: { ...order, quantity: decimal(quantity) } }));
  accepted.push(requestId);
}
const states = async (): Promise<readonly (string | undefined)[]> =>
  Promise.all(accepted.map(async (requestId) => (await journal.trade(requestId))?.trade.state));
const reach = (...wanted: readonly string[]): Promise<void> =>
  passTimeUntil(async () => String(await states()) === wanted.join());
const sent = (): readonly string[] => venue.sent.map(({ side, quantity }) => `${side} ${toText(quantity)}`);
const idOf = (index: number): string => venue.sent[index]?.clientOrderId ?? 'nothing was sent';

const EXIT = { action: 'CLOSE_LONG' } as const;

test('an exit waits for the entry before it, which the venue has acknowledged and not matched yet', async () => {
  venue.script.push({ rest: true });
  await send({});
  await reach('submitted');
  await send(EXIT);
  await advance(1000);
  expect(await states()).toEqual(['submitted', 'accepted']);
  venue.fill(idOf(0));
  await reach('filled', 'filled');
  expect(sent()).toEqual(['BUY 0.5', 'SELL 0.5']);
});

test('so does one behind an entry that the venue does not show, until it is certain that it is not there', async () => {
  venue.script.push({ fail: 'unknown' });
  venue.hiddenLooks = Number.POSITIVE_INFINITY;
  await send({});
  await reach('unknown');
  await send(EXIT);
  await advance(30_000);
  expect(await states()).toEqual(['unknown', 'accepted']);
  expect(desk.alarms).toContainEqual(expect.stringMatching(new RegExp(`CLOSE_LONG .* waits: .*${idOf(0)}`)));
  venue.hiddenLooks = 0;
  venue.certain = true;
  await reach('expired', 'rejected');
  expect(sent()).toEqual(['BUY 0.5']);
});

test('what is shown is closed at once, although more of it may come', async () => {
  await send({});
  await reach('filled');
  venue.script.push({ fail: 'unknown' });
  venue.hiddenLooks = Number.POSITIVE_INFINITY;
  await send({});
  await reach('filled', 'unknown');
  await send({ ...EXIT, closesAll: true });
  await reach('filled', 'unknown', 'filled');
  expect(sent()).toEqual(['BUY 0.5', 'BUY 0.5', 'SELL 0.5']);
});

test('a second exit of a strategy waits for its first, and takes nothing of another', async () => {
  await send({ strategy: 'a' });
  await send({ strategy: 'b' });
  await reach('filled', 'filled');
  venue.script.push({ rest: true });
  await send({ ...EXIT, strategy: 'a' });
  await reach('filled', 'filled', 'submitted');
  await send({ ...EXIT, strategy: 'a' });
  await advance(20_000);
  expect(await states()).toEqual(['filled', 'filled', 'submitted', 'accepted']);
  venue.fill(idOf(2));
  await reach('filled', 'filled', 'filled', 'rejected');
  expect(sent()).toEqual(['BUY 0.5', 'BUY 0.5', 'SELL 0.5']);
});

test('an exit does not wait for ever for what another strategy closes', async () => {
  await send({ strategy: 'a' });
  await send({ strategy: 'b' });
  await reach('filled', 'filled');
  venue.script.push({ rest: true });
  await send({ ...EXIT, strategy: 'a' });
  await reach('filled', 'filled', 'submitted');
  await send({ ...EXIT, strategy: 'b' });
  await reach('filled', 'filled', 'submitted', 'filled');
});

test('an exit whose share seems to have shrunk waits for the exit of another strategy that the venue does not show', async () => {
  await send({ strategy: 'a' });
  await send({ strategy: 'b' }, '0.8');
  await reach('filled', 'filled');
  venue.script.push({ fail: 'unknown', taken: true });
  venue.hiddenLooks = Number.POSITIVE_INFINITY;
  await send({ ...EXIT, strategy: 'a' });
  await reach('filled', 'filled', 'unknown');
  await send({ ...EXIT, strategy: 'b' }, '0.8');
  await advance(20_000);
  expect(await states()).toEqual(['filled', 'filled', 'unknown', 'accepted']);
  venue.hiddenLooks = 0;
  await reach('filled', 'filled', 'filled', 'filled');
  expect(sent()).toEqual(['BUY 0.5', 'BUY 0.8', 'SELL 0.5', 'SELL 0.8']);
});

test('an entry waits for a market order that is acknowledged, and not for one that the venue does not show', async () => {
  venue.script.push({ rest: true });
  await send({});
  await reach('submitted');
  await send({});
  await advance(10_000);
  expect(await states()).toEqual(['submitted', 'accepted']);
  venue.fill(idOf(0));
  await reach('filled', 'filled');
  venue.script.push({ fail: 'unknown' });
  venue.hiddenLooks = Number.POSITIVE_INFINITY;
  await send({});
  await reach('filled', 'filled', 'unknown');
  await send({});
  await reach('filled', 'filled', 'unknown', 'filled');
});

test('limit orders that rest are waited for by nobody', async () => {
  venue.script.push({ rest: true });
  await send({ price: decimal('90') });
  await reach('submitted');
  await send({});
  await reach('submitted', 'filled');
});

test('an order that the venue has shown and forgotten holds up nobody', async () => {
  venue.script.push({ rest: true });
  await send({});
  await reach('submitted');
  const { findOrder, openOrders } = venue;
  venue.findOrder = async (market, id) => (id === idOf(0) ? { found: false, certain: true } : findOrder(market, id));
  venue.openOrders = async (market) => (await openOrders(market)).filter((order) => order.clientOrderId !== idOf(0));
  await send({});
  await reach('submitted', 'filled');
  await send({ ...EXIT, closesAll: true });
  await reach('submitted', 'filled', 'filled');
});

test('that nobody knows of an order is over, however its venue tells of it', async () => {
  venue.script.push({ fail: 'unknown', taken: true });
  venue.hiddenLooks = Number.POSITIVE_INFINITY;
  await send({});
  await reach('unknown');
  const kind = `order ${idOf(0)}`;
  expect(desk.alarms).toContainEqual(expect.stringContaining(kind));
  venue.tell(idOf(0), {});
  await reach('filled');
  expect(desk.alarmsOver).toContain(kind);
});
