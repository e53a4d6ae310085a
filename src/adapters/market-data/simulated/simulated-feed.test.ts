// The simulated market as a feed: a forming bar every second, bars closed on time, history that agrees with both.

import { describe, expect, test } from 'vitest';
import { FeedRefusal, type FeedState, type LiveBar } from '../../../market-data/bar-feed.ts';
import { DAY_MS, parseTimeframe } from '../../../market-data/timeframe.ts';
import { createHandClock } from '../../../timing/testing/hand-clock.ts';
import { createSimulatedFeed } from './simulated-feed.ts';
import { createSimulatedMarket } from './simulated-market.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 5, 12, 0, 57, 250);

function openFeed() {
  const clock = createHandClock(START_MS);
  const market = createSimulatedMarket({ seed: 7, nowMs: clock.nowMs });
  const feed = createSimulatedFeed({ market, nowMs: clock.nowMs, timers: clock.timers });
  const follow = (timeframeMs = MINUTE_MS) => {
    const states: FeedState[] = [];
    const bars: (LiveBar & { readonly atMs: number })[] = [];
    const { close } = feed.follow('BTCUSDT', timeframeMs, {
      onState: (state) => void states.push(state),
      onBar: (bar) => void bars.push({ ...bar, atMs: clock.nowMs() }),
    });
    return { states, bars, close };
  };
  return { clock, market, feed, follow };
}

describe('the simulated feed', () => {
  test('is labelled, and has the timeframes of real venues', () => {
    const { feed } = openFeed();
    expect(feed.label).toBe('simulated');
    for (const name of ['1m', '5m', '1h', '1d', '1w']) expect(feed.timeframesMs).toContain(parseTimeframe(name));
  });

  test('is live at once and tells the forming bar at every full second', async () => {
    const { clock, follow } = openFeed();
    const { states, bars } = follow();
    expect(states).toEqual([]);
    await clock.advance(2000);
    expect(states).toEqual(['live']);
    expect(bars.map(({ atMs, closed }) => [atMs % MINUTE_MS, closed])).toEqual([
      [57_250, false],
      [58_000, false],
      [59_000, false],
    ]);
  });

  test('closes a bar on the second, before the next one begins, as history then shows it', async () => {
    const { clock, feed, follow } = openFeed();
    const { bars } = follow();
    await clock.advance(5 * MINUTE_MS);
    const closed = bars.filter((bar) => bar.closed);
    expect(closed).toHaveLength(5);
    const history = await feed.bars('BTCUSDT', MINUTE_MS, closed[0]!.time, closed[0]!.time + 5 * MINUTE_MS);
    for (const [i, { atMs, closed: isClosed, ...bar }] of closed.entries()) {
      expect(isClosed).toBe(true);
      expect(bar).toEqual(history[i]);
      expect(atMs).toBe(bar.time + MINUTE_MS);
      const next = bars[bars.findIndex(({ time }) => time === bar.time + MINUTE_MS)]!;
      expect(next).toMatchObject({ closed: false, atMs });
    }
  });

  test('tells every bar after a sleep, in order and once', async () => {
    const { clock, follow } = openFeed();
    const { bars } = follow();
    await clock.advance(1000);
    clock.jump(7 * MINUTE_MS);
    await clock.advance(1000);
    const times = bars.filter(({ closed }) => closed).map(({ time }) => time / MINUTE_MS);
    expect(times).toEqual(times.map((_, i) => times[0]! + i));
    expect(times).toHaveLength(7);
  });

  test('waits when the clock is set back, without a bar from the future', async () => {
    const { clock, follow } = openFeed();
    const { bars } = follow();
    await clock.advance(5000);
    clock.jump(-3 * MINUTE_MS);
    const before = bars.length;
    await clock.advance(MINUTE_MS);
    expect(bars).toHaveLength(before);
    await clock.advance(3 * MINUTE_MS);
    expect(bars.length).toBeGreaterThan(before);
  });

  test('gives more bars than the market gives in one call, none of them twice', async () => {
    const { feed } = openFeed();
    const bars = await feed.bars('BTCUSDT', MINUTE_MS, START_MS - 12_000 * MINUTE_MS, START_MS);
    expect(bars).toHaveLength(12_000);
    for (const [i, bar] of bars.entries()) expect(bar.time - bars[0]!.time).toBe(i * MINUTE_MS);
  });

  test('gives nothing of the future and nothing for an empty range', async () => {
    const { feed } = openFeed();
    expect(await feed.bars('BTCUSDT', MINUTE_MS, START_MS + DAY_MS, START_MS + 2 * DAY_MS)).toEqual([]);
    expect(await feed.bars('BTCUSDT', MINUTE_MS, START_MS, START_MS)).toEqual([]);
    expect((await feed.bars('BTCUSDT', DAY_MS, START_MS - DAY_MS, START_MS + DAY_MS)).at(-1)!.time).toBeLessThan(
      START_MS,
    );
  });

  test('refuses what has no name of a market and timeframes it has not', async () => {
    const { feed } = openFeed();
    await expect(feed.bars('', MINUTE_MS, 0, 1)).rejects.toThrow(FeedRefusal);
    await expect(feed.bars('X'.repeat(41), MINUTE_MS, 0, 1)).rejects.toThrow(FeedRefusal);
    await expect(feed.bars('BTCUSDT', 7 * MINUTE_MS, 0, 1)).rejects.toThrow(/has these timeframes: 1m, 3m/);
    const listener = { onState: () => {}, onBar: () => {} };
    expect(() => feed.follow('BTC USDT', MINUTE_MS, listener)).toThrow(FeedRefusal);
  });

  test('tells nothing more once a stream, or the whole feed, is closed, and leaves no timer behind', async () => {
    const { clock, feed, follow } = openFeed();
    const [one, other, late] = [follow(), follow(), follow()];
    late.close();
    await clock.advance(1000);
    one.close();
    const before = one.bars.length;
    await clock.advance(1000);
    expect(one.bars).toHaveLength(before);
    expect(other.bars.length).toBeGreaterThan(before);
    expect(late.states).toEqual([]);
    feed.close();
    expect(clock.waiting).toBe(0);
  });
});
