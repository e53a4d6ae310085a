// Questions that many ask at once share a request: nobody gets an answer that is older than his question.

import { expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { decimal } from '../../trading/decimal.ts';
import { SharedRead } from './shared-read.ts';
import type { VenueMarket } from './venue-adapter.ts';

/** How long the venue takes. */
const LATENCY_MS = 20;

const market = (symbol: string): VenueMarket => ({
  ...{ symbol, venueSymbol: symbol, tickSize: decimal(1), stepSize: decimal(1), minQuantity: decimal(1) },
  ...{ minNotional: decimal(1), maxLeverage: 1 },
});

function open(firstTakesMs = LATENCY_MS) {
  const clock = createHandClock(0);
  const { nowMs: monotonicMs, timers } = clock;
  const asked: string[] = [];
  let fault: Error | undefined;
  /** Answers with the time at which the venue was asked. */
  const answer = (what: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const atMs = clock.nowMs();
      const takesMs = asked.push(`${what} at ${atMs}`) === 1 ? firstTakesMs : LATENCY_MS;
      timers.after(takesMs, () => (fault === undefined ? resolve(atMs) : reject(fault)));
    });
  const read = new SharedRead<number>({
    ...{ monotonicMs, timers, one: ({ symbol }) => answer(symbol) },
    all: async () => {
      const atMs = await answer('all');
      return ({ symbol }) => {
        if (symbol === 'NONE') throw new Error('it has no price');
        return atMs;
      };
    },
  });
  const answers: string[] = [];
  const ask = (symbol: string): void => {
    const askedMs = clock.nowMs();
    void read.ask(market(symbol)).then(
      (atMs) => answers.push(`${symbol}: asked at ${askedMs}, true at ${atMs}, known at ${clock.nowMs()}`),
      (error: Error) => answers.push(`${symbol}: ${error.message}`),
    );
  };
  return { clock, read, ask, asked, answers, fail: (error: Error | undefined) => (fault = error) };
}

test('one alone asks for his own market, at once, and so does the next a little later', async () => {
  const { clock, ask, asked } = open();
  for (const symbol of ['A', 'B', 'A', 'A']) {
    ask(symbol);
    await clock.advance(LATENCY_MS);
  }
  expect(asked).toEqual(['A at 0', 'B at 20', 'A at 40', 'A at 60']);
});

test('who asks while others are being answered waits for a request that begins after his question', async () => {
  const { clock, ask, asked, answers } = open();
  ask('A');
  await clock.advance(5);
  ask('B');
  ask('C');
  ask('A');
  await clock.advance(100);
  expect(asked).toEqual(['A at 0', 'all at 20']);
  expect(answers).toEqual([
    'A: asked at 0, true at 0, known at 20',
    'B: asked at 5, true at 20, known at 40',
    'C: asked at 5, true at 20, known at 40',
    'A: asked at 5, true at 20, known at 40',
  ]);
});

test('a request that hangs holds up who asks after it for two seconds, and its own answer still comes', async () => {
  const { clock, ask, asked, answers } = open(10_000);
  ask('A');
  await clock.advance(1_000);
  ask('B');
  await clock.advance(1_500);
  ask('C');
  await clock.advance(8_000);
  ask('D');
  await clock.advance(100);
  expect(asked).toEqual(['A at 0', 'B at 2000', 'C at 2500', 'D at 10500']);
  expect(answers).toEqual([
    'B: asked at 1000, true at 2000, known at 2020',
    'C: asked at 2500, true at 2500, known at 2520',
    'A: asked at 0, true at 0, known at 10000',
    'D: asked at 10500, true at 10500, known at 10520',
  ]);
});

test('several that ask for the same market share a request for it alone', async () => {
  const { clock, ask, asked } = open();
  ask('A');
  ask('B');
  ask('B');
  await clock.advance(100);
  expect(asked).toEqual(['A at 0', 'B at 20']);
});

test('in a flood the venue is asked four times a second, and everybody is answered with what is true after his question', async () => {
  const { clock, ask, asked, answers } = open();
  for (let atMs = 0; atMs < 10_000; atMs += 10) {
    ask(`M${atMs % 50}`);
    await clock.advance(10);
  }
  await clock.advance(1000);
  expect(answers).toHaveLength(1000);
  // Four at once, then one each quarter of a second.
  expect(asked.length).toBeGreaterThanOrEqual(40);
  expect(asked.length).toBeLessThanOrEqual(45);
  for (const words of answers) {
    const [askedMs = 0, trueMs = 0] = words.match(/(?<=at )\d+/g)?.map(Number) ?? [];
    expect(trueMs).toBeGreaterThanOrEqual(askedMs);
    expect(trueMs).toBeLessThanOrEqual(askedMs + 250 + LATENCY_MS);
  }
});

test('an error is told to all who shared the request, one market that lacks an answer only to who asked for it', async () => {
  const { clock, ask, answers, fail } = open();
  fail(new Error('away'));
  ask('A');
  ask('B');
  ask('C');
  await clock.advance(100);
  expect(answers).toEqual(['A: away', 'B: away', 'C: away']);
  fail(undefined);
  await clock.advance(5000);
  ask('A');
  ask('B');
  ask('NONE');
  await clock.advance(100);
  expect(answers.slice(3)).toEqual([
    'A: asked at 5100, true at 5100, known at 5120',
    'B: asked at 5100, true at 5120, known at 5140',
    'NONE: it has no price',
  ]);
});

test('after it was closed nothing is asked any more, and who waits or comes later hears so', async () => {
  const { clock, read, ask, asked, answers } = open();
  for (let index = 0; index < 5; index += 1) {
    ask('A');
    await clock.advance(LATENCY_MS);
  }
  read.close();
  ask('B');
  await clock.advance(5000);
  expect(asked).toHaveLength(4);
  const closed = 'the account is being closed; nothing was sent';
  expect(answers.slice(4)).toEqual([`A: ${closed}`, `B: ${closed}`]);
});
