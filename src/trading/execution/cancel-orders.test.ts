// A cancel and the deaths of its process: whatever the last step was, nobody was told more than is true, and the next
// process finds the order as the venue has it.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { Journal, TradeDetail } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import { openTestDesk, slowly, type TestDesk } from '../testing/test-desk.ts';
import { VenueError } from '../venue.ts';

let storage: TestData;
let venue: ScriptedVenue;
let open: TestDesk[];
let markets = 0;
let market: string;
beforeAll(async () => {
  storage = await openTestData();
});
afterAll(() => storage.close());
beforeEach(() => {
  hurry();
  venue = createScriptedVenue('binance', 'one-way', pretendedTimers);
  open = [];
  market = `C${++markets}USDT`;
});
afterEach(async () => {
  for (const { desk } of open) await passTime(desk.stop(1000));
});

const BY = { by: 'the test' };
const never = () => new Promise<never>(() => {});

async function openDesk(journal: Journal = slowly(storage.data).journal): Promise<TestDesk> {
  const made = await openTestDesk({ ...slowly(storage.data), journal, venues: [venue] });
  open.push(made);
  await made.desk.start();
  return made;
}
async function rest(desk: TestDesk): Promise<{ id: string; requestId: string }> {
  venue.script.push({ rest: true });
  const order = { market, symbol: market, price: decimal('90') };
  const { requestId } = await passTime(desk.trade('failover', { order }));
  return { id: venue.sent.at(-1)?.clientOrderId as string, requestId };
}
const storyOf = async (requestId: string): Promise<TradeDetail> =>
  (await storage.data.journal.trade(requestId)) as TradeDetail;
const kindsOf = async (requestId: string): Promise<string[]> =>
  (await storyOf(requestId)).events.map(({ kind }) => kind);

/** As kill -9 leaves it: nothing of this process goes on, and nothing is closed in order. */
const leave = (): void => void open.pop();

describe('a process that dies', () => {
  test('before the wish is on disk has asked no venue', async () => {
    const { journal } = slowly(storage.data);
    const record = vi.fn<Journal['record']>((step) => journal.record(step));
    const desk = await openDesk(Object.assign(Object.create(journal), { record }));
    const { id, requestId } = await rest(desk);
    const asked = vi.spyOn(venue, 'cancelOrder');
    record.mockClear().mockImplementation(never);
    void desk.desk.canceler.cancelOrder(id, BY);
    await passTimeUntil(() => record.mock.calls.length > 0);
    expect(asked).not.toHaveBeenCalled();
    leave();
    const next = await openDesk();
    expect((await storyOf(requestId)).trade.state).toBe('submitted');
    expect(await passTime(next.desk.canceler.cancelOrder(id, BY))).toEqual({ clientOrderId: id, outcome: 'canceled' });
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test('before the venue was reached leaves an order that rests, and can be canceled', async () => {
    const { cancelOrder } = venue;
    const desk = await openDesk();
    const { id, requestId } = await rest(desk);
    venue.cancelOrder = never;
    void desk.desk.canceler.cancelOrder(id, BY);
    await passTimeUntil(async () => (await kindsOf(requestId)).includes('cancel-asked'));
    leave();
    venue.cancelOrder = cancelOrder;
    const next = await openDesk();
    await passTimeUntil(() => next.desk.backlog() === 0);
    expect((await storyOf(requestId)).trade.state).toBe('submitted');
    expect(await passTime(next.desk.canceler.cancelOrder(id, BY))).toEqual({ clientOrderId: id, outcome: 'canceled' });
    expect((await storyOf(requestId)).trade).toMatchObject({ state: 'canceled', error: 'canceled by the test' });
  });

  test('after the venue canceled it and before that was known: the next one finds it canceled', async () => {
    const { cancelOrder } = venue;
    const desk = await openDesk();
    const { id, requestId } = await rest(desk);
    venue.cancelOrder = async (...order) => {
      await cancelOrder(...order);
      return never();
    };
    void desk.desk.canceler.cancelOrder(id, BY);
    await passTimeUntil(async () => {
      const lookup = await venue.findOrder(market, id);
      return lookup.found && lookup.order.status === 'canceled';
    });
    expect((await storyOf(requestId)).trade.state).toBe('submitted');
    leave();
    const next = await openDesk();
    await passTimeUntil(async () => (await storyOf(requestId)).trade.state === 'canceled');
    expect(await kindsOf(requestId)).toEqual(['accepted', 'sending', 'submitted', 'cancel-asked', 'canceled']);
    await passTimeUntil(() => next.desk.backlog() === 0);
    expect(next.alarms).toEqual([]);
    expect(await passTime(next.desk.canceler.cancelOrder(id, BY))).toEqual({ clientOrderId: id, outcome: 'ended' });
  });
});

test('a market that is busy for too long: the order stays, and is not canceled behind the back of who was told so', async () => {
  const desk = await openDesk();
  const { id, requestId } = await rest(desk);
  const busy = Promise.withResolvers<readonly []>();
  const { positions } = venue;
  venue.positions = () => busy.promise;
  const blocked = desk.trade('async', { order: { market, symbol: market } });
  await passTime(blocked);
  const [told] = await passTime(desk.desk.canceler.cancelOrders({ market }, BY));
  expect(told).toMatchObject({ clientOrderId: id, outcome: 'unreachable' });
  expect(told?.error).toContain('was not canceled and stays as it is');
  venue.positions = positions;
  busy.resolve([]);
  await passTimeUntil(() => desk.desk.backlog() === 0);
  expect((await storyOf(requestId)).trade.state).toBe('submitted');
  expect(await kindsOf(requestId)).not.toContain('cancel-asked');
});

test('a venue that takes too long over one order: those behind it stay too, as was told', async () => {
  const desk = await openDesk();
  const [first, second] = [await rest(desk), await rest(desk)];
  const answered = Promise.withResolvers<void>();
  const { cancelOrder } = venue;
  venue.cancelOrder = async (...order) => {
    await answered.promise;
    return cancelOrder(...order);
  };
  const told = await passTime(desk.desk.canceler.cancelOrders({ market }, BY));
  expect(told.map(({ clientOrderId, outcome }) => [clientOrderId, outcome])).toEqual([
    [first.id, 'unclear'],
    [second.id, 'unreachable'],
  ]);
  answered.resolve();
  await passTimeUntil(() => desk.desk.backlog() === 0);
  expect((await storyOf(first.requestId)).trade.state).toBe('canceled');
  expect((await storyOf(second.requestId)).trade.state).toBe('submitted');
  expect(await kindsOf(second.requestId)).not.toContain('cancel-asked');
});

test('an order without a clear answer that the venue never had ends as expired', async () => {
  const desk = await openDesk();
  venue.script.push({ fail: 'unknown' });
  const order = { market, symbol: market, price: decimal('90') };
  const { requestId } = await passTime(desk.trade('async', { order }));
  await passTimeUntil(async () => (await storyOf(requestId)).trade.state === 'unknown');
  const id = venue.sent.at(-1)?.clientOrderId as string;
  venue.certain = true;
  venue.cancelOrder = () => Promise.reject(new VenueError('rejected', 'no such order'));
  expect(await passTime(desk.desk.canceler.cancelOrder(id, BY))).toEqual({ clientOrderId: id, outcome: 'ended' });
  expect((await storyOf(requestId)).trade.state).toBe('expired');
});

test('one that the venue has shown and forgotten ends as canceled, and says where to look', async () => {
  const desk = await openDesk();
  const { id, requestId } = await rest(desk);
  venue.findOrder = async () => ({ found: false, certain: true });
  venue.cancelOrder = () => Promise.reject(new VenueError('rejected', 'no such order'));
  expect(await passTime(desk.desk.canceler.cancelOrder(id, BY))).toEqual({ clientOrderId: id, outcome: 'ended' });
  expect((await storyOf(requestId)).trade).toMatchObject({
    state: 'canceled',
    error: expect.stringContaining('its history there'),
  });
  expect(desk.desk.resting.get(id)).toBeUndefined();
});
