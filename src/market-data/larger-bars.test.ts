// Larger bars out of smaller ones: which fit, how they join, and what happens when the live ones begin in the middle.

import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveBar } from './bar-feed.ts';
import { baseTimeframe, createLargerBars, toLargerBars } from './larger-bars.ts';
import type { Bar } from './price-source.ts';
import { parseTimeframe } from './timeframe.ts';

const MINUTE_MS = 60_000;
const VENUE = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '12h', '1d', '3d', '1w'].map(parseTimeframe);

const bar = (index: number): Bar => ({
  time: index * MINUTE_MS,
  open: index,
  high: index + 3 + (index % 2),
  low: index - 2,
  close: index + 1,
  volume: 1,
});
const bars = (from: number, to: number): Bar[] => Array.from({ length: to - from }, (_, i) => bar(from + i));

describe('the base of a timeframe', () => {
  test.each([
    ['5m', '5m'],
    ['45m', '15m'],
    ['7m', '1m'],
    ['90m', '30m'],
    ['3h', '1h'],
    ['8h', '4h'],
    ['2d', '1d'],
    ['3d', '3d'],
    // Nobody knows on which days a venue's bars of three days begin.
    ['6d', '1d'],
    ['2w', '1w'],
    ['52w', '1w'],
  ])('of %s is %s', (larger, base) => {
    expect(baseTimeframe(VENUE, parseTimeframe(larger))).toBe(parseTimeframe(base));
  });

  test('is none where nothing fits in evenly', () => {
    expect(baseTimeframe([5 * MINUTE_MS], 7 * MINUTE_MS)).toBeUndefined();
    expect(baseTimeframe([5 * MINUTE_MS], MINUTE_MS)).toBeUndefined();
    expect(baseTimeframe([], MINUTE_MS)).toBeUndefined();
  });
});

test('bars of the past join by their start: first open, highest, lowest, last close, sum of volume', () => {
  expect(toLargerBars(bars(4, 9), 5 * MINUTE_MS)).toEqual([
    { ...bar(4), time: 0 },
    { time: 5 * MINUTE_MS, open: 5, high: 11, low: 3, close: 9, volume: 4 },
  ]);
  expect(toLargerBars([], MINUTE_MS)).toEqual([]);
});

describe('live bars', () => {
  const follow = (history: (from: number, to: number) => Promise<readonly Bar[]>) => {
    const heard: LiveBar[] = [];
    const take = createLargerBars({
      timeframeMs: 5 * MINUTE_MS,
      baseMs: MINUTE_MS,
      history: (fromMs, toMs) => history(fromMs / MINUTE_MS, toMs / MINUTE_MS),
      onBar: (larger) => void heard.push(larger),
    });
    return { heard, take };
  };

  test('that begin in the middle of a larger bar wait for its head', async () => {
    const asked: number[][] = [];
    const { heard, take } = follow(async (from, to) => {
      asked.push([from, to]);
      return bars(from, to);
    });
    take({ ...bar(7), closed: false });
    expect(heard).toEqual([]);
    await turn();
    take({ ...bar(7), closed: true });
    take({ ...bar(8), closed: false });
    expect(asked).toEqual([[5, 7]]);
    expect(heard.map(({ close, volume, closed }) => [close, volume, closed])).toEqual([
      [8, 3, false],
      [9, 4, false],
    ]);
  });

  test('whose head cannot be had yet ask again with the next bar', async () => {
    let failures = 2;
    const { heard, take } = follow(async (from, to) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the venue does not answer');
      return bars(from, to);
    });
    for (const index of [6, 7, 8]) {
      take({ ...bar(index), closed: true });
      await turn();
    }
    take({ ...bar(9), closed: true });
    expect(heard).toEqual([{ ...toLargerBars(bars(5, 10), 5 * MINUTE_MS)[0], closed: true }]);
  });

  test('whose head comes only after the larger bar is over do not show half a bar', async () => {
    const { promise, resolve } = Promise.withResolvers<readonly Bar[]>();
    const { heard, take } = follow(() => promise);
    take({ ...bar(9), closed: true });
    take({ ...bar(10), closed: false });
    resolve(bars(5, 9));
    await turn();
    take({ ...bar(10), closed: true });
    expect(heard.map(({ time, volume }) => [time / MINUTE_MS, volume])).toEqual([
      [10, 1],
      [10, 1],
    ]);
  });

  test('of a market that fell silent end the larger bar when the next one begins', async () => {
    const { heard, take } = follow(async () => []);
    for (const index of [5, 6]) take({ ...bar(index), closed: true });
    take({ ...bar(11), closed: false });
    await turn();
    expect(heard.at(-1)).toEqual({ ...toLargerBars(bars(5, 7), 5 * MINUTE_MS)[0], closed: true });
    take({ ...bar(11), closed: true });
    expect(heard.at(-1)).toMatchObject({ time: 10 * MINUTE_MS, open: 11, closed: false });
  });

  test('from any moment on give the same bars as the past', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(30), fc.integer({ min: 5, max: 40 }), async (start, length) => {
        const { heard, take } = follow(async (from, to) => bars(from, to));
        for (const small of bars(start, start + length)) {
          take({ ...small, closed: false });
          await turn();
          take({ ...small, closed: true });
        }
        const whole = toLargerBars(bars(start - (start % 5), start + length), 5 * MINUTE_MS);
        const expected = whole.filter(({ time }) => time / MINUTE_MS + 5 <= start + length);
        expect(heard.filter(({ closed }) => closed)).toEqual(expected.map((larger) => ({ ...larger, closed: true })));
      }),
      { numRuns: 60 },
    );
  });
});
