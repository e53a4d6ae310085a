// The stale-data gate on a live account: at which age an entry is refused, what it is sized with, and when the alarm ends.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedVenue, type ScriptedVenue } from '../../../tests/support/scripted-venue.ts';
import { openTestData, type TestData } from '../../adapters/storage/sqlite/testing/open-test-storage.ts';
import { decimal, toText } from '../decimal.ts';
import type { SignalOrder } from '../signal.ts';
import { hurry, passTime, pretendedTimers } from '../testing/hurry.ts';
import { createTestClock, openTestDesk, slowly, type TestClock, type TestDesk } from '../testing/test-desk.ts';
import { type Quote, VenueError } from '../venue.ts';
import { QuoteGate } from './quote-gate.ts';

const MAX_AGE_MS = 10_000;

let storage: TestData;
let venue: ScriptedVenue;
let clock: TestClock;
let desk: TestDesk;
let answer: () => Quote;
let looks: string[];
let markets = 0;
let market: string;
beforeAll(async () => {
  storage = await openTestData();
});
afterAll(() => storage.close());
beforeEach(async () => {
  hurry();
  clock = createTestClock();
  looks = [];
  market = `Q${++markets}USDT`;
  answer = () => aged(0);
  const quote = async (asked: string): Promise<Quote> => {
    looks.push(asked);
    return answer();
  };
  venue = Object.assign(createScriptedVenue('binance', 'one-way', pretendedTimers), { mode: 'live', quote });
  desk = await openTestDesk({ ...slowly(storage.data), venues: [venue], clock });
});
afterEach(async () => passTime(desk.desk.stop(1000)));

const aged = (ageMs: number): Quote => ({ bid: decimal(199), ask: decimal(200), atMs: clock.wallMs - ageMs });

async function trade(order: Partial<SignalOrder> = {}) {
  const { dispatched } = await desk.trade('direct', { order: { market, symbol: market, ...order } });
  if (dispatched.kind !== 'settled') throw new Error('it waits');
  return dispatched.settled;
}

describe('an entry', () => {
  test.each([
    ['as old as they may be', MAX_AGE_MS],
    ['from a clock that is as far ahead', -MAX_AGE_MS],
  ])('goes by prices that are %s', async (_, ageMs) => {
    answer = () => aged(ageMs);
    expect(await trade()).toMatchObject({ state: 'filled' });
    expect(looks).toEqual([market]);
    expect(desk.alarms).toEqual([]);
    expect(venue.sent.map(({ notAfterMs }) => notAfterMs)).toEqual([clock.wallMs - Math.max(0, ageMs) + MAX_AGE_MS]);
  });

  test('that reverses leaves by the prices after its closing half, and that half has no last moment', async () => {
    await trade();
    answer = () => aged(looks.length === 3 ? 1000 : 0);
    expect(await trade({ action: 'SHORT' })).toMatchObject({ state: 'filled' });
    const lastMoments = venue.sent.map(({ notAfterMs }) => notAfterMs && notAfterMs - clock.wallMs);
    expect(lastMoments).toEqual([MAX_AGE_MS, undefined, MAX_AGE_MS - 1000]);
  });

  test.each<[string, () => Quote, string]>([
    ['are too old by then', () => aged(MAX_AGE_MS + 1), 'stale-data'],
    ['are too far apart by then', () => ({ ...aged(0), ask: decimal(300) }), 'LIMIT_SPREAD'],
  ])('that reverses opens nothing where prices %s', async (_, then, cause) => {
    await trade();
    answer = () => (looks.length === 3 ? then() : aged(0));
    expect(await trade({ action: 'SHORT' })).toMatchObject({ state: 'rejected', cause });
    expect(venue.sent.map(({ side, reduceOnly }) => `${side} ${reduceOnly}`)).toEqual(['BUY false', 'SELL true']);
  });

  test.each<[string, () => Quote, string]>([
    ['are a moment older', () => aged(MAX_AGE_MS + 1), 'are 10.1 s old, and an entry may go by 10 s (STALE_QUOTE_S)'],
    ['are from the future', () => aged(-MAX_AGE_MS - 1), 'are dated 10.1 s ahead'],
    ['cannot be had', () => fail(new VenueError('unknown', 'timed out')), 'cannot be had: timed out'],
    ['are refused', () => fail(new VenueError('rejected', 'not for you')), 'cannot be had: not for you'],
  ])('is refused while they %s, and the owner is told', async (_, given, words) => {
    answer = given;
    expect(await trade()).toMatchObject({
      ...{ state: 'rejected', cause: 'stale-data', nothingPlaced: true, error: expect.stringContaining(words) },
    });
    expect(venue.sent).toEqual([]);
    expect(desk.alarms).toEqual([expect.stringMatching(`^stale prices binance ${market}: An entry was refused: .*`)]);
  });

  test('is refused at a venue that has no best prices', async () => {
    Object.assign(venue, { quote: undefined });
    expect(await trade()).toMatchObject({ state: 'rejected', cause: 'stale-data' });
  });

  test('is refused before its leverage is set', async () => {
    answer = () => aged(MAX_AGE_MS + 1);
    await trade({ leverage: 7 });
    expect(venue.leverages).toEqual([]);
  });

  test.each([
    ['LONG', '200', '5'],
    ['SHORT', '199', '5.025'],
  ] as const)('%s is sized with %s, what it trades at now, whatever was traded last', async (action, _, quantity) => {
    const { market: rules } = venue;
    venue.market = async (symbol) => ({ ...(await rules(symbol)), lastPrice: decimal(100) });
    await trade({ action, quantity: decimal(1000), quantityType: 'quote' });
    expect(venue.sent.map((order) => toText(order.quantity))).toEqual([quantity]);
  });

  test('on a paper account asks for no prices without a limit about them', async () => {
    Object.assign(venue, { mode: 'paper' });
    expect(await trade()).toMatchObject({ state: 'filled' });
    expect(looks).toEqual([]);
  });
});

test('a close asks nobody how old the prices are', async () => {
  venue.hold('LONG', '1');
  answer = () => aged(MAX_AGE_MS + 1);
  const closed = await trade({ action: 'CLOSE_LONG' });
  expect([closed.cause, looks, desk.alarms]).toEqual([undefined, [], []]);
});

describe('the alarm', () => {
  let over: string[];
  let gate: QuoteGate;
  beforeEach(() => {
    over = [];
    gate = new QuoteGate({
      ...{ nowMs: () => clock.wallMs, maxAgeMs: MAX_AGE_MS },
      onAlarmOver: (kind) => void over.push(kind),
    });
    answer = () => aged(MAX_AGE_MS + 1);
  });

  test('lasts until the prices are fresh', async () => {
    gate.raise(venue, 'BTCUSDT', 'too old');
    await gate.lookAgain();
    expect(over).toEqual([]);
    answer = () => aged(0);
    await gate.lookAgain();
    expect(over).toEqual(['stale prices binance BTCUSDT']);
    await gate.lookAgain();
    expect(looks).toHaveLength(2);
  });

  test('of many markets costs one look at a time while they are stale', async () => {
    for (const name of ['A', 'B', 'C']) gate.raise(venue, name, 'too old');
    for (let round = 0; round < 4; round++) await gate.lookAgain();
    expect(looks).toEqual(['A', 'B', 'C', 'A']);
    answer = () => aged(0);
    await gate.lookAgain();
    expect(over).toHaveLength(3);
  });

  test('is not over where an entry was refused while somebody looked', async () => {
    gate.raise(venue, 'A', 'too old');
    answer = () => {
      gate.raise(venue, 'A', 'too old again');
      return aged(0);
    };
    await gate.lookAgain();
    expect(over).toEqual([]);
    answer = () => aged(0);
    await gate.lookAgain();
    expect(over).toHaveLength(1);
  });

  test('is looked after as long as it is remembered', async () => {
    gate.raise(venue, 'A', 'too old');
    clock.advance(10 * 60_000);
    await gate.lookAgain();
    expect(looks).toEqual([]);
  });
});

function fail(error: Error): never {
  throw error;
}
