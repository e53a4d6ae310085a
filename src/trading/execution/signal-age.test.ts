// How long an accepted signal may wait for its venue: an exit of a testnet or live account for a day, everything else for
// SIGNAL_MAX_AGE_S; and that its owner is told where the time has passed.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { Trade } from '../books/journal.ts';
import { decimal } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers } from '../testing/hurry.ts';
import {
  createTestClock,
  openTestDesk,
  SIGNAL_MAX_AGE_MS,
  slowly,
  type TestClock,
  type TestDesk,
} from '../testing/test-desk.ts';
import type { VenueMode } from '../venue.ts';

const DAY_MS = 86_400_000;

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
  clock = createTestClock();
  open = [];
  market = `AGE${++markets}USDT`;
});
afterEach(async () => {
  for (const { desk } of open) await passTime(desk.stop(1000));
});

async function openDesk(started = true): Promise<TestDesk> {
  const made = await openTestDesk({ ...slowly(storage.data), venues: [venue], clock, positionCheck: 'catch_up' });
  open.push(made);
  if (started) await made.desk.start({ afterCrash: true });
  return made;
}

function openVenue(mode: VenueMode): void {
  venue = Object.assign(createScriptedVenue('binance', 'one-way', pretendedTimers), { mode });
  venue.hold('LONG', '1');
}

const tradeOf = async (requestId: string): Promise<Trade> =>
  (await storage.data.journal.trade(requestId))?.trade as Trade;
async function ended(requestId: string): Promise<Trade> {
  await passTimeUntil(async () => ['filled', 'expired', 'rejected'].includes((await tradeOf(requestId)).state));
  return tradeOf(requestId);
}

const EXIT = { action: 'CLOSE_LONG', quantity: decimal('1') } as const;

/** Takes a signal while the venue is away, lets time pass, and brings the venue back. */
async function waitThrough(
  mode: VenueMode,
  order: Partial<SignalOrder>,
  change: () => void,
): Promise<{ trade: Trade; alarms: readonly string[] }> {
  openVenue(mode);
  const desk = await openDesk();
  venue.down = 'not-sent';
  const signal = await desk.accept({ order: { market, symbol: market, ...order } });
  await passTime(desk.desk.dispatcher.dispatch(signal, 'failover'));
  change();
  venue.down = undefined;
  const trade = await ended(signal.requestId);
  return { trade, alarms: desk.alarms.filter((alarm) => alarm.startsWith('expired ')) };
}

describe.each(['testnet', 'live'] as const)('on a %s account', (mode) => {
  test.each([70_000, DAY_MS])('an exit whose venue was away for %i ms closes, and no alarm is raised', async (ms) => {
    const { trade, alarms } = await waitThrough(mode, EXIT, () => clock.advance(ms));
    expect([trade.state, alarms]).toEqual(['filled', []]);
    expect(venue.sent).toMatchObject([{ side: 'SELL', reduceOnly: true, quantity: EXIT.quantity }]);
  });

  test('an exit expires when a day has passed, and its owner is told that the position may be open', async () => {
    const { trade, alarms } = await waitThrough(mode, EXIT, () => clock.advance(DAY_MS + 1));
    expect([trade.state, trade.error]).toEqual([
      'expired',
      'the signal waited for more than a day and was not executed; nothing was sent',
    ]);
    expect(alarms).toEqual([
      `expired ${trade.requestId}: CLOSE_LONG 1 ${market} on binance (${mode === 'live' ? 'LIVE' : mode}) has expired: ${trade.error}. What it was to close may still be open: look at the position`,
    ]);
    expect(venue.sent).toEqual([]);
  });

  test('an entry expires a millisecond after its age, and its owner is told', async () => {
    const { trade, alarms } = await waitThrough(mode, { action: 'LONG' }, () => clock.advance(SIGNAL_MAX_AGE_MS + 1));
    expect([trade.state, venue.sent]).toEqual(['expired', []]);
    expect(alarms).toEqual([expect.stringContaining('has expired: the signal waited longer than SIGNAL_MAX_AGE_S')]);
  });

  test('an exit found at the start closes, also one that a clock that was set back puts into the future', async () => {
    for (const wallMs of [DAY_MS, -3_600_000]) {
      openVenue(mode);
      const before = await openDesk(false);
      const { requestId } = await before.accept({ order: { market, symbol: market, ...EXIT } });
      clock.wallMs += wallMs;
      clock.monotonicMs = 5;
      await openDesk();
      expect((await ended(requestId)).state).toBe('filled');
      market = `AGE${++markets}USDT`;
    }
  });

  test('a time that the sender has set still counts for an exit, and its owner is told', async () => {
    const order = { ...EXIT, price: decimal('100'), cancelAfterSeconds: 65 };
    const { trade, alarms } = await waitThrough(mode, order, () => clock.advance(70_000));
    expect([trade.state, venue.sent]).toEqual(['expired', []]);
    expect(alarms).toEqual([expect.stringContaining('cancelAfterSeconds had passed')]);
  });
});

test('an exit that is late opens nothing to catch up with its strategy', async () => {
  // Its strategy has 2 left after it, and only 1 is held here: in time, what is missing would be bought.
  const order = { ...EXIT, previousPosition: { position: 'long', size: decimal('3') } } as const;
  const { trade } = await waitThrough('live', order, () => clock.advance(70_000));
  expect(trade.error).toContain('may not be sent: the signal is older than SIGNAL_MAX_AGE_S');
  expect([trade.state, venue.sent]).toEqual(['rejected', []]);
});

test('an order of an exit that never arrived is told when that is certain', async () => {
  openVenue('live');
  const desk = await openDesk();
  venue.script.push({ fail: 'unknown', taken: false });
  const { requestId } = await passTime(desk.trade('async', { order: { market, symbol: market, ...EXIT } }));
  await passTimeUntil(async () => (await tradeOf(requestId)).state === 'unknown');
  venue.certain = true;
  await passTime(desk.desk.dispatcher.reconcile());
  expect((await tradeOf(requestId)).state).toBe('expired');
  expect(desk.alarms).toContainEqual(expect.stringMatching(`^expired ${requestId}: CLOSE_LONG 1 .* may still be open`));
});

test('on paper an exit expires as every signal does, and its owner is told', async () => {
  const { trade, alarms } = await waitThrough('paper', EXIT, () => clock.advance(SIGNAL_MAX_AGE_MS + 1));
  expect([trade.state, venue.sent]).toEqual(['expired', []]);
  expect(alarms).toEqual([expect.stringContaining('may still be open')]);
});
