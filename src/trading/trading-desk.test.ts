// The desk as a whole: staleness by two clocks, the kill switch while a trade waits, starting and stopping.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { Trade } from './books/journal.ts';
import { clientOrderId } from './execution/client-order-id.ts';
import type { AcceptedSignal } from './intake/accepted-signal.ts';
import { LEASE_MS } from './leases.ts';
import type { SignalOrder } from './signal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from './testing/hurry.ts';
import {
  createTestClock,
  openTestDesk,
  SIGNAL_MAX_AGE_MS,
  slowly,
  type TestClock,
  type TestDesk,
} from './testing/test-desk.ts';

let storage: TestData;
let venue: ScriptedVenue;
let clock: TestClock;
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
  clock = createTestClock();
  open = [];
  market = `D${++markets}USDT`;
});
afterEach(async () => {
  for (const { desk } of open) await passTime(desk.stop(1000));
});

async function openDesk(started = true, lease?: { remainingMs(): number; heldMs(): number }): Promise<TestDesk> {
  const made = await openTestDesk({ ...slowly(storage.data), venues: [venue], clock, ...(lease && { lease }) });
  open.push(made);
  if (started) await made.desk.start({ afterCrash: true });
  return made;
}
const accept = (desk: TestDesk, order: Partial<SignalOrder> = {}): Promise<AcceptedSignal> =>
  desk.accept({ order: { market, symbol: market, ...order } });
const tradeOf = async (requestId: string): Promise<Trade> =>
  (await storage.data.journal.trade(requestId))?.trade as Trade;
async function until(requestId: string, ...states: string[]): Promise<Trade> {
  await passTimeUntil(async () => states.includes((await tradeOf(requestId)).state));
  return tradeOf(requestId);
}

describe('a desk under a lease', () => {
  test('tells its venues when it begins to trade, and not before: what another process has sent may still appear', async () => {
    let times = 0;
    venue.takeOver = () => void times++;
    const { desk } = await openDesk(false);
    expect(times).toBe(0);
    await passTime(desk.start());
    expect(times).toBe(1);
  });

  test('sends an order only while more than a second of it is left, and takes back what it may not send', async () => {
    const lease = { leftMs: 1000, remainingMs: () => lease.leftMs, heldMs: () => 0 };
    const desk = await openDesk(true, lease);
    const signal = await accept(desk);
    const dispatched = await passTime(desk.desk.dispatcher.dispatch(signal, 'direct'));
    expect(dispatched).toEqual({ kind: 'queued' });
    expect(venue.sent).toEqual([]);
    const { events = [] } = (await storage.data.journal.trade(signal.requestId)) ?? {};
    expect(events.map(({ kind }) => kind)).toContain('not-sent');
    lease.leftMs = 1001;
    expect((await until(signal.requestId, 'filled')).state).toBe('filled');
    expect(venue.sent).toHaveLength(1);
  });

  test('sends nothing while its renewal is late, and then what it has accepted meanwhile, in order', async () => {
    const lease = { leftMs: 0, remainingMs: () => lease.leftMs, heldMs: () => 0 };
    const desk = await openDesk(true, lease);
    const signals = [await accept(desk), await accept(desk), await accept(desk)];
    for (const signal of signals) await desk.desk.dispatcher.dispatch(signal, 'async');
    const timesTakenBack = async (): Promise<number> =>
      (await storage.data.journal.trade(signals[0]?.requestId as string))?.events.filter(
        ({ kind }) => kind === 'not-sent',
      ).length ?? 0;
    await passTimeUntil(async () => (await timesTakenBack()) > 2);
    expect(venue.sent).toEqual([]);
    lease.leftMs = LEASE_MS;
    for (const { requestId } of signals) await until(requestId, 'filled');
    expect(venue.sent.map(({ clientOrderId }) => clientOrderId)).toEqual(
      signals.map(({ requestId }) => clientOrderId(requestId, 'open')),
    );
  });

  test('tells its venues when it begins to trade: what another process sent until then may still appear', async () => {
    const takeOver = vi.fn();
    venue = Object.assign(venue, { takeOver });
    const desk = await openDesk(false);
    expect(takeOver).not.toHaveBeenCalled();
    await desk.desk.start();
    expect(takeOver).toHaveBeenCalledTimes(1);
  });
});

describe('a signal that waited in this process', () => {
  /** Takes a signal, lets the clocks do something, and brings the venue back. */
  const waitThrough = async (change: () => void): Promise<Trade> => {
    const desk = await openDesk();
    venue.down = 'not-sent';
    const signal = await accept(desk);
    await passTime(desk.desk.dispatcher.dispatch(signal, 'failover'));
    change();
    venue.down = undefined;
    return until(signal.requestId, 'filled', 'expired');
  };

  test('is executed up to its full age', async () => {
    expect((await waitThrough(() => clock.advance(SIGNAL_MAX_AGE_MS))).state).toBe('filled');
  });

  test('expires a millisecond later, and nothing was sent', async () => {
    const trade = await waitThrough(() => clock.advance(SIGNAL_MAX_AGE_MS + 1));
    expect(trade).toMatchObject({ state: 'expired', error: expect.stringContaining('nothing was sent') });
    expect(venue.sent).toEqual([]);
  });

  test('expires by the clock that only runs, although the wall clock was set back', async () => {
    const trade = await waitThrough(() => {
      clock.advance(SIGNAL_MAX_AGE_MS + 1);
      clock.wallMs -= 3_600_000;
    });
    expect(trade.state).toBe('expired');
  });

  test('is still executed when the wall clock was set back and little time has passed', async () => {
    const trade = await waitThrough(() => {
      clock.advance(1000);
      clock.wallMs -= 3_600_000;
    });
    expect(trade.state).toBe('filled');
  });

  test('expires when the wall clock jumps ahead: late is worse than never', async () => {
    const trade = await waitThrough(() => {
      clock.wallMs += SIGNAL_MAX_AGE_MS + 1;
    });
    expect(trade.state).toBe('expired');
  });
});

describe('a signal found at the start', () => {
  const foundAfter = async (wallMs: number): Promise<Trade> => {
    const before = await openDesk(false);
    const { requestId } = await accept(before);
    clock.wallMs += wallMs;
    clock.monotonicMs = 5;
    await openDesk();
    return until(requestId, 'filled', 'expired');
  };

  test.each([
    [0, 'filled'],
    [SIGNAL_MAX_AGE_MS, 'filled'],
    [SIGNAL_MAX_AGE_MS + 1, 'expired'],
    [-1000, 'filled'],
    [-1001, 'expired'],
  ])('%i ms later by the wall clock is %s', async (wallMs, state) => {
    expect((await foundAfter(wallMs)).state).toBe(state);
  });
});

describe('the kill switch', () => {
  const throwWhileWaiting = async (scope: 'all' | 'entries', order: Partial<SignalOrder>): Promise<Trade> => {
    const desk = await openDesk();
    venue.hold('LONG', '2');
    venue.down = 'not-sent';
    const signal = await accept(desk, order);
    await passTime(desk.desk.dispatcher.dispatch(signal, 'failover'));
    await desk.controls.set('killSwitch', { active: true, scope }, 'test');
    venue.down = undefined;
    return until(signal.requestId, 'filled', 'canceled');
  };

  test('thrown while a trade waits cancels it', async () => {
    const trade = await throwWhileWaiting('all', {});
    expect(trade).toMatchObject({ state: 'canceled', error: expect.stringContaining('kill switch') });
    expect(venue.sent).toEqual([]);
  });

  test('for entries lets a waiting close through, and no opening', async () => {
    expect((await throwWhileWaiting('entries', { action: 'CLOSE_LONG' })).state).toBe('filled');
    market = `D${++markets}USDT`;
    expect((await throwWhileWaiting('entries', { action: 'LONG' })).state).toBe('canceled');
  });
});

describe('starting and stopping', () => {
  test('a stop lets what is queued end', async () => {
    const desk = await openDesk();
    const signals = await Promise.all(Array.from({ length: 10 }, () => accept(desk)));
    for (const signal of signals) await desk.desk.dispatcher.dispatch(signal, 'async');
    expect(desk.desk.backlog()).toBeGreaterThan(0);
    await passTime((open.pop() as TestDesk).desk.stop(5000));
    for (const { requestId } of signals) expect((await tradeOf(requestId)).state).toBe('filled');
    expect(desk.desk.backlog()).toBe(0);
  });

  test('what a stop cannot wait for stays in the journal, and the next start takes it up, once', async () => {
    const desk = await openDesk();
    venue.down = 'not-sent';
    const signals = [await accept(desk), await accept(desk)];
    const answers = signals.map((signal) => desk.desk.dispatcher.dispatch(signal, 'failover'));
    await passTimeUntil(() => desk.desk.backlog() === 2);
    await passTime((open.pop() as TestDesk).desk.stop(100));
    expect(await passTime(Promise.all(answers))).toEqual([{ kind: 'queued' }, { kind: 'queued' }]);
    for (const { requestId } of signals) expect((await tradeOf(requestId)).state).toBe('accepted');
    venue.down = undefined;
    const next = await openDesk(false);
    expect(await next.desk.start({ afterCrash: false })).toBe(2);
    for (const { requestId } of signals) await until(requestId, 'filled');
    expect(venue.sent).toHaveLength(2);
    expect(desk.troubles).toEqual([]);
  });

  test('trades of one market keep the order in which they were accepted, over a restart', async () => {
    const before = await openDesk(false);
    const quantities = ['0.001', '0.002', '0.003', '0.004'];
    for (const [index] of quantities.entries()) await accept(before, { quantity: BigInt((index + 1) * 1e9) as never });
    await openDesk();
    await passTimeUntil(() => venue.sent.length === 4);
    expect(venue.sent.map(({ quantity }) => Number(quantity) / 1e9)).toEqual([1, 2, 3, 4]);
  });

  test('bodies that came in shortly before a crash are guarded after it', async () => {
    const bodyDigest = new Uint8Array(32).fill(7);
    const before = await openDesk(false);
    const first = await before.accept({ bodyDigest, order: { market } });
    const after = await openDesk();
    await expect(after.accept({ bodyDigest, order: { market } })).rejects.toThrow(first.requestId);
    clock.advance(20_000);
    await expect(after.accept({ bodyDigest, order: { market } })).resolves.toBeDefined();
  });

  test('messages that were never delivered leave after the next start', async () => {
    const desk = await openDesk();
    venue.down = 'not-sent';
    const signal = await accept(desk, { notify: { parseMode: 'Plain' } });
    await passTime(desk.desk.dispatcher.dispatch(signal, 'direct'));
    expect(desk.sent.map(({ text }) => text)).toEqual([expect.stringContaining('Rejected')]);
    await passTime((open.pop() as TestDesk).desk.stop(1000));
    const { journal } = storage.data;
    const message = { kind: 'notify', notify: { parseMode: 'Plain' }, summary: 'left behind' } as const;
    const step = {
      seq: signal.seq,
      atMs: clock.wallMs,
      state: 'rejected',
      event: { kind: 'note' },
      fills: [],
    } as const;
    await journal.record({ ...step, executedQuantity: signal.executedQuantity, message });
    clock.advance(2000);
    const next = await openDesk();
    await passTimeUntil(() => next.sent.length > 0);
    expect(next.sent.map(({ text }) => text)).toEqual(['left behind']);
    expect(desk.sent).toHaveLength(1);
  });
});
