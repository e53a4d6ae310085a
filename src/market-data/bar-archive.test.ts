// The archive of bars: only what is missing is fetched, once, and only what is final is kept.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../timing/testing/hand-clock.ts';
import { createBarArchive, MAX_BARS_A_REQUEST } from './bar-archive.ts';
import { type BarFeed, FeedRefusal } from './bar-feed.ts';
import type { BarStore } from './bar-store.ts';
import type { Bar } from './price-source.ts';
import { createMemoryBarStore } from './testing/memory-bar-store.ts';
import { createModelFeed, MINUTE_MS, MODEL_MARKET } from './testing/model-feed.ts';
import { DAY_MS } from './timeframe.ts';

function openArchive(count = 1000, store: BarStore | undefined = createMemoryBarStore()) {
  const clock = createHandClock(count * MINUTE_MS);
  const feed = createModelFeed(clock.timers, count);
  const warnings: string[] = [];
  const archive = createBarArchive({ feed, store, log: { warn: (_, message) => void warnings.push(message) } });
  const bars = (from: number, to: number, timeframeMs = MINUTE_MS) =>
    archive.bars(MODEL_MARKET, timeframeMs, from * MINUTE_MS, to * MINUTE_MS);
  /** Fetched stretches, in minutes; one bar more than was missing is asked for each time. */
  const fetched = () => feed.calls.map(({ fromMs, toMs }) => [fromMs / MINUTE_MS, toMs / MINUTE_MS - 1]);
  return { clock, feed, archive, warnings, bars, fetched };
}

const times = (bars: readonly Bar[]): number[] => bars.map(({ time }) => time / MINUTE_MS);
const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('bars of the past', () => {
  test('are fetched once and then read from the store', async () => {
    const { bars, fetched } = openArchive();
    const first = await bars(100, 200);
    expect(times(first)).toEqual(count(100, 200));
    expect(await bars(100, 200)).toEqual(first);
    expect(await bars(120, 130)).toEqual(first.slice(20, 30));
    expect(fetched()).toEqual([[100, 200]]);
  });

  test('are fetched only where they are missing', async () => {
    const { bars, fetched } = openArchive(5000);
    await bars(1000, 2000);
    expect(times(await bars(500, 2500))).toEqual(count(500, 2500));
    expect(fetched()).toEqual([
      [1000, 2000],
      [500, 1000],
      [2000, 2500],
    ]);
  });

  test('with short known stretches between missing ones are fetched in one request', async () => {
    const { bars, fetched } = openArchive(5000);
    await bars(1000, 1010);
    await bars(900, 1100);
    expect(fetched()).toEqual([
      [1000, 1010],
      [900, 1100],
    ]);
  });

  test('that start in the range are given, wherever in a bar the range begins and ends', async () => {
    const { bars } = openArchive();
    expect(times(await bars(100.5, 103))).toEqual([101, 102]);
    expect(times(await bars(100, 102.5))).toEqual([100, 101, 102]);
    expect(await bars(100, 100)).toEqual([]);
  });

  test('that never were are known to be none, and not asked for again', async () => {
    const { bars, feed, fetched } = openArchive();
    for (const index of [5, 6, 10]) feed.silent.add(index);
    const known = count(0, 20).filter((index) => !feed.silent.has(index));
    expect(times(await bars(0, 20))).toEqual(known);
    expect(times(await bars(0, 20))).toEqual(known);
    expect(fetched()).toHaveLength(1);
  });
});

describe('what is kept', () => {
  test('is never the forming bar', async () => {
    const { bars, feed } = openArchive();
    expect((await bars(990, 1001)).at(-1)).toMatchObject({ time: 1000 * MINUTE_MS, volume: 3 });
    feed.closedCount += 1;
    expect((await bars(990, 1001)).at(-1)).toMatchObject({ time: 1000 * MINUTE_MS, volume: 10 });
  });

  test('is never a bar that only our clock thinks closed: the venue has to show a later one', async () => {
    const { bars, feed, clock, fetched } = openArchive();
    clock.jump(60 * MINUTE_MS);
    await bars(999, 1001);
    feed.closedCount += 1;
    expect((await bars(999, 1001)).at(-1)).toMatchObject({ volume: 10 });
    expect(fetched().at(-1)).toEqual([1000, 1001]);
  });

  test('are 200 bars that the live stream has ended, in memory: only then the venue is asked, for all of them', async () => {
    const { archive, bars, feed, fetched } = openArchive();
    await bars(900, 1000);
    for (let i = 0; i < 201; i += 1) {
      feed.closedCount += 1;
      archive.keep(MODEL_MARKET, MINUTE_MS, feed.bar(feed.closedCount - 1));
      expect(times(await bars(900, feed.closedCount))).toEqual(count(900, feed.closedCount));
    }
    expect(fetched().slice(1)).toEqual([[1000, 1201]]);
    expect(await bars(1000, 1201)).toHaveLength(201);
    expect(fetched()).toHaveLength(2);
  });

  test('is the word of the history, should it differ from what the live stream said', async () => {
    const { archive, bars, feed, fetched } = openArchive();
    feed.closedCount += 2;
    archive.keep(MODEL_MARKET, MINUTE_MS, { ...feed.bar(1000), close: 5 });
    expect((await bars(1000, 1001)).at(0)?.close).toBe(5);
    expect((await bars(999, 1001)).at(-1)?.close).toBe(1001);
    expect((await bars(1000, 1001)).at(0)?.close).toBe(1001);
    expect(fetched()).toEqual([[999, 1001]]);
  });

  test('is also what the live stream has ended, so that the newest bar costs no request', async () => {
    const { archive, bars, feed, clock, fetched } = openArchive();
    await bars(900, 1000);
    feed.closedCount += 1;
    archive.keep(MODEL_MARKET, MINUTE_MS, feed.bar(1000));
    await clock.settle();
    expect((await bars(900, 1001)).at(-1)).toEqual({
      time: 60_000_000,
      open: 1000,
      high: 1002,
      low: 999,
      close: 1001,
      volume: 10,
    });
    expect(fetched()).toHaveLength(1);
  });

  test('is nothing of an answer that is out of order', async () => {
    const { archive, feed } = openArchive();
    const shuffled: BarFeed = { ...feed, bars: async (...ask) => [...(await feed.bars(...ask))].reverse() };
    const store = createMemoryBarStore();
    const other = createBarArchive({ feed: shuffled, store, log: { warn: () => {} } });
    await expect(other.bars(MODEL_MARKET, MINUTE_MS, 0, 10 * MINUTE_MS)).rejects.toThrow(/out of order/);
    expect((await store.read(MODEL_MARKET, MINUTE_MS, { fromMs: 0, toMs: 600_000 })).bars).toEqual([]);
    expect(await archive.bars(MODEL_MARKET, MINUTE_MS, 0, 600_000)).toHaveLength(10);
  });
});

describe('two requests at once', () => {
  test('that are equal fetch once', async () => {
    const { bars, fetched } = openArchive();
    const [a, b] = await Promise.all([bars(1, 50), bars(1, 50)]);
    expect(a).toEqual(b);
    expect(fetched()).toHaveLength(1);
  });

  test('that overlap fetch nothing twice', async () => {
    const { bars, fetched } = openArchive();
    await Promise.all([bars(0, 50), bars(10, 60), bars(20, 40)]);
    expect(fetched()).toEqual([
      [0, 50],
      [50, 60],
    ]);
  });

  test('share a failure too, and the next one asks again', async () => {
    const { bars, feed } = openArchive();
    feed.failures = 1;
    const both = await Promise.allSettled([bars(1, 50), bars(1, 50)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await bars(1, 50)).toHaveLength(49);
  });
});

describe('what is refused', () => {
  test('one bar more than the limit, in words', async () => {
    const { bars } = openArchive(60_000);
    expect(await bars(0, MAX_BARS_A_REQUEST)).toHaveLength(MAX_BARS_A_REQUEST);
    await expect(bars(0, MAX_BARS_A_REQUEST + 1)).rejects.toThrow(/50001 bars were asked for, at most 50000 fit/);
    await expect(bars(0, MAX_BARS_A_REQUEST + 2, 2 * MINUTE_MS)).rejects.toThrow(RangeError);
  });

  test.each([
    [10, 5],
    [-1, 5],
    [Number.NaN, 5],
    [0, Number.POSITIVE_INFINITY],
    [0.00001, 5],
  ])('a range from %d to %d', async (from, to) => {
    await expect(openArchive().bars(from, to)).rejects.toThrow(/is no range of time/);
  });

  test('an unknown market or timeframe, as the venue says it', async () => {
    const { archive } = openArchive();
    await expect(archive.bars('NOSUCH', MINUTE_MS, 0, 1)).rejects.toThrow(FeedRefusal);
    await expect(archive.bars(MODEL_MARKET, 1000, 0, 1)).rejects.toThrow(FeedRefusal);
  });
});

describe('a store that fails', () => {
  const fail = async () => {
    throw new Error('the disk is gone');
  };
  const broken: BarStore = {
    read: fail,
    write: fail,
    span: fail,
    series: fail,
    close: async () => {},
  };

  test('costs requests, not answers, and one warning', async () => {
    const { archive, bars, warnings, clock, feed } = openArchive(1000, broken);
    expect(times(await bars(0, 10))).toEqual(count(0, 10));
    expect(times(await bars(0, 10))).toEqual(count(0, 10));
    archive.keep(MODEL_MARKET, MINUTE_MS, feed.bar(5));
    await clock.settle();
    expect(warnings).toEqual(['the bar store fails; bars are fetched from the venue each time meanwhile']);
  });

  test('and no store at all give the same bars', async () => {
    const clock = createHandClock(0);
    const feed = createModelFeed(clock.timers, 100);
    const archive = createBarArchive({ feed, store: undefined, log: { warn: () => {} } });
    expect(times(await archive.bars(MODEL_MARKET, MINUTE_MS, 0, 600_000))).toEqual(count(0, 10));
    archive.keep(MODEL_MARKET, MINUTE_MS, feed.bar(5));
  });
});

describe('timeframes the venue has not', () => {
  test('are made of those it has; only these are kept', async () => {
    const { bars, fetched } = openArchive();
    const larger = await bars(1, 10, 3 * MINUTE_MS);
    expect(larger).toEqual(
      [3, 6, 9].map((index) => ({
        time: index * MINUTE_MS,
        open: index,
        high: index + 4,
        low: index - 1,
        close: index + 3,
        volume: 30,
      })),
    );
    await bars(3, 12);
    expect(fetched()).toEqual([[3, 12]]);
  });
});

test('bars that start on another day than the multiples of their length, as weeks do, are found and kept', async () => {
  const week = 7 * DAY_MS;
  const monday = 4 * DAY_MS;
  let asked = 0;
  const feed: BarFeed = {
    label: 'binance',
    timeframesMs: [week],
    marketNames: async () => ['BTCUSDT'],
    async bars(_market, _timeframeMs, fromMs, toMs) {
      asked += 1;
      const all = count(0, 20).map((i) => ({ time: monday + i * week, open: 1, high: 1, low: 1, close: 1, volume: 1 }));
      return all.filter(({ time }) => time >= fromMs && time < toMs);
    },
    follow: () => ({ close: () => {} }),
    close: () => {},
  };
  const archive = createBarArchive({ feed, store: createMemoryBarStore(), log: { warn: () => {} } });
  const ask = () => archive.bars('BTCUSDT', week, monday + week, monday + 5 * week);
  expect((await ask()).map(({ time }) => (time - monday) / week)).toEqual([1, 2, 3, 4]);
  expect(await ask()).toHaveLength(4);
  expect(asked).toBe(1);
});

test('any sequence of requests gives what the venue would have given', async () => {
  const range = fc.tuple(fc.nat(120), fc.nat(60), fc.constantFrom(1, 3), fc.nat(2));
  await fc.assert(
    fc.asyncProperty(fc.array(range, { maxLength: 12 }), fc.uniqueArray(fc.nat(110)), async (asks, silent) => {
      const { bars, feed } = openArchive(100);
      for (const index of silent) if (index !== 100) feed.silent.add(index);
      for (const [from, length, minutes, closed] of asks) {
        feed.closedCount += closed;
        if (feed.silent.has(feed.closedCount)) feed.silent.delete(feed.closedCount);
        const got = await bars(from, from + length, minutes * MINUTE_MS);
        const expected = count(0, feed.closedCount + 1).filter((index) => !feed.silent.has(index));
        const starts = [...new Set(expected.map((index) => Math.floor(index / minutes) * minutes))];
        expect(times(got)).toEqual(starts.filter((start) => start >= from && start < from + length));
        if (minutes === 1)
          for (const bar of got)
            expect(bar).toMatchObject({ volume: bar.time / MINUTE_MS < feed.closedCount ? 10 : 3 });
      }
    }),
    { numRuns: 300 },
  );
});
