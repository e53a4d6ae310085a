// The simulated market through its front door: deterministic, consistent from second to week, bounded.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bar } from '../../../market-data/price-source.ts';
import { barStart, DAY_MS, parseTimeframe } from '../../../market-data/timeframe.ts';
import { USUAL_MARKETS } from './reference-markets.ts';
import { createSimulatedMarket } from './simulated-market.ts';

const NOW_MS = Date.UTC(2025, 10, 1, 12, 34, 56, 789);
const MINUTE_MS = 60_000;
const marketAt = (nowMs: number, seed = 7) => createSimulatedMarket({ seed, nowMs: () => nowMs });
const moments = fc.integer({ min: Date.UTC(2015, 0, 1), max: NOW_MS });
const markets = fc.constantFrom('BTCUSDT', 'XRPUSDT', '1000PEPEUSDT', 'NOSUCHCOINUSDT');

function aggregate(bars: readonly Bar[]): Bar {
  return {
    time: bars[0]!.time,
    open: bars[0]!.open,
    high: Math.max(...bars.map((bar) => bar.high)),
    low: Math.min(...bars.map((bar) => bar.low)),
    close: bars.at(-1)!.close,
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
  };
}

function expectSameBar(actual: Bar, expected: Bar): void {
  expect({ ...actual, volume: 0 }).toEqual({ ...expected, volume: 0 });
  expect(Math.abs(actual.volume / expected.volume - 1)).toBeLessThan(1e-9);
}

describe('the simulated market', () => {
  test('says that it is simulated', () => {
    expect(marketAt(NOW_MS).label).toBe('simulated');
  });

  test('gives the same price, bars and range to every process with the same seed, and others to another seed', async () => {
    const [a, b, other] = [marketAt(NOW_MS), marketAt(NOW_MS), marketAt(NOW_MS, 8)];
    await b.bars('BTCUSDT', DAY_MS, NOW_MS - 30 * DAY_MS, NOW_MS);
    expect(await a.lastPrice('BTCUSDT')).toBe(await b.lastPrice('BTCUSDT'));
    const ask = ['BTCUSDT', MINUTE_MS, NOW_MS - 50 * MINUTE_MS, NOW_MS] as const;
    expect(await a.bars(...ask)).toEqual(await b.bars(...ask));
    expect(await a.range('BTCUSDT', NOW_MS - DAY_MS, NOW_MS)).toEqual(
      await b.range('BTCUSDT', NOW_MS - DAY_MS, NOW_MS),
    );
    expect(await a.lastPrice('BTCUSDT')).not.toBe(await other.lastPrice('BTCUSDT'));
  });

  test('the price seen at a moment is the price that history shows for it', async () => {
    await fc.assert(
      fc.asyncProperty(markets, moments, async (market, timeMs) => {
        const then = await marketAt(timeMs).lastPrice(market);
        const start = barStart(timeMs, 1000);
        expect(await marketAt(NOW_MS).range(market, start, start + 1000)).toEqual({ low: then, high: then });
      }),
    );
  });

  test('a price moves from one second to the next, without jumps', async () => {
    let nowMs = NOW_MS;
    const market = createSimulatedMarket({ seed: 1, nowMs: () => nowMs });
    const first = Number(await market.lastPrice('BTCUSDT'));
    nowMs += 1000;
    const second = Number(await market.lastPrice('BTCUSDT'));
    expect(second).not.toBe(first);
    expect(Math.abs(second / first - 1)).toBeLessThan(0.001);
  });

  test.each([
    ['1h', '1m', 60],
    ['15m', '1m', 15],
    ['1d', '1h', 24],
    ['1w', '1d', 7],
    ['7h', '1m', 420],
  ])('a bar of %s is exactly the sum of its bars of %s', async (large, small, count) => {
    const market = marketAt(NOW_MS);
    const largeMs = parseTimeframe(large);
    await fc.assert(
      fc.asyncProperty(markets, moments, async (name, timeMs) => {
        const start = barStart(timeMs - largeMs, largeMs);
        const [whole] = await market.bars(name, largeMs, start, start + 1);
        const parts = await market.bars(name, parseTimeframe(small), start, start + largeMs);
        expect(parts).toHaveLength(count);
        expectSameBar(whole!, aggregate(parts));
      }),
      { numRuns: 12 },
    );
  });

  test('highs and lows are those of the seconds, none missed', async () => {
    const market = marketAt(NOW_MS);
    const start = barStart(NOW_MS - DAY_MS, 3_600_000);
    const seconds = await market.bars('ETHUSDT', 1000, start, start + 3_600_000);
    const [hour] = await market.bars('ETHUSDT', 3_600_000, start, start + 1);
    expect(seconds).toHaveLength(3600);
    expectSameBar(hour!, aggregate(seconds));
  });

  test('bars are sane: ordered, positive, with volume, each opening near the last close', async () => {
    for (const market of USUAL_MARKETS) {
      const bars = await marketAt(NOW_MS).bars(market, MINUTE_MS, NOW_MS - 30 * MINUTE_MS, NOW_MS);
      bars.forEach((bar, i) => {
        expect(bar.low).toBeGreaterThan(0);
        expect(bar.low).toBeLessThanOrEqual(Math.min(bar.open, bar.close));
        expect(bar.high).toBeGreaterThanOrEqual(Math.max(bar.open, bar.close));
        expect(bar.volume).toBeGreaterThan(0);
        const previous = bars[i - 1];
        if (previous) expect(Math.abs(bar.open / previous.close - 1)).toBeLessThan(0.002);
      });
    }
  });

  test('the forming bar ends at the present and grows', async () => {
    const start = barStart(NOW_MS, MINUTE_MS);
    const at = async (nowMs: number) =>
      (await marketAt(nowMs).bars('BTCUSDT', MINUTE_MS, start, start + DAY_MS)).at(-1)!;
    const [first, later] = [await at(start), await at(start + 30_000)];
    expect([first.time, later.time]).toEqual([start, start]);
    expect(first.open).toBe(first.close);
    expect(later.close).toBe(Number(await marketAt(start + 30_000).lastPrice('BTCUSDT')));
    expect(later.volume).toBeGreaterThan(first.volume);
    expect(await marketAt(start).bars('BTCUSDT', MINUTE_MS, start + MINUTE_MS, start + DAY_MS)).toEqual([]);
  });

  test('forty and more usual pairs have prices of the right size', async () => {
    expect(USUAL_MARKETS.length).toBeGreaterThanOrEqual(40);
    const market = marketAt(NOW_MS);
    const price = async (name: string) => Number(await market.lastPrice(name));
    expect(await price('BTCUSDT')).toBeGreaterThan(50_000);
    expect(await price('BTCUSDT')).toBeLessThan(200_000);
    expect(await price('SHIBUSDT')).toBeCloseTo((await price('1000SHIBUSDT')) / 1000, 8);
    expect(await market.lastPrice('SHIBUSDT')).toMatch(/^0\.0000\d+$/);
  });

  test('any other name has a price that never leaves its power of ten', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[A-Z0-9]{1,20}$/), async (name) => {
        const range = await marketAt(NOW_MS).range(name, NOW_MS - 2000 * DAY_MS, NOW_MS);
        if (USUAL_MARKETS.includes(name)) return;
        expect(Math.floor(Math.log10(Number(range!.low)))).toBe(Math.floor(Math.log10(Number(range!.high))));
      }),
      { numRuns: 60 },
    );
  });

  test('a range without a whole second, or in the future, holds no trade', async () => {
    const market = marketAt(10_500);
    expect(await market.range('BTCUSDT', 10_000, 10_000)).toBeUndefined();
    expect(await market.range('BTCUSDT', 10_001, 11_000)).toBeUndefined();
    expect(await market.range('BTCUSDT', 10_001, 20_000)).toBeUndefined();
    expect(await market.range('BTCUSDT', 10_000, 10_001)).toBeDefined();
  });

  test('one call gives 5,000 bars and refuses 5,001 with the remedy', async () => {
    const market = marketAt(NOW_MS);
    const end = barStart(NOW_MS, MINUTE_MS);
    expect(await market.bars('BTCUSDT', MINUTE_MS, end - 5000 * MINUTE_MS, end)).toHaveLength(5000);
    await expect(market.bars('BTCUSDT', MINUTE_MS, end - 5001 * MINUTE_MS, end)).rejects.toThrow(
      /5001 bars.*at most 5000.*shorter range or a larger timeframe/,
    );
  });

  test.each([
    ['half a second', 500, 0, 1000],
    ['no length', 0, 0, 1000],
    ['not a number', Number.NaN, 0, 1000],
    ['a range backwards', 60_000, 1000, 0],
    ['an endless range', 60_000, 0, Number.POSITIVE_INFINITY],
  ])('refuses bars of %s', async (_, timeframeMs, fromMs, toMs) => {
    await expect(marketAt(NOW_MS).bars('BTCUSDT', timeframeMs, fromMs, toMs)).rejects.toThrow(RangeError);
  });

  test('makes long charts in pieces, one piece a turn of the process however many are asked for, and short ones at once', async () => {
    const market = marketAt(NOW_MS);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const ask = (name: string, timeframeMs: number, bars: number) =>
      market.bars(name, timeframeMs, NOW_MS - bars * timeframeMs, NOW_MS);
    // Ten pieces of 50 days each, and ten of seven weeks.
    const charts = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].map((name) => ask(name, DAY_MS, 500));
    const weeks = ask('XRPUSDT', 7 * DAY_MS, 70);
    expect(await ask('BTCUSDT', MINUTE_MS, 50)).toHaveLength(50);
    expect(turns).toBe(0);
    for (const bars of await Promise.all(charts)) expect(bars).toHaveLength(500);
    await weeks;
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(40);
  });

  test('weekly bars start on Mondays, none before 1970', async () => {
    const bars = await marketAt(Date.UTC(1971, 0, 1)).bars('BTCUSDT', 7 * DAY_MS, -1e15, NOW_MS);
    expect(bars[0]!.time).toBe(4 * DAY_MS);
    expect(bars).toHaveLength(52);
    expect(new Date(bars.at(-1)!.time).getUTCDay()).toBe(1);
  });

  test('a name that is empty or far too long is refused', async () => {
    await expect(marketAt(NOW_MS).lastPrice('')).rejects.toThrow(/1 to 40 characters/);
    await expect(marketAt(NOW_MS).lastPrice('X'.repeat(41))).rejects.toThrow(/1 to 40 characters/);
  });

  test('stays right when more markets are named than it keeps', async () => {
    const market = marketAt(NOW_MS);
    const before = await market.lastPrice('BTCUSDT');
    for (let i = 0; i < 600; i++) await market.lastPrice(`COIN${i}`);
    expect(await market.lastPrice('BTCUSDT')).toBe(before);
  });
});
