// Streams of bars that several processes share over a real Redis: one upstream for all, each closed bar once for everybody, whoever dies.

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBarRelay } from '../../src/adapters/storage/redis/bar-relay.ts';
import { createBarArchive } from '../../src/market-data/bar-archive.ts';
import type { FeedState } from '../../src/market-data/bar-feed.ts';
import { createBarHub } from '../../src/market-data/bar-hub.ts';
import { shareFeed } from '../../src/market-data/shared-feed.ts';
import { createModelFeed, MINUTE_MS, MODEL_MARKET, type ModelFeed } from '../../src/market-data/testing/model-feed.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';
import { VENUES } from '../support/venue-servers/open-feed.ts';

const BEFORE = 1000;
/** From the death of a holder until bars come again. */
const TAKE_OVER_MS = 10_000;
const QUIET = { warn: () => {} };

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis(['--appendonly', 'no']);
}, REDIS_START_TIMEOUT_MS);
afterAll(() => redis.kill());

const newMarket = (): ModelFeed => createModelFeed(foregroundTimers, BEFORE);

/** What one process has: a connection, a hub over the shared feed, and a listener. */
async function startFollower(feed: ModelFeed, prefix: string) {
  const relay = await openBarRelay({ url: redis.url, prefix, onState: () => {} });
  const shared = shareFeed({
    ...{ feed, relay, source: 'model', timers: foregroundTimers, monotonicMs: () => performance.now() },
  });
  const hub = createBarHub({
    ...{ feed: shared, archive: createBarArchive({ feed, store: undefined, log: QUIET }), log: QUIET },
    nowMs: () => feed.closedCount * MINUTE_MS + 20_000,
    timers: foregroundTimers,
    random: () => 0.1,
  });
  const states: FeedState[] = [];
  const closed: number[] = [];
  let forming = 0;
  const heard = hub.follow(MODEL_MARKET, MINUTE_MS, {
    onState: (state) => void states.push(state),
    onBar(bar) {
      if (bar.closed) closed.push(bar.time / MINUTE_MS);
      else forming = bar.time / MINUTE_MS;
    },
  });
  const stop = (): void => {
    heard.close();
    hub.close();
  };
  /** As a process that is killed: it says nothing more, and gives nothing back. */
  const die = async (): Promise<void> => {
    await relay.close();
    stop();
  };
  closeAtEnd(die);
  return { states, closed, forming: () => forming, stop, die };
}
type Follower = Awaited<ReturnType<typeof startFollower>>;

const isLive = ({ states }: Follower): boolean => states.at(-1) === 'live';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Closes bars until it holds. */
async function tradeUntil(feed: ModelFeed, holds: () => boolean): Promise<number> {
  const startMs = performance.now();
  while (!holds()) {
    expect(performance.now() - startMs).toBeLessThan(60_000);
    feed.closeOne();
    await pause(100);
  }
  return performance.now() - startMs;
}

/** Every bar that has closed since it began, each once and in order. */
async function expectWhole(feed: ModelFeed, ...followers: readonly Follower[]): Promise<void> {
  for (const { closed, forming } of followers) {
    await expect.poll(forming).toBe(feed.closedCount);
    const [first = 0] = closed;
    expect(closed).toEqual(Array.from({ length: feed.closedCount - first }, (_, at) => first + at));
    expect(closed.length).toBeGreaterThan(0);
  }
}

async function startAll(count: number) {
  const feed = newMarket();
  const prefix = `test-${randomUUID()}:`;
  const followers: Follower[] = [];
  for (let at = 0; at < count; at++) followers.push(await startFollower(feed, prefix));
  await expect.poll(() => followers.every(isLive)).toBe(true);
  return { feed, prefix, followers };
}

describe('several processes', () => {
  test('have one upstream, hear the same, and one that comes late is live within seconds', async () => {
    const { feed, prefix, followers } = await startAll(3);
    expect(feed.followed).toBe(1);
    for (let at = 0; at < 20; at++) feed.closeOne();
    await expectWhole(feed, ...followers);
    const late = await startFollower(feed, prefix);
    await expect.poll(() => isLive(late)).toBe(true);
    feed.closeOne();
    feed.closeOne();
    await expectWhole(feed, late, ...followers);
    expect([feed.followed, feed.upstreams]).toEqual([1, 1]);
  });

  test('go on without a gap when the one with the upstream dies', async () => {
    const { feed, followers } = await startAll(3);
    const [holder, ...others] = followers as [Follower, ...Follower[]];
    feed.closeOne();
    await expectWhole(feed, ...others);
    await holder.die();
    expect(feed.followed).toBe(0);
    const tookMs = await tradeUntil(feed, () => feed.followed === 1 && others.every(isLive));
    expect(tookMs).toBeLessThan(TAKE_OVER_MS);
    for (let at = 0; at < 5; at++) feed.closeOne();
    await expectWhole(feed, ...others);
    expect(feed.followed).toBe(1);
  });

  test('that stop in order hand the upstream over at once', async () => {
    const { feed, followers } = await startAll(2);
    const [holder, other] = followers as [Follower, Follower];
    holder.stop();
    const tookMs = await tradeUntil(feed, () => feed.followed === 1 && isLive(other));
    expect(tookMs).toBeLessThan(4000);
    await expectWhole(feed, other);
  });

  test('hear it where the upstream is lost, and when it is back', async () => {
    const { feed, followers } = await startAll(2);
    feed.lose('the venue is away');
    await expect.poll(() => followers.map(({ states }) => states.at(-1))).toEqual(['reconnecting', 'reconnecting']);
    for (let at = 0; at < 3; at++) feed.closeOne();
    feed.restore();
    await expect.poll(() => followers.every(isLive)).toBe(true);
    feed.closeOne();
    await expectWhole(feed, ...followers);
  });

  test('have an upstream each while Redis is away, and one again when it is back', async () => {
    const { feed, followers } = await startAll(3);
    feed.closeOne();
    await redis.kill();
    await tradeUntil(feed, () => feed.followed === 3 && followers.every(isLive));
    for (let at = 0; at < 5; at++) feed.closeOne();
    await expectWhole(feed, ...followers);
    await redis.restart();
    await tradeUntil(feed, () => feed.followed === 1 && followers.every(isLive));
    for (let at = 0; at < 5; at++) feed.closeOne();
    await expectWhole(feed, ...followers);
  });

  test('have an upstream each while Redis hangs, too', async () => {
    const { feed, followers } = await startAll(2);
    redis.pause();
    await tradeUntil(feed, () => feed.followed === 2);
    redis.resume();
    await tradeUntil(feed, () => feed.followed === 1 && followers.every(isLive));
    await expectWhole(feed, ...followers);
  });

  test('a holder whose stream is another one’s by now is heard by nobody, and steps back', async () => {
    const { feed, prefix, followers } = await startAll(2);
    feed.closeOne();
    await expectWhole(feed, ...followers);
    const tool = new Redis(redis.url);
    closeAtEnd(async () => tool.disconnect());
    await tool.set(`${prefix}bars:model ${MODEL_MARKET} ${MINUTE_MS}`, 'another', 'PX', 3000);
    const other = followers[1] as Follower;
    const before = other.forming();
    feed.closeOne();
    await expect.poll(() => feed.followed).toBe(0);
    expect(other.forming()).toBe(before);
    await tradeUntil(feed, () => feed.followed === 1 && followers.every(isLive));
    await expectWhole(feed, ...followers);
  });
});

test('a stream that is released by whoever does not have it stays with its holder', async () => {
  const relay = await openBarRelay({ url: redis.url, prefix: `test-${randomUUID()}:`, onState: () => {} });
  closeAtEnd(() => relay.close());
  for (const stream of ['own', 'held']) expect(await relay.claim(stream, 'holder')).toBe(true);
  // Redis learns the script with it, so that the next one is done before what is asked after it.
  relay.release('own', 'holder');
  await expect.poll(() => relay.claim('own', 'next')).toBe(true);
  relay.release('held', 'stranger');
  expect(await relay.claim('held', 'next')).toBe(false);
  expect(await relay.tell('held', 'holder', 'a bar')).toBe(true);
});

/** Waits until two processes listen to the stream, and for so many words after that: with each they look whether it is free. */
async function bothListenThrough(words: number): Promise<void> {
  const [tool, ear] = [new Redis(redis.url), new Redis(redis.url)];
  closeAtEnd(async () => {
    tool.disconnect();
    ear.disconnect();
  });
  const listeners = async (): Promise<unknown> => {
    const [channel = ''] = (await tool.pubsub('CHANNELS', 'signalbox:bars:*')) as string[];
    return (await tool.pubsub('NUMSUB', channel))[1];
  };
  await expect.poll(listeners).toBe(2);
  let heard = 0;
  ear.on('pmessage', () => {
    heard += 1;
  });
  await ear.psubscribe('signalbox:bars:*');
  await expect.poll(() => heard).toBeGreaterThanOrEqual(words);
}

test('two real processes with LIVE_BARS=redis have one stream at the venue, and kill -9 hands it over', async () => {
  const venue = await VENUES.binance.start(Date.now);
  closeAtEnd(() => venue.close());
  const env = {
    ...{ LIVE_BARS: 'redis', REDIS_URL: redis.url, MARKET_DATA: 'binance' },
    ...{ MARKET_DATA_REST_URL: venue.restUrl, MARKET_DATA_WS_URL: venue.wsUrl },
  };
  const processes = [await startGatewayProcess({ env }), await startGatewayProcess({ env })] as const;
  closeAtEnd(async () => void (await Promise.all(processes.map((each) => each.kill()))));
  /** From the first trade on a market is followed. */
  const trade = async ({ url, apiKey }: RunningProcess): Promise<void> => {
    const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const answer = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
    expect(answer.status).toBe(200);
  };
  await trade(processes[0]);
  await expect.poll(() => venue.subscribers()).toBe(1);
  await trade(processes[1]);
  await bothListenThrough(3);
  expect(venue.subscribers()).toBe(1);
  await processes[0].kill();
  await expect.poll(() => venue.subscribers()).toBe(0);
  await expect.poll(() => venue.subscribers(), { timeout: TAKE_OVER_MS }).toBe(1);
});
