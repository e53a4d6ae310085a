// The whole way from a venue's server to a client's socket: an outage shows in the status frames, and no bar is lost in it.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openBars } from '../../src/adapters/storage/sqlite/bars/bars.ts';
import { createBarArchive } from '../../src/market-data/bar-archive.ts';
import type { LiveBar } from '../../src/market-data/bar-feed.ts';
import { createBarHub } from '../../src/market-data/bar-hub.ts';
import { backgroundTimers } from '../../src/timing/timers.ts';
import { NOON_MS, openFeed, until, VENUE_NAMES, type VenueName } from '../support/venue-servers/open-feed.ts';
import { barAt, MINUTE_MS } from '../support/venue-servers/test-market.ts';
import { type Frame, openStreamServer } from './stream-clients.ts';

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

async function openVenue(name: VenueName) {
  const venue = await openFeed(name);
  closings.push(() => venue.close());
  const path = join(tmpdir(), `signalbox-stream-${randomUUID()}.db`);
  const store = openBars({ path, source: name });
  closings.push(async () => {
    await store.close();
    for (const rest of ['', '-wal', '-shm']) rmSync(`${path}${rest}`, { force: true });
  });
  const log = { warn: () => {} };
  const archive = createBarArchive({ feed: venue.feed, store, log });
  const { nowMs } = venue.clock;
  const hub = createBarHub({ feed: venue.feed, archive, log, nowMs, timers: backgroundTimers, random: () => 0 });
  closings.push(() => hub.close());
  const server = await openStreamServer(hub);
  closings.push(() => server.stop());
  return { ...venue, archive, hub, connect: server.connect };
}

const forming = (minute: number): LiveBar => ({ ...barAt(NOON_MS + minute * MINUTE_MS, MINUTE_MS), closed: false });
const final = (minute: number): LiveBar => ({ ...forming(minute), closed: true });
/** States in words, closed bars as their minute after noon; the forming ones in between are left out. */
const story = (frames: readonly Frame[]): (string | number)[] =>
  frames.flatMap(({ state, bar, code }): (string | number)[] => {
    if (bar !== undefined) return bar.closed ? [(bar.time - NOON_MS) / MINUTE_MS] : [];
    return [state ?? code ?? '?'];
  });

describe.each(VENUE_NAMES)('bars of %s', (name) => {
  test('come through an outage without a gap: reconnecting, what was missed, live', async () => {
    const { server, clock, connect, hub } = await openVenue(name);
    const { frames } = await connect();
    await until('live', () => story(frames).includes('live') && server.subscribers() === 1);
    server.push(forming(0));
    server.push(final(0));
    clock.advance(MINUTE_MS);
    server.push(forming(1));
    await until('the first minute', () => story(frames).includes(0));

    server.socketFault = 'refuse';
    server.outage = { status: 503 };
    server.cut();
    await until('reconnecting', () => story(frames).includes('reconnecting'));
    clock.advance(5 * MINUTE_MS);
    server.socketFault = undefined;
    await until('the socket is back', () => server.subscribers() === 1);
    server.push(forming(6));
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The stream is back, but history is not: nothing newer is passed on.
    expect(story(frames)).toEqual(['connecting', 'live', 0, 'reconnecting']);

    server.outage = undefined;
    await until('all is well', () => story(frames).at(-1) === 'live', 20_000);
    expect(story(frames)).toEqual(['connecting', 'live', 0, 'reconnecting', 1, 2, 3, 4, 5, 'live']);
    server.push(final(6));
    clock.advance(MINUTE_MS);
    server.push(forming(7));
    await until('bars go on', () => story(frames).includes(6));
    expect(story(frames).slice(-2)).toEqual(['live', 6]);
    expect(hub.size.channels).toBe(1);
  });

  test('are asked of the venue once: what was seen live or fetched is in the store', async () => {
    const { server, clock, archive, connect } = await openVenue(name);
    const { frames } = await connect();
    await until('live', () => story(frames).includes('live') && server.subscribers() === 1);
    await archive.bars('BTCUSDT', MINUTE_MS, NOON_MS - 100 * MINUTE_MS, NOON_MS);
    server.push(forming(0));
    server.push(final(0));
    clock.advance(MINUTE_MS);
    server.push(forming(1));
    await until('the minute', () => story(frames).includes(0));
    const asked = server.countOf('kline');
    const bars = await archive.bars('BTCUSDT', MINUTE_MS, NOON_MS - 100 * MINUTE_MS, NOON_MS + MINUTE_MS);
    expect(bars).toHaveLength(101);
    expect(server.countOf('kline')).toBe(asked);
  });

  test('of a market it has not are refused to the client in words', async () => {
    const { connect } = await openVenue(name);
    const { frames } = await connect('symbol=NOSUCHCOIN&interval=1m');
    await until('a refusal', () => story(frames).includes('INVALID_SYMBOL'));
    expect(frames.at(-1)).toMatchObject({ type: 'error', code: 'INVALID_SYMBOL', symbol: 'NOSUCHCOIN' });
  });
});
