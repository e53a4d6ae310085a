// What limits count is read from the journal, which may take long: nobody who closes waits for it, and no entry passes unasked.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TradeChanges } from '../../../tests/ports/sample-trades.ts';
import { createScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import type { Dispatched } from '../execution/dispatch.ts';
import { Restrictions } from '../intake/restrictions.ts';
import { hurry, passTime, passTimeUntil, pretendedTimers, turn } from '../testing/hurry.ts';
import { createTestClock, memoryRestrictions, openTestDesk, slowly, type TestDesk } from '../testing/test-desk.ts';

let storage: TestData;
let market: string;
let markets = 0;
let desk: TestDesk | undefined;
/** What limits count is read when this is called. */
let letRead: () => void;
let setLimit: () => Promise<unknown>;
beforeAll(async () => {
  storage = await openTestData();
});
afterAll(() => storage.close());
beforeEach(() => {
  hurry();
  market = `U${++markets}USDT`;
});
afterEach(async () => {
  letRead();
  if (desk) await passTime(desk.desk.stop(1000));
});

/** A desk that takes over while a limit of this market is in force and its journal is long. */
async function takeOver(hasLimit = true): Promise<TestDesk> {
  const clock = createTestClock();
  const read = Promise.withResolvers<void>();
  letRead = read.resolve;
  const restrictions = new Restrictions({ store: memoryRestrictions(), nowMs: () => clock.wallMs });
  setLimit = () => restrictions.setLimits({ kind: 'symbol', name: market }, { entriesPerDay: 5 }, 'test');
  if (hasLimit) await setLimit();
  const history = {
    async *pages(): AsyncGenerator<never> {
      await read.promise;
      yield* [] as never[];
    },
  };
  const venue = createScriptedVenue('binance', 'one-way', pretendedTimers);
  desk = await openTestDesk({ ...slowly(storage.data), venues: [venue], clock, restrictions, history });
  await passTime(desk.desk.start({ afterCrash: true }));
  return desk;
}

const send = (to: TestDesk, changes: TradeChanges['order'], mode: 'direct' | 'async' = 'direct') =>
  to.trade(mode, { order: { market, symbol: market, ...changes } });
const wordsOf = ({ dispatched }: { readonly dispatched: Dispatched }): string =>
  dispatched.kind === 'settled'
    ? `${dispatched.settled.state}${dispatched.settled.cause ? ` ${dispatched.settled.cause}` : ''}`
    : dispatched.kind;

test('a start is not held up by it, an entry under the limit is refused for now, and a close of the same market passes', async () => {
  const open = await takeOver();
  const free = `${market}X`;
  expect(wordsOf(await passTime(send(open, { market: free, symbol: free })))).toBe('filled');
  open.clock.advance(2000);
  const entry = send(open, {});
  const close = send(open, { market: free, symbol: free, action: 'CLOSE_LONG' });
  // No time passes: neither of them waits.
  for (let turns = 0; turns < 200; turns += 1) await turn();
  expect(wordsOf(await entry)).toBe('rejected limits-unread');
  expect(wordsOf(await passTime(close))).toBe('filled');
  letRead();
  await turn();
  expect(wordsOf(await passTime(send(open, {})))).toBe('filled');
  // What it holds may be closed while its limit is unread, too: it is asked for nothing.
  expect(wordsOf(await passTime(send(open, { action: 'CLOSE_LONG' })))).toBe('filled');
});

test('an entry that came early waits for it in its lane, for two seconds in all, and what is behind it goes on', async () => {
  const open = await takeOver();
  const entry = send(open, {});
  const behind = send(open, { action: 'CLOSE_LONG' });
  let ended = '';
  void entry.then(() => (ended += 'entry '));
  void behind.then(() => (ended += 'close '));
  for (let turns = 0; turns < 50; turns += 1) await turn();
  expect(ended).toBe('');
  await passTimeUntil(() => ended === 'entry close ');
  expect(wordsOf(await entry)).toBe('rejected limits-unread');
});

test('an entry whose limit is read while it waits is traded', async () => {
  const open = await takeOver();
  const entry = send(open, {});
  for (let turns = 0; turns < 50; turns += 1) await turn();
  letRead();
  expect(wordsOf(await passTime(entry))).toBe('filled');
});

test('an exit that tells what its strategy held, and only closes, does not wait for it', async () => {
  const open = await takeOver(false);
  expect(wordsOf(await passTime(send(open, {})))).toBe('filled');
  await setLimit();
  open.clock.advance(2000);
  const exit = send(open, { action: 'CLOSE_LONG', previousPosition: { position: 'long' } });
  expect(wordsOf(await passTime(exit))).toBe('filled');
  expect(wordsOf(await passTime(send(open, {})))).toBe('rejected limits-unread');
});
