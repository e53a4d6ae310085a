// The live streams of each venue over real sockets: bars in line and final once, and every loss healed without a storm.

import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FeedRefusal, type LiveBar } from '../../src/market-data/bar-feed.ts';
import {
  createEar,
  NOON_MS,
  type OpenFeed,
  openFeed,
  pause,
  until,
  VENUE_NAMES,
  type VenueName,
} from '../support/venue-servers/open-feed.ts';
import { barAt, MINUTE_MS } from '../support/venue-servers/test-market.ts';

let open: OpenFeed | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** The bar of that minute after noon; `part` of its volume so far. */
const forming = (minute: number, part = 0.5): LiveBar => {
  const bar = barAt(NOON_MS + minute * MINUTE_MS, MINUTE_MS);
  return { ...bar, volume: bar.volume * part, closed: false };
};
const final = (minute: number): LiveBar => ({ ...barAt(NOON_MS + minute * MINUTE_MS, MINUTE_MS), closed: true });
const minutesOf = (bars: readonly LiveBar[]): string[] =>
  bars.map(({ time, closed }) => `${(time - NOON_MS) / MINUTE_MS}${closed ? ' final' : ''}`);

async function openFollowed(name: VenueName, pacing: Parameters<typeof openFeed>[1] = {}) {
  const opened = await openFeed(name, pacing);
  const { server, feed } = opened;
  const ear = createEar();
  const stream = feed.follow('BTCUSDT', MINUTE_MS, ear);
  await until('a subscription', () => server.subscribers() === 1 && ear.states.includes('live'));
  return { ...opened, ear, stream };
}

/** Ended with the test; one at a time. */
async function follow(...wanted: Parameters<typeof openFollowed>) {
  const followed = await openFollowed(...wanted);
  open = followed;
  return followed;
}

describe.each(VENUE_NAMES)('the stream of %s', (name) => {
  /** MEXC never says "final"; the others do. */
  const saysFinal = name !== 'mexc';

  it('connects, is live, and tells the forming bar as it changes', async () => {
    const { server, ear } = await follow(name);
    server.push(forming(0, 0.25));
    server.push(forming(0, 0.5));
    await until('two bars', () => ear.bars.length === 2);
    expect(ear.states).toEqual(['connecting', 'live']);
    expect(ear.bars[1]).toMatchObject({ time: NOON_MS, closed: false, close: forming(0).close });
    expect(ear.bars[1]?.volume).toBeCloseTo(forming(0).volume, 2);
  });

  it('tells each bar once as final, with the values of the history where the venue does not say them', async () => {
    const { server, ear, clock } = await follow(name);
    server.push(forming(0));
    if (saysFinal) server.push(final(0));
    clock.advance(MINUTE_MS);
    server.push(forming(1));
    await until('the next bar', () => minutesOf(ear.bars).includes('1'));
    expect(minutesOf(ear.bars)).toEqual(['0', '0 final', '1']);
    expect(ear.bars[1]?.volume).toBeCloseTo(final(0).volume, 3);
    expect(server.countOf('kline')).toBe(saysFinal ? 0 : 1);
  });

  it('makes a bar final when its time is over, also when no next one begins', async () => {
    const { server, ear, clock } = await follow(name);
    server.push(forming(0));
    await until('the bar', () => ear.bars.length === 1);
    clock.advance(29_800);
    server.push(forming(0, 0.6), NOON_MS + 59_800);
    await until('its end', () => minutesOf(ear.bars).includes('0 final'));
    expect(minutesOf(ear.bars)).toEqual(['0', '0', '0 final']);
    expect(ear.bars[2]?.volume).toBeCloseTo(final(0).volume, 3);
  });

  it('is told by the venue’s clock when a bar is over, whatever ours says', async () => {
    const { server, ear, clock } = await follow(name);
    const venueMs = clock.nowMs();
    clock.advance(10 * MINUTE_MS);
    server.push(forming(0), venueMs);
    await pause(200);
    expect(minutesOf(ear.bars)).toEqual(['0']);
  });

  it('reads what ended from the history also when our clock is far behind', async () => {
    const { server, ear, clock } = await follow(name);
    const venueMs = clock.nowMs();
    server.shelf.nowMs = () => venueMs + 2 * MINUTE_MS;
    clock.advance(-20 * MINUTE_MS);
    server.push(forming(0), venueMs);
    server.push(forming(1), venueMs + 31_000);
    await until('the next bar', () => minutesOf(ear.bars).includes('1'));
    expect(minutesOf(ear.bars)).toEqual(['0', '0 final', '1']);
    expect(ear.bars[1]?.volume).toBeCloseTo(final(0).volume, 3);
  });

  it('leaves out repeated, late and foreign frames', async () => {
    const { server, ear, clock } = await follow(name);
    const nowMs = clock.nowMs();
    server.push(forming(0, 0.5), nowMs + 500);
    server.push(forming(0, 0.4), nowMs + 400);
    server.push(forming(-1, 0.9), nowMs + 600);
    server.push(final(-3), nowMs + 601);
    server.push(forming(600), nowMs + 602);
    if (saysFinal) {
      server.push(final(0), nowMs + 700);
      server.push(final(0), nowMs + 701);
      server.push(forming(0), nowMs + 702);
    }
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '5',
      '{"k":1}',
      '{"topic":"kline.1.ETHUSDT","data":[{}]}',
      '{"e":"kline","k":null}',
    ])
      server.say(text);
    server.push(forming(0, 0.6), nowMs + 800);
    await until('all of it', () => ear.bars.length >= 2);
    await pause(50);
    expect(minutesOf(ear.bars)).toEqual(saysFinal ? ['0', '0 final'] : ['0', '0']);
    expect(ear.states).toEqual(['connecting', 'live']);
  });

  it('leaves out a bar that makes no sense, says so once, and goes on', async () => {
    const { server, ear, logs } = await follow(name);
    server.push({ ...forming(0), high: 1 });
    server.push({ ...forming(0), close: Number.NaN });
    server.push(forming(0));
    await until('the good one', () => ear.bars.length === 1);
    expect(logs.filter(({ message }) => message.includes('left out'))).toHaveLength(1);
    expect(String(logs.at(-1)?.fields.why)).toMatch(/makes no sense/);
  });

  it.each([undefined, 1001, 1012])('comes back after it is cut (%s), with the bars missed meanwhile', async (code) => {
    const { server, ear, clock } = await follow(name);
    server.push(forming(0));
    await until('a bar', () => ear.bars.length === 1);
    server.cut(code);
    await until('the loss', () => ear.states.includes('reconnecting'));
    clock.advance(3 * MINUTE_MS);
    await until('a new subscription', () => server.subscribers() === 1 && ear.states.at(-1) === 'live');
    server.push(forming(3));
    await until('the newest bar', () => minutesOf(ear.bars).includes('3'));
    expect(minutesOf(ear.bars)).toEqual(['0', '0 final', '1 final', '2 final', '3']);
    expect(ear.bars[1]?.volume).toBeCloseTo(final(0).volume, 3);
    expect(ear.states).toEqual(['connecting', 'live', 'reconnecting', 'live']);
    expect(ear.reasons[0]).toMatch(/closed the stream \(code/);
  });

  it('tells what it saw when the history cannot be read', async () => {
    const { server, ear, clock } = await follow(name);
    server.push(forming(0, 0.5));
    await until('a bar', () => ear.bars.length === 1);
    server.outage = 'reset';
    clock.advance(MINUTE_MS);
    server.push(forming(1));
    await until('the next bar', () => minutesOf(ear.bars).includes('1'));
    expect(minutesOf(ear.bars)).toEqual(['0', '0 final', '1']);
    expect(ear.bars[1]?.volume).toBeCloseTo(forming(0, 0.5).volume, 2);
  });

  it('is not misled by a history that lags behind the stream', async () => {
    const { server, ear, clock } = await follow(name);
    server.push({ ...forming(0, 1), high: 60_000 });
    await until('a bar', () => ear.bars.length === 1);
    clock.advance(MINUTE_MS);
    server.push(forming(1));
    await until('the next bar', () => minutesOf(ear.bars).includes('1'));
    expect(ear.bars[1]).toMatchObject({ closed: true, high: 60_000 });
  });

  it('notices a connection that is dead, though nobody closed it', async () => {
    const { server, ear } = await follow(name, { deadAfterMs: 600 });
    server.socketFault = 'mute';
    await until('the loss', () => ear.states.includes('reconnecting'));
    expect(ear.reasons[0]).toMatch(/fell silent/);
    server.socketFault = undefined;
    await until('life', () => ear.states.at(-1) === 'live');
  });

  it('notices a connection that answers pings but sends no bars', async () => {
    const { ear } = await follow(name, { barSilenceMs: 120 });
    await until('the loss', () => ear.states.includes('reconnecting'));
    expect(ear.reasons[0]).toMatch(/sends nothing any more/);
  });

  it('spreads the connections of many streams over time', async () => {
    open = await openFeed(name, { connectBurst: 5, connectEveryMs: 50 });
    await open.feed.lastPrice('BTCUSDT');
    const startedMs = performance.now();
    for (let i = 0; i < 15; i += 1) open.feed.follow(i % 2 ? 'ETHUSDT' : 'BTCUSDT', MINUTE_MS, createEar());
    await until('all of them', () => open?.server.subscribers() === 15);
    // Five at once, then ten more, one every 50 ms.
    expect((open.server.handshakes.at(-1) ?? 0) - startedMs).toBeGreaterThan(490);
  });

  it('of an unknown market says so and asks seldom', async () => {
    open = await openFeed(name, { refusedRetryMs: 10_000 });
    const ear = createEar();
    open.feed.follow('NOSUCHUSDT', MINUTE_MS, ear);
    await until('the refusal', () => ear.states.includes('reconnecting'));
    await pause(200);
    expect(ear.states).toEqual(['connecting', 'reconnecting']);
    expect(ear.reasons[0]).toMatch(/no perpetual futures market "NOSUCHUSDT"/);
    expect(open.server.handshakes).toHaveLength(0);
  });

  it('of a timeframe the venue does not have is refused at once', async () => {
    open = await openFeed(name);
    expect(() => open?.feed.follow('BTCUSDT', 7 * MINUTE_MS, createEar())).toThrow(FeedRefusal);
  });

  it('says nothing more once it is closed, and leaves the venue', async () => {
    const { server, ear, stream } = await follow(name);
    stream.close();
    stream.close();
    await until('the farewell', () => server.subscribers() === 0);
    await pause(100);
    expect(ear.states).toEqual(['connecting', 'live']);
    expect(server.handshakes).toHaveLength(1);
  });

  it.each(['hang', 'refuse'] as const)('can be closed while it connects (%s)', async (fault) => {
    open = await openFeed(name, { connectTimeoutMs: 5_000 });
    open.server.socketFault = fault;
    const ear = createEar();
    const stream = open.feed.follow('BTCUSDT', MINUTE_MS, ear);
    await until('a handshake', () => (open?.server.handshakes.length ?? 0) > 0);
    stream.close();
    const states = [...ear.states];
    await pause(150);
    expect(ear.states).toEqual(states);
    expect(open.server.handshakes).toHaveLength(1);
  });

  it('can be closed before anything happened, and while its market is looked up', async () => {
    open = await openFeed(name);
    const [first, second] = [createEar(), createEar()];
    open.feed.follow('BTCUSDT', MINUTE_MS, first).close();
    open.server.outage = 'hang';
    const stream = open.feed.follow('BTCUSDT', MINUTE_MS, second);
    await until('the question', () => (open?.server.requests.length ?? 0) > 0);
    stream.close();
    await pause(50);
    expect(first.states).toEqual([]);
    expect(second.states).toEqual(['connecting']);
    expect(open.server.handshakes).toHaveLength(0);
  });

  it('is ended with all the others by closing the feed', async () => {
    const { server, feed, ear } = await follow(name);
    feed.follow('ETHUSDT', MINUTE_MS, createEar());
    feed.close();
    await until('silence', () => server.subscribers() === 0);
    expect(() => feed.follow('BTCUSDT', MINUTE_MS, createEar())).toThrow(/closed/);
    expect(ear.states).toEqual(['connecting', 'live']);
  });

  it('survives a listener that throws', async () => {
    open = await openFeed(name);
    const heard: number[] = [];
    open.feed.follow('BTCUSDT', MINUTE_MS, {
      onState() {
        throw new Error('state');
      },
      onBar({ volume }) {
        heard.push(volume);
        throw new Error('bar');
      },
    });
    await until('a subscription', () => open?.server.subscribers() === 1);
    open.server.push(forming(0, 0.2));
    open.server.push(forming(0, 0.4));
    await until('both bars', () => heard.length === 2);
  });

  it('is not stopped by a message beyond every size, nor by bytes that are no text', async () => {
    const { server, ear } = await follow(name);
    server.say('x'.repeat(2 * 1024 * 1024));
    await until('the loss', () => ear.states.includes('reconnecting'));
    await until('life', () => server.subscribers() === 1 && ear.states.at(-1) === 'live');
    server.push(forming(0));
    await until('a bar', () => ear.bars.length === 1);
  });
});

// Each has a feed of its own, so that they wait side by side.
describe.concurrent.each(VENUE_NAMES)('in the long run the stream of %s', (name) => {
  it('keeps the habits of the venue: it answers pings, or sends them in time, and stays up', async () => {
    const { ear, server, close } = await openFollowed(name);
    await pause(1_300);
    expect(ear.states).toEqual(['connecting', 'live']);
    expect(server.handshakes).toHaveLength(1);
    if (name !== 'binance') expect(server.heard.filter((text) => text.includes('ping')).length).toBeGreaterThan(4);
    await close();
  });

  it.each(['refuse', 'hang', 'slam'] as const)('does not storm a venue that answers with %s', async (fault) => {
    const { server, feed, close } = await openFeed(name, {
      reconnect: { firstMs: 50, longestMs: 400 },
      connectTimeoutMs: 100,
    });
    server.socketFault = fault;
    const ear = createEar();
    const startedMs = performance.now();
    feed.follow('BTCUSDT', MINUTE_MS, ear);
    await until('three tries', () => server.handshakes.length >= 3);
    await pause(1_000 - (performance.now() - startedMs));
    // 50, 100, 200, then 400 ms each; three quarters of each with the chance of the tests.
    expect(server.handshakes.length).toBeLessThanOrEqual(5 + (performance.now() - startedMs - 262) / 300);
    server.socketFault = undefined;
    await until('life', () => server.subscribers() === 1 && ear.states.at(-1) === 'live');
    await close();
  });
});

it.concurrent.each(['bybit', 'mexc'] as const)('%s hangs up on who does not ping', async (name) => {
  const { ear, close } = await openFollowed(name, { pingEveryMs: 5_000, deadAfterMs: 20_000 });
  await until('the loss', () => ear.states.includes('reconnecting'));
  expect(ear.reasons[0]).toMatch(/closed the stream/);
  await close();
});

describe('what is particular', () => {
  it('binance is followed on the road of market streams', async () => {
    open = await openFeed('binance');
    open.feed.follow('BTCUSDT', MINUTE_MS, createEar());
    // The local server knows no topic at any other address.
    await until('a subscription', () => open?.server.subscribers() === 1);
  });

  it('a server that speaks no HTTP is a loss like any other', async () => {
    const deaf = createServer((socket) => socket.end('220 mail\r\n')).listen(0, '127.0.0.1');
    open = await openFeed('bybit');
    const { port } = deaf.address() as { port: number };
    const { createFeed } = await import('../../src/adapters/market-data/bybit/feed.ts');
    const feed = createFeed({
      restUrl: open.server.restUrl,
      wsUrl: `ws://127.0.0.1:${port}`,
      nowMs: open.clock.nowMs,
      monotonicMs: () => performance.now(),
      random: Math.random,
      log: { info() {}, warn() {} },
    });
    const ear = createEar();
    feed.follow('BTCUSDT', MINUTE_MS, ear);
    await until('the loss', () => ear.states.includes('reconnecting'));
    feed.close();
    deaf.close();
  });
});
