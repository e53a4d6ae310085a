// Orders that outlive their lane: what is said about them late, what is never said, and why they were canceled.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TradeChanges } from '../../../tests/ports/sample-trades.ts';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { TradeDetail } from '../books/journal.ts';
import { decimal, ZERO } from '../decimal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import { openTestDesk, slowly, type TestDesk } from '../testing/test-desk.ts';
import type { OrderReport } from '../venue.ts';

const KEY = '33333333-3333-4333-8333-333333333333';

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
  await made.desk.start();
  return made;
}
const closeDesk = (): Promise<void> => passTime((open.pop() as TestDesk).desk.stop(1000));
const trade = (desk: TestDesk, changes: TradeChanges['order'] = {}) =>
  passTime(desk.trade('async', { order: { market, symbol: market, ...changes } }));
const detailOf = async (requestId: string): Promise<TradeDetail> =>
  (await storage.data.journal.trade(requestId)) as TradeDetail;
async function reaches(requestId: string, state: string): Promise<TradeDetail> {
  await passTimeUntil(async () => (await detailOf(requestId)).trade.state === state);
  return detailOf(requestId);
}
const heldNow = async () => (await venue.positions(market)).map(({ side, quantity }) => [side, quantity]);

describe('an order without an answer that the venue is certain not to have', () => {
  const NEVER = 'the order never reached the venue';

  test('ends its trade as expired, with the reason, and gives its key back', async () => {
    const desk = await openDesk();
    venue.script.push({ fail: 'unknown' });
    const { requestId } = await trade(desk, { idempotencyKey: KEY });
    await reaches(requestId, 'unknown');
    venue.certain = true;
    const { trade: ended, orders, events } = await reaches(requestId, 'expired');
    expect(ended.error).toBe(NEVER);
    expect(orders).toMatchObject([{ state: 'expired', reason: NEVER }]);
    expect(events.at(-1)).toMatchObject({ kind: 'expired', detail: NEVER });
    expect(venue.sent).toHaveLength(1);
    await trade(desk, { idempotencyKey: KEY });
  });

  test('is an alarm as long as nobody knows of it, in the next process too', async () => {
    venue.script.push({ fail: 'unknown', message: 'the connection broke' });
    const first = await openDesk();
    const { requestId } = await trade(first);
    const [{ clientOrderId = '' } = {}] = (await reaches(requestId, 'unknown')).orders;
    const kind = `order ${clientOrderId}`;
    expect(first.alarms).toContainEqual(
      expect.stringMatching(new RegExp(`^${kind}: .*LONG 0.5 R.*the connection broke`)),
    );
    await closeDesk();
    const next = await openDesk();
    await passTimeUntil(() => next.alarms.some((alarm) => alarm.startsWith(`${kind}: Nobody knows`)));
    expect([first.alarmsOver, next.alarmsOver]).toEqual([[], []]);
    venue.certain = true;
    await reaches(requestId, 'expired');
    expect(next.alarmsOver).toContain(kind);
  });

  test('is asked about no more', async () => {
    const desk = await openDesk();
    venue.script.push({ fail: 'unknown' });
    const { requestId } = await trade(desk);
    await reaches(requestId, 'unknown');
    venue.certain = true;
    await reaches(requestId, 'expired');
    const looks = vi.spyOn(venue, 'findOrder');
    await passTime(desk.desk.dispatcher.reconcile());
    expect(looks.mock.calls.filter(([asked]) => asked === market)).toEqual([]);
  });

  test('ends its trade also when only the next process learns it', async () => {
    venue.script.push({ fail: 'unknown' });
    const { requestId } = await trade(await openDesk());
    await reaches(requestId, 'unknown');
    await closeDesk();
    venue.certain = true;
    await openDesk();
    expect((await reaches(requestId, 'expired')).trade.error).toBe(NEVER);
  });

  test('as the second half of a reversal says what the first half did, and keeps the key', async () => {
    const desk = await openDesk();
    venue.hold('SHORT', '1');
    venue.script.push({ waitMs: 0 }, { fail: 'unknown' });
    const idempotencyKey = '44444444-4444-4444-8444-444444444444';
    const { requestId } = await trade(desk, { idempotencyKey });
    await reaches(requestId, 'unknown');
    venue.certain = true;
    const { trade: ended } = await reaches(requestId, 'expired');
    expect(ended.error).toBe(`${NEVER}; the opposite position was closed, the new one was not opened`);
    await expect(desk.accept({ order: { idempotencyKey } })).rejects.toThrow(requestId);
  });

  test('is another matter than a resting order that was seen there', async () => {
    venue.script.push({ rest: true });
    const { requestId } = await trade(await openDesk(), { price: decimal('90') });
    await reaches(requestId, 'submitted');
    await closeDesk();
    const looks = vi.spyOn(venue, 'findOrder').mockResolvedValue({ found: false, certain: true });
    const { desk } = await openDesk();
    await passTimeUntil(() => looks.mock.calls.some(([asked]) => asked === market) && desk.backlog() === 0);
    expect((await detailOf(requestId)).trade.state).toBe('submitted');
  });
});

describe('a reversal at a venue that only acknowledges', () => {
  const flattenId = (): string => venue.sent[0]?.clientOrderId as string;

  test('reads the closing order back and then opens', async () => {
    const desk = await openDesk();
    venue.hold('SHORT', '1');
    venue.script.push({ rest: true });
    const { requestId } = await trade(desk);
    await passTimeUntil(() => venue.sent.length === 1);
    venue.fill(flattenId());
    const { trade: ended, orders, fills } = await reaches(requestId, 'filled');
    expect(ended.executedQuantity).toBe(decimal('0.5'));
    expect(orders.map(({ leg, state }) => [leg, state])).toEqual([
      ['flatten', 'filled'],
      ['open', 'filled'],
    ]);
    expect(fills).toHaveLength(2);
    expect(await heldNow()).toEqual([['LONG', decimal('0.5')]]);
  });

  test('never ends as rejected while the closing order lives, and books it when it fills', async () => {
    const desk = await openDesk();
    venue.hold('SHORT', '1');
    venue.script.push({ rest: true });
    const { requestId } = await trade(desk);
    const { trade: waiting, orders } = await reaches(requestId, 'unknown');
    expect(orders).toMatchObject([{ leg: 'flatten', state: 'submitted' }]);
    expect(waiting.error).toContain(`order ${flattenId()}, which closes the opposite position, is still open`);
    venue.fill(flattenId());
    const { trade: ended, fills } = await reaches(requestId, 'rejected');
    expect(ended.error).toMatch(/closed too late to open the new one/);
    expect(fills).toHaveLength(1);
    expect(venue.sent).toHaveLength(1);
    expect(await heldNow()).toEqual([]);
  });

  test('keeps watching that order in the next process, whatever the venue says about it', async () => {
    venue.hold('SHORT', '1');
    venue.script.push({ rest: true });
    const { requestId } = await trade(await openDesk());
    await reaches(requestId, 'unknown');
    await closeDesk();
    const looks = vi.spyOn(venue, 'findOrder').mockResolvedValue({ found: false, certain: true });
    const { desk } = await openDesk();
    await passTimeUntil(() => looks.mock.calls.some(([asked]) => asked === market) && desk.backlog() === 0);
    expect((await detailOf(requestId)).trade.state).toBe('unknown');
    looks.mockRestore();
    venue.fill(flattenId());
    expect((await reaches(requestId, 'rejected')).fills).toHaveLength(1);
  });
});

describe('a reversal whose opening is worth too little', () => {
  test('is refused with the minimum, and the position stays', async () => {
    const rules = venue.market;
    venue.market = async (symbol) => ({ ...(await rules(symbol)), minNotional: decimal('5'), lastPrice: decimal('9') });
    venue.hold('SHORT', '1');
    const { requestId } = await trade(await openDesk());
    const { trade: ended } = await reaches(requestId, 'rejected');
    expect(ended.error).toContain('below the minimum of 5 USDT');
    expect(venue.sent).toEqual([]);
    expect(await heldNow()).toEqual([['SHORT', decimal('1')]]);
  });

  test('between its halves says that the old position is gone', async () => {
    const rules = venue.market;
    venue.market = async (symbol) => {
      const lastPrice = decimal(venue.sent.length === 0 ? '100' : '9');
      return { ...(await rules(symbol)), minNotional: decimal('5'), lastPrice };
    };
    venue.hold('SHORT', '1');
    venue.script.push({ waitMs: 0 }, { fail: 'not-sent' });
    const { requestId } = await trade(await openDesk());
    const { trade: ended } = await reaches(requestId, 'rejected');
    expect(ended.error).toMatch(/below the minimum .*; the opposite position was closed, the new one was not opened$/);
  });
});

test('a resting order canceled by a close says so in its history', async () => {
  const desk = await openDesk();
  venue.script.push({ rest: true });
  const { requestId } = await trade(desk, { price: decimal('90') });
  await reaches(requestId, 'submitted');
  venue.hold('LONG', '0.5');
  await trade(desk, { action: 'CLOSE_LONG' });
  const { trade: canceled, orders, events } = await reaches(requestId, 'canceled');
  const reason = 'canceled because the position was closed';
  expect(canceled.error).toBe(reason);
  expect(orders).toMatchObject([{ state: 'canceled', reason }]);
  expect(events.at(-1)).toMatchObject({ kind: 'canceled', detail: expect.stringContaining(reason) });
});

test.each<[string, Partial<OrderReport>]>([
  ['rests untouched', { status: 'submitted', executedQuantity: ZERO, fills: [] }],
  ['has filled less', { status: 'partially_filled', executedQuantity: decimal('0.1') }],
])('an old answer by which a half filled order %s is no news, and it is followed to its end', async (_, old) => {
  const desk = await openDesk();
  venue.script.push({ rest: true });
  const { requestId } = await trade(desk, { price: decimal('90') });
  await reaches(requestId, 'submitted');
  const clientOrderId = venue.sent[0]?.clientOrderId as string;
  const half = { status: 'partially_filled', executedQuantity: decimal('0.2'), averagePrice: decimal('90') } as const;
  const fill = { fillId: 'half', quantity: decimal('0.2'), price: decimal('90'), fee: ZERO, atMs: 1 };
  venue.tell(clientOrderId, { ...half, fills: [fill] });
  await reaches(requestId, 'partially_filled');
  venue.tell(clientOrderId, old);
  await passTimeUntil(() => desk.desk.backlog() === 0);
  await passTime(desk.desk.dispatcher.reconcile());
  expect((await detailOf(requestId)).trade).toMatchObject({
    ...{ state: 'partially_filled', executedQuantity: decimal('0.2') },
  });
  venue.tell(clientOrderId, { ...half, status: 'canceled', fills: [fill] });
  expect((await reaches(requestId, 'canceled')).trade.executedQuantity).toBe(decimal('0.2'));
  expect(desk.troubles).toEqual([]);
});
