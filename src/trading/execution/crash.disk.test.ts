// The process dies at every single step of a trade, before it and after it: the next one never trades it twice.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedVenue, type Script, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import { isFinal } from '../books/journal.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { QueueMode } from '../intake/controls.ts';
import type { SignalOrder } from '../signal.ts';
import { hurry, passTime, passTimeUntil } from '../testing/hurry.ts';
import { openTestDesk, slowly } from '../testing/test-desk.ts';

let storage: TestData;
let markets = 0;
beforeAll(async () => {
  storage = await openTestData();
});
afterAll(() => storage.close());
beforeEach(hurry);

/** Everything the process does outside of itself goes through here; at the chosen moment it stops for good. */
function createFate(dieAt: number) {
  let moments = 0;
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => undefined);
  let dead = false;
  const moment = (): boolean => {
    if (!dead && ++moments === dieAt) {
      dead = true;
      die();
    }
    return dead;
  };
  const live = async (work: () => Promise<unknown>): Promise<unknown> => {
    if (moment()) return never;
    const [outcome] = await Promise.allSettled([work()]);
    // What was done is done, but nobody hears of it any more.
    if (moment()) return never;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
  const doomed = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name, receiver) {
        const value = Reflect.get(object, name, receiver);
        if (typeof value !== 'function' || name === 'watchOrders') return value;
        return (...args: unknown[]) => live(() => value.apply(object, args));
      },
    });
  return { death, doomed, isDead: () => dead };
}

interface Story {
  readonly order: Partial<SignalOrder>;
  readonly setUp: (venue: ScriptedVenue) => void;
  readonly script?: readonly Script[];
  /** What the venue holds once the signal has been carried out whole. */
  readonly whole: string;
}
const STORIES: Readonly<Record<string, Story>> = {
  'an opening': { order: { action: 'LONG' }, setUp: () => undefined, whole: 'LONG 0.5' },
  'a close': { order: { action: 'CLOSE_LONG' }, setUp: (venue) => venue.hold('LONG', '2'), whole: 'LONG 1.5' },
  'a close of real money that fills in part': {
    order: { action: 'CLOSE_LONG' },
    setUp: (venue) => Object.assign(venue, { mode: 'live' }).hold('LONG', '2'),
    script: [{ part: '0.2' }],
    whole: 'LONG 1.5',
  },
  'a reversal': { order: { action: 'LONG' }, setUp: (venue) => venue.hold('SHORT', '1'), whole: 'LONG 0.5' },
};

/** Lives the story, dies at that moment, starts again, and checks what is there. False: it ended before it could die. */
async function live(story: Story, mode: QueueMode, dieAt: number, script: readonly Script[], certain: boolean) {
  const market = `C${++markets}USDT`;
  const venue = createScriptedVenue();
  story.setUp(venue);
  venue.script.push(...(story.script ?? []), ...script);
  venue.certain = certain;
  const { journal, signals, outbox } = slowly(storage.data);
  const fate = createFate(dieAt);
  const opening = openTestDesk({
    journal: fate.doomed(journal),
    signals: fate.doomed(signals),
    outbox: fate.doomed(outbox),
    venues: [fate.doomed(venue)],
  });
  const whole = opening.then(async (first) => {
    await first.trade(mode, { order: { ...story.order, market, symbol: market } });
    await first.desk.stop(20_000);
  });
  await passTime(Promise.race([fate.death, whole]));

  const second = await openTestDesk({ journal, signals, outbox, venues: [venue] });
  await second.desk.start({ afterCrash: true });
  const mine = async () => (await journal.trades({ limit: 2, market }))[0];
  await passTimeUntil(async () => {
    const state = (await mine())?.state;
    return state === undefined || isFinal(state) || state === 'unknown';
  });
  await passTime(second.desk.stop(1000));
  await check(story, venue, market, certain);
  return fate.isDead();
}

async function check(story: Story, venue: ScriptedVenue, market: string, certain: boolean): Promise<void> {
  const { journal } = storage.data;
  const [trade, ...others] = await journal.trades({ limit: 10, market });
  expect(others).toEqual([]);
  if (!trade) {
    // Not accepted, so nobody was told anything: then nothing may have left either.
    expect(venue.sent).toEqual([]);
    return;
  }
  const detail = await journal.trade(trade.requestId);
  const ends = detail?.events.filter(({ kind }) => ['filled', 'rejected', 'expired', 'canceled'].includes(kind)) ?? [];
  const holding = (await venue.positions(market)).map(({ side, quantity }) => `${side} ${Number(quantity) / 1e12}`);
  // Each leg may fill once, so a trade never has more fills than legs, and all of them are booked.
  const fills = detail?.fills ?? [];
  expect(new Set(fills.map(({ clientOrderId }) => clientOrderId)).size).toBe(fills.length);
  if (trade.state === 'filled') {
    expect(ends.length).toBe(detail?.orders.length);
    expect(ends.at(-1)?.kind).toBe('filled');
    expect(holding).toEqual([story.whole]);
    expect(trade.executedQuantity).toBe(decimal('0.5'));
  } else {
    // Only a venue that cannot say for certain leaves a question open, and then nothing is sent again.
    expect(certain && trade.state === 'unknown').toBe(false);
    expect(holding).not.toEqual([story.whole]);
  }
  // An order that may or may not be there may or may not be in the venue's positions.
  if (trade.state === 'unknown') return;
  // Our books say what the venue holds, also of what it held before.
  const booked = (await journal.positions()).filter((position) => position.market === market);
  const ours = booked.filter(({ quantity }) => quantity > ZERO);
  expect(ours.map(({ side, quantity }) => `${side} ${Number(quantity) / 1e12}`)).toEqual(holding);
}

const MODES: readonly QueueMode[] = ['direct', 'async'];
const LONGEST_STORY = 90;

describe.each(Object.entries(STORIES))('%s', (_, story) => {
  test.each(MODES.flatMap((mode) => [true, false].map((certain) => [mode, certain] as const)))(
    'in %s mode survives a crash at every step, at a venue that can tell for certain: %s',
    async (mode, certain) => {
      let dieAt = 1;
      while (await live(story, mode, dieAt, [], certain)) dieAt++;
      expect(dieAt).toBeGreaterThan(10);
      expect(dieAt).toBeLessThan(LONGEST_STORY);
    },
  );
});

describe('an opening that meets trouble and then a crash', () => {
  const troubles: [string, Script[]][] = [
    ['an order that was never sent', [{ fail: 'not-sent' }]],
    ['an order without an answer that was taken', [{ fail: 'unknown', taken: true }]],
    ['an order without an answer that was not taken', [{ fail: 'unknown' }]],
    ['a duplicate id', [{ fail: 'duplicate', taken: true }]],
    ['a refusal', [{ fail: 'rejected' }]],
  ];
  test.each(troubles)('%s', async (_, script) => {
    const story = STORIES['an opening'] as Story;
    let dieAt = 1;
    while (await live(story, 'failover', dieAt, script, true)) dieAt++;
    expect(dieAt).toBeGreaterThan(10);
  });
});
