// A venue's limits: never exceeded in any stretch of time, whoever waits is served in order, and what others use counts.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { type Answered, type RequestLimit, RequestLimits } from './request-limits.ts';

const LIMIT: RequestLimit = { name: 'weight', most: 10, windowMs: 1000 };

function open(limits: readonly RequestLimit[] = [LIMIT], maxWaitMs = 15_000) {
  const clock = createHandClock(0);
  const { nowMs: monotonicMs, timers } = clock;
  const made = new RequestLimits({ title: 'Binance', limits, maxWaitMs, monotonicMs, timers });
  const served: [name: string, atMs: number][] = [];
  const sent = new Map<string, Answered>();
  /** Without an answer until `answer` is called. */
  const send = async (
    ...[name, cost, isUrgent = false, atMostMs]: [string, Record<string, number>, boolean?, number?]
  ): Promise<void> => {
    sent.set(name, await made.take(cost, { isUrgent, atMostMs }));
    served.push([name, clock.nowMs()]);
  };
  const answer = (name: string): void => sent.get(name)?.();
  /** Answered as soon as it was sent. */
  const take: typeof send = (name, ...rest) => send(name, ...rest).then(() => answer(name));
  return { clock, limits: made, take, send, answer, served };
}

test('what fits goes at once, the next waits until the first is a whole window old', async () => {
  const { clock, take, served } = open();
  void take('a', { weight: 4 });
  await clock.advance(300);
  void take('b', { weight: 6 });
  void take('c', { weight: 4 });
  void take('d', { weight: 1 });
  await clock.advance(2000);
  expect(served).toEqual([
    ['a', 0],
    ['b', 300],
    ['c', 1000],
    // Behind c, although it is small: else a large one would wait for ever.
    ['d', 1300],
  ]);
});

test('who can wait only for so long is served within that, or hears at once that it cannot be', async () => {
  const { clock, take, served } = open();
  void take('a', { weight: 10 });
  void take('b', { weight: 5 }, false, 1000);
  // It would have been its turn, had the one before it not come first.
  const late = expect(take('c', { weight: 6 }, false, 1500)).rejects.toMatchObject({ failure: 'not-sent' });
  await expect(take('d', { weight: 1 }, false, 999)).rejects.toMatchObject({ failure: 'not-sent' });
  await clock.advance(1000);
  await late;
  void take('e', { weight: 5 }, false, 0);
  await clock.advance(0);
  expect(served).toEqual([
    ['a', 0],
    ['b', 1000],
    ['e', 1000],
  ]);
});

test('each limit counts by itself, and a cost of a limit that does not exist is free', async () => {
  const { clock, take, served } = open([LIMIT, { name: 'orders', most: 1, windowMs: 400 }]);
  void take('a', { weight: 1, orders: 1 });
  void take('b', { weight: 1, orders: 1, others: 9 });
  await clock.advance(1000);
  expect(served).toEqual([
    ['a', 0],
    ['b', 400],
  ]);
});

test('who needs another limit does not wait behind one that is used up', async () => {
  const { clock, take, served } = open([LIMIT, { name: 'contracts', most: 1, windowMs: 5000 }]);
  void take('a', { contracts: 1 });
  void take('b', { contracts: 1 });
  void take('c', { weight: 1 });
  void take('d', { weight: 1, contracts: 1 });
  void take('e', { weight: 1 });
  await clock.advance(20_000);
  expect(served).toEqual([
    ['a', 0],
    ['c', 0],
    // Not behind d, which needs both: only one of them is short.
    ['e', 0],
    ['b', 5000],
    ['d', 10_000],
  ]);
});

test('one that would have to wait longer than is allowed hears that nothing was sent; one at the bound waits', async () => {
  const { clock, take, served } = open([LIMIT], 1000);
  void take('a', { weight: 10 });
  void take('b', { weight: 10 });
  const last = expect(take('c', { weight: 1 })).rejects.toMatchObject({
    failure: 'not-sent',
    message: 'Binance takes no more requests for another 1 s; nothing was sent',
  });
  await clock.advance(3000);
  await last;
  expect(served).toEqual([
    ['a', 0],
    ['b', 1000],
  ]);
});

test('a silence of the venue that is too long to wait for is told at once', async () => {
  const { limits, take } = open([LIMIT], 1000);
  limits.pause(1001);
  await expect(take('a', { weight: 1 })).rejects.toMatchObject({ failure: 'not-sent' });
});

test('what the venue has counted beyond ours is taken as used now; less than ours changes nothing', async () => {
  const { clock, limits, take, served } = open();
  void take('a', { weight: 2 });
  await clock.advance(100);
  limits.learn('weight', 9);
  limits.learn('weight', 1);
  limits.learn('weight', Number.NaN);
  limits.learn('none', 99);
  void take('b', { weight: 2 });
  await clock.advance(2000);
  expect(served).toEqual([
    ['a', 0],
    ['b', 1000],
  ]);
});

test('while the venue wants silence nothing goes', async () => {
  const { clock, limits, take, served } = open();
  limits.pause(700);
  limits.pause(200);
  void take('a', { weight: 1 });
  await clock.advance(1000);
  expect(served).toEqual([['a', 700]]);
});

test('more than a limit allows at all goes alone', async () => {
  const { clock, take, served } = open();
  void take('a', { weight: 1 });
  void take('b', { weight: 11 });
  await clock.advance(3000);
  expect(served).toEqual([
    ['a', 0],
    ['b', 1000],
  ]);
});

describe('a request counts from its sending until its answer is a whole window old', () => {
  test('because the venue may have counted it as late as that', async () => {
    const { clock, send, answer, take, served } = open();
    void send('slow', { weight: 10 });
    void take('next', { weight: 1 });
    await clock.advance(400);
    answer('slow');
    await clock.advance(999);
    expect(served).toEqual([['slow', 0]]);
    await clock.advance(1);
    expect(served.at(-1)).toEqual(['next', 1400]);
  });

  test('and one whose answer comes late does not hold up what an earlier answer has made room for', async () => {
    const { clock, send, answer, take, served } = open();
    void send('slow', { weight: 5 });
    void take('quick', { weight: 5 });
    void take('next', { weight: 5 });
    await clock.advance(1000);
    expect(served.at(-1)).toEqual(['next', 1000]);
    answer('slow');
    void take('last', { weight: 1 });
    await clock.advance(1000);
    expect(served.at(-1)).toEqual(['last', 2000]);
  });
});

describe('urgent requests', () => {
  test('go before those that came first, where a limit is short', async () => {
    const { clock, take, served } = open();
    void take('a', { weight: 10 });
    void take('b', { weight: 6 });
    void take('c', { weight: 6 });
    await clock.advance(500);
    void take('stop', { weight: 6 }, true);
    await clock.advance(3000);
    expect(served).toEqual([
      ['a', 0],
      ['stop', 1000],
      ['b', 2000],
      ['c', 3000],
    ]);
  });

  test('have a part of the limit to themselves, and no more than the whole of it', async () => {
    const { clock, take, served } = open([{ ...LIMIT, kept: 2 }]);
    for (let index = 0; index < 9; index += 1) void take(`entry ${index}`, { weight: 1 });
    await clock.advance(1);
    expect(served).toHaveLength(8);
    for (let index = 0; index < 3; index += 1) void take(`stop ${index}`, { weight: 1 }, true);
    await clock.advance(1);
    expect(served.slice(8).map(([name]) => name)).toEqual(['stop 0', 'stop 1']);
    await clock.advance(1000);
    // Eight slots have come free together, and two stops still count: the third takes one, and the entry that waited another.
    expect(served.slice(10).map(([name]) => name)).toEqual(['stop 2', 'entry 8']);
  });
});

test('a limit that is paced lets the first go at once, spreads the rest over its window, and urgent ones pass', async () => {
  const { clock, take, served } = open([{ ...LIMIT, pacedAfter: 4 }]);
  for (let index = 0; index < 12; index += 1) void take(`entry ${index}`, { weight: 1 });
  await clock.advance(100);
  void take('stop', { weight: 1 }, true);
  await clock.advance(2000);
  const times = served.map(([, atMs]) => atMs);
  expect(times).toEqual([0, 0, 0, 0, 60, 100, 160, 220, 280, 340, 1000, 1060, 1120]);
  expect(served[5]).toEqual(['stop', 100]);
});

describe('whatever is asked for', () => {
  const asked = fc.array(fc.record({ afterMs: fc.nat(600), weight: fc.integer({ min: 0, max: 10 }) }), {
    maxLength: 40,
  });
  test('no stretch of a window has more than the limit, everybody is served, in order', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (requests) => {
        const { clock, take, served } = open([LIMIT], Number.POSITIVE_INFINITY);
        for (const [index, { afterMs, weight }] of requests.entries()) {
          await clock.advance(afterMs);
          void take(String(index), { weight });
        }
        await clock.advance(60_000);
        expect(served.map(([name]) => name)).toEqual(requests.map((_, index) => String(index)));
        for (const [, endMs] of served) {
          const within = served.filter(([, atMs]) => atMs <= endMs && atMs > endMs - LIMIT.windowMs);
          const sum = within.reduce((total, [name]) => total + (requests[Number(name)]?.weight ?? 0), 0);
          expect(sum).toBeLessThanOrEqual(LIMIT.most);
        }
      }),
      { numRuns: 60 },
    );
  });
});
