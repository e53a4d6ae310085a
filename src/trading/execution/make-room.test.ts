// A reversal whose cancels go wrong: it is not sent beside an order that may rest, and what was canceled is told in any case.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { TradeDetail } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import { openTestDesk, slowly, type TestDesk } from '../testing/test-desk.ts';
import { VenueError, type VenueFailure } from '../venue.ts';

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
  market = `R${++markets}USDT`;
});
afterEach(async () => {
  for (const { desk } of open) await passTime(desk.stop(1000));
});

async function openDesk(): Promise<TestDesk> {
  const made = await openTestDesk({ ...slowly(storage.data), venues: [venue] });
  open.push(made);
  await made.desk.start({ afterCrash: true });
  return made;
}
/** A long position and two entries that wait to add to it. */
async function twoEntriesWait({ trade }: TestDesk): Promise<readonly [string, string]> {
  venue.hold('LONG', '1');
  for (const price of ['90', '80']) {
    venue.script.push({ rest: true });
    await passTime(trade('direct', { order: { market, symbol: market, price: decimal(price) } }));
  }
  return venue.sent.map(({ clientOrderId }) => clientOrderId) as [string, string];
}
const reverse = ({ trade }: TestDesk, mode: 'direct' | 'failover') =>
  passTime(trade(mode, { order: { market, symbol: market, action: 'SHORT' } }));
const storyOf = async (requestId: string): Promise<TradeDetail> =>
  (await storage.data.journal.trade(requestId)) as TradeDetail;
const canceledIn = ({ events }: TradeDetail) =>
  events.flatMap(({ kind, detail }) => (kind === 'orders-canceled' ? [detail] : []));
/** Of this order, until it is mended. */
function failCancel(of: string, failure: VenueFailure): () => void {
  const { cancelOrder } = venue;
  venue.cancelOrder = (name, id) =>
    id === of ? Promise.reject(new VenueError(failure, 'not now')) : cancelOrder(name, id);
  return () => {
    venue.cancelOrder = cancelOrder;
  };
}

test.each(['unknown', 'not-sent'] as const)(
  'a cancel that is %s: nothing is sent until the order is gone, and each canceled one is told once',
  async (failure) => {
    const desk = await openDesk();
    const [first, second] = await twoEntriesWait(desk);
    const mend = failCancel(second, failure);
    const { requestId, dispatched } = await reverse(desk, 'failover');
    expect(dispatched).toEqual({ kind: 'queued' });
    expect(venue.sent).toHaveLength(2);
    expect(canceledIn(await storyOf(requestId))).toEqual([first]);
    mend();
    await passTimeUntil(async () => (await storyOf(requestId)).trade.state === 'filled');
    const story = await storyOf(requestId);
    expect(canceledIn(story)).toEqual([first, second]);
    expect(story.orders.map(({ leg }) => leg)).toEqual(['flatten', 'open']);
    expect(await venue.openOrders(market)).toEqual([]);
  },
);

test('a process that dies between the cancels: the next one withdraws the rest, then reverses', async () => {
  const desk = await openDesk();
  const [first, second] = await twoEntriesWait(desk);
  const { cancelOrder } = venue;
  venue.cancelOrder = (name, id) => (id === second ? new Promise<never>(() => {}) : cancelOrder(name, id));
  const { requestId } = await passTime(desk.trade('async', { order: { market, symbol: market, action: 'SHORT' } }));
  await passTimeUntil(async () => canceledIn(await storyOf(requestId)).length > 0);
  // As kill -9 leaves it: nothing of this process goes on, and nothing is closed in order.
  open.pop();
  venue.cancelOrder = cancelOrder;
  await openDesk();
  await passTimeUntil(async () => (await storyOf(requestId)).trade.state === 'filled');
  expect(canceledIn(await storyOf(requestId))).toEqual([first, second]);
  expect((await venue.positions(market)).map(({ side }) => side)).toEqual(['SHORT']);
});

test('a cancel that is refused: the position stays as it is, and the answer says why and what was canceled', async () => {
  const desk = await openDesk();
  const [first, second] = await twoEntriesWait(desk);
  failCancel(second, 'rejected');
  const { requestId, dispatched } = await reverse(desk, 'direct');
  expect(dispatched).toMatchObject({ settled: { state: 'rejected', canceled: [first] } });
  const story = await storyOf(requestId);
  expect(story.trade.error).toContain(`order ${second}, which waits on the LONG side, could not be canceled`);
  expect(canceledIn(story)).toEqual([first]);
  expect(venue.sent).toHaveLength(2);
});
