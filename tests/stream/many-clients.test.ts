// A thousand real clients on one market: one upstream, everybody hears everything, and who does not read is let go.

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/market-data/testing/model-feed.ts';
import { BEFORE, openTestHub } from '../../src/market-data/testing/open-test-hub.ts';
import { timed } from '../support/lived-time.ts';
import { until } from '../support/venue-servers/open-feed.ts';
import { closedTimes, openStreamServer, type StreamClient } from './stream-clients.ts';

const CLIENTS = 1000;
const BARS = 20;
/** Connections made at once: as many as the server's list of waiting ones holds with ease. */
const AT_ONCE = 100;
/** What the kernel takes for a client that does not read differs; far more than any of it comes in this time. */
const DROPPED_WITHIN_MS = 60_000;

let stop: (() => Promise<unknown>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function openMarket() {
  const box = openTestHub();
  box.feed.markets.add('HEAVYUSDT');
  const server = await openStreamServer(box.hub);
  stop = server.stop;
  const first = await server.connect();
  await box.clock.advance(0);
  await until('the market is live', () => first.frames.some(({ state }) => state === 'live'));
  return { ...box, ...server, first };
}

async function connectMany(connect: () => Promise<StreamClient>, count: number): Promise<StreamClient[]> {
  const clients: StreamClient[] = [];
  while (clients.length < count)
    clients.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - clients.length) }, connect))));
  return clients;
}

const hearAll = (clients: readonly StreamClient[], bars: number) =>
  until(
    `every client has ${bars} closed bars`,
    () => clients.every(({ frames }) => closedTimes(frames).length >= bars),
    60_000,
  );

test('a thousand clients share one upstream and hear every closed bar once and in order', async () => {
  const { feed, hub, connect, closeOne, first } = await openMarket();
  const clients = [first, ...(await connectMany(() => connect(), CLIENTS - 1))];
  for (let i = 0; i < BARS; i += 1) await closeOne();
  await hearAll(clients, BARS);
  expect(feed.upstreams).toBe(1);
  expect(hub.size).toEqual({ channels: 1, listeners: 1 });
  const expected = Array.from({ length: BARS }, (_, i) => (BEFORE + i) * MINUTE_MS);
  for (const { frames } of clients) {
    expect(closedTimes(frames)).toEqual(expected);
    expect(frames.find(({ type }) => type === 'status')).toMatchObject({ source: 'binance' });
  }
});

test('a client that never reads delays nobody and is dropped', async () => {
  const { feed, connect, closeOne, sockets, lines, first } = await openMarket();
  const clients = [first, ...(await connectMany(() => connect(), CLIENTS - 1))];
  const stuck = await connect('symbol=HEAVYUSDT&interval=1m');
  stuck.say({ action: 'subscribe', symbol: 'BTCUSDT', interval: '1m' });
  await until('it follows both', () => stuck.frames.some(({ symbol }) => symbol === 'BTCUSDT'));
  stuck.ws.pause();

  let sent = 0;
  const endMs = performance.now() + DROPPED_WITHIN_MS;
  for (; sockets.size > CLIENTS && performance.now() < endMs; sent += 1) {
    feed.emit({ ...feed.bar(feed.closedCount), volume: sent }, 'HEAVYUSDT');
    if (sent % 50 === 0) await turn();
    if (sent % 2000 === 0 && feed.closedCount < BEFORE + BARS) {
      const { livedMs } = await timed(async () => {
        await closeOne();
        await hearAll(clients, feed.closedCount - BEFORE);
      });
      // A loose bound; the benchmark measures it.
      expect(livedMs).toBeLessThan(5000);
    }
  }
  expect(sockets.size).toBe(CLIENTS);
  await until('the log tells why', () => lines().some(({ path, code }) => path === '/api/stream' && code === 1013));
  while (feed.closedCount < BEFORE + BARS) await closeOne();
  await hearAll(clients, BARS);
  for (const { frames, closed } of clients) {
    expect(closedTimes(frames)).toHaveLength(BARS);
    expect(closed).toEqual([]);
  }
});

test('clients that come and go all the time leave nothing behind', async () => {
  const { clock, feed, hub, connect, sockets, first } = await openMarket();
  for (let round = 0; round < 5; round += 1) {
    const clients = await connectMany(() => connect(), AT_ONCE);
    for (const [i, { ws }] of clients.entries()) i % 2 === 0 ? ws.close() : ws.terminate();
    await until('they are gone', () => sockets.size === 1);
  }
  expect(feed.upstreams).toBe(1);
  first.ws.close();
  await until('the last one is gone', () => sockets.size === 0);
  await clock.advance(30_000);
  expect(hub.size).toEqual({ channels: 0, listeners: 0 });
  expect(feed.followed).toBe(0);
});
