// Real prices under paper trading: last prices that are never stale, and ranges made of what was really seen.

import { afterEach, describe, expect, it } from 'vitest';
import { createLivePrices, type LivePrices, type PricePacing } from '../../src/adapters/market-data/live-prices.ts';
import { openPaperVenue } from '../../src/adapters/venues/paper/paper-venue.ts';
import { createMemoryLedger } from '../../src/adapters/venues/paper/testing/memory-ledger.ts';
import { FeedRefusal, type LiveBar } from '../../src/market-data/bar-feed.ts';
import { decimal } from '../../src/trading/decimal.ts';
import {
  NOON_MS,
  type OpenFeed,
  openFeed,
  pause,
  until,
  VENUE_NAMES,
  type VenueName,
} from '../support/venue-servers/open-feed.ts';
import { barAt, MINUTE_MS } from '../support/venue-servers/test-market.ts';

let open: (OpenFeed & { prices: LivePrices }) | undefined;
afterEach(async () => {
  open?.prices.close();
  await open?.close();
  open = undefined;
});

async function openPrices(name: VenueName = 'binance', pacing: Partial<PricePacing> = {}) {
  const feed = await openFeed(name);
  const prices = createLivePrices({ ...feed, nowMs: feed.clock.nowMs, monotonicMs: () => performance.now(), pacing });
  open = { ...feed, prices };
  return open;
}

const MINUTE: LiveBar = { time: NOON_MS, open: 100, high: 120, low: 80, close: 100, volume: 1, closed: false };
const HOUR_MS = 60 * MINUTE_MS;
/** For what is on its way through a socket. */
const SOON = { interval: 5, timeout: 5_000 };

/** Asks once so that the market is followed, and waits for the first frame to be seen. */
async function watched(name: VenueName = 'binance', pacing: Partial<PricePacing> = {}) {
  const parts = await openPrices(name, pacing);
  const { prices, server, clock } = parts;
  await prices.lastPrice('BTCUSDT');
  await until('a follower', () => server.subscribers() === 1);
  const beforeMs = clock.nowMs();
  await pause(5);
  server.push(MINUTE);
  await expect.poll(() => prices.range('BTCUSDT', beforeMs, clock.nowMs()), SOON).toBeDefined();
  return { ...parts, beforeMs, fromMs: clock.nowMs() };
}

describe.each(VENUE_NAMES)('the last price of %s', (name) => {
  it('is the venue’s own text, under its label', async () => {
    const { prices } = await openPrices(name);
    expect(await prices.lastPrice('BTCUSDT')).toBe('50123.4');
    expect(prices.label).toBe(name);
    await expect(prices.lastPrice('NOSUCHUSDT')).rejects.toThrow(FeedRefusal);
  });
});

describe.each(VENUE_NAMES)('all markets of %s', (name) => {
  it('come with their last prices in one question, which serves everybody for some seconds', async () => {
    const { prices, server } = await openPrices(name);
    const [all, again] = await Promise.all([prices.markets(), prices.markets()]);
    expect(again).toBe(all);
    expect(all).toContainEqual({ market: 'BTCUSDT', lastPrice: '50123.4' });
    expect(all.at(-1)?.lastPrice).toBeUndefined();
    expect(await prices.markets()).toBe(all);
    expect(server.countOf('/ticker')).toBe(1);
    expect(server.subscribers()).toBe(0);
  });

  it('are asked for again after a failure', async () => {
    const { prices, server } = await openPrices(name, {});
    server.outage = { status: 404 };
    await expect(prices.markets()).rejects.toThrow(/Binance|Bybit|MEXC/);
    server.outage = undefined;
    expect((await prices.markets()).length).toBeGreaterThan(1);
  });
});

describe('the last price', () => {
  it('is asked for once, however many want it at the same time and within a second', async () => {
    const { prices, server } = await openPrices();
    const all = await Promise.all(Array.from({ length: 100 }, () => prices.lastPrice('BTCUSDT')));
    expect(new Set(all)).toEqual(new Set(['50123.4']));
    server.shelf.lastPrice = '7';
    expect(await prices.lastPrice('BTCUSDT')).toBe('50123.4');
    expect(server.countOf('/ticker/')).toBe(1);
  });

  it('is asked for again once it is no longer fresh', async () => {
    const { prices, server } = await openPrices('binance', { freshMs: 50 });
    await prices.lastPrice('BTCUSDT');
    server.shelf.lastPrice = '7';
    await pause(60);
    expect(await prices.lastPrice('BTCUSDT')).toBe('7');
  });

  it('serves a moment longer while the venue does not answer, and never once it is stale', async () => {
    const { prices, server } = await openPrices('binance', { freshMs: 20, staleMs: 1_000 });
    await prices.lastPrice('BTCUSDT');
    server.outage = 'reset';
    await pause(30);
    expect(await prices.lastPrice('BTCUSDT')).toBe('50123.4');
    await pause(1_050);
    await expect(prices.lastPrice('BTCUSDT')).rejects.toThrow(/Binance cannot be reached/);
    server.outage = undefined;
    await pause(30);
    expect(await prices.lastPrice('BTCUSDT')).toBe('50123.4');
  });

  it('is not asked for without end during an outage', async () => {
    const { prices, server } = await openPrices();
    await prices.lastPrice('ETHUSDT');
    server.outage = { status: 500 };
    for (let i = 0; i < 50; i += 1) await expect(prices.lastPrice('BTCUSDT')).rejects.toThrow(/trouble/);
    expect(server.countOf('/ticker/')).toBe(1 + 3);
  });

  it('is refused for a market that is gone, even when its price was just known', async () => {
    const { prices, server } = await openPrices('binance', { freshMs: 20 });
    await prices.lastPrice('BTCUSDT');
    server.outage = { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
    await pause(30);
    await expect(prices.lastPrice('BTCUSDT')).rejects.toThrow(FeedRefusal);
  });
});

describe('the range', () => {
  it('is not known while the stream connects, so that the same time is asked about again', async () => {
    const { prices, clock } = await openPrices();
    await expect(prices.range('BTCUSDT', clock.nowMs() - 1_000, clock.nowMs())).rejects.toThrow(/ask again/);
  });

  it('is what was traded while it was watched: last prices, and extremes that grew', async () => {
    const { prices, server, clock, fromMs } = await watched();
    expect(await prices.range('BTCUSDT', fromMs, clock.nowMs())).toBeUndefined();
    server.push({ ...MINUTE, close: 101 });
    await expect.poll(() => prices.range('BTCUSDT', fromMs, clock.nowMs()), SOON).toEqual({ low: '101', high: '101' });
    server.push({ ...MINUTE, close: 101, high: 130 });
    server.push({ ...MINUTE, close: 102, high: 130, low: 70 });
    await expect.poll(() => prices.range('BTCUSDT', fromMs, clock.nowMs()), SOON).toEqual({ low: '70', high: '130' });
    expect(server.countOf('/klines')).toBe(0);
  });

  it('does not count what a bar had traded before it was watched, nor before the time asked about', async () => {
    const { prices, server, clock, beforeMs } = await watched();
    expect(await prices.range('BTCUSDT', beforeMs, clock.nowMs())).toEqual({ low: '100', high: '100' });
    server.push({ ...MINUTE, close: 50, low: 50 });
    await expect.poll(() => prices.range('BTCUSDT', beforeMs, clock.nowMs()), SOON).toMatchObject({ low: '50' });
    const laterMs = clock.nowMs();
    server.push({ ...MINUTE, close: 110, low: 50 });
    await expect.poll(() => prices.range('BTCUSDT', laterMs, clock.nowMs()), SOON).toEqual({ low: '110', high: '110' });
  });

  it('counts all of a bar that began while it was watched', async () => {
    const { prices, server, clock, fromMs } = await watched();
    clock.advance(30_000);
    server.push({ ...MINUTE, closed: true });
    server.push({ ...MINUTE, time: NOON_MS + MINUTE_MS, low: 60, high: 140 });
    await expect.poll(() => prices.range('BTCUSDT', fromMs, clock.nowMs()), SOON).toEqual({ low: '60', high: '140' });
  });

  it('waits for the stream when it is lost, and is then completed from whole bars', async () => {
    const { prices, server, clock, fromMs } = await watched();
    server.socketFault = 'refuse';
    server.cut();
    await until('the loss', () => server.subscribers() === 0);
    await expect.poll(() => prices.range('BTCUSDT', fromMs, clock.nowMs()).catch(String), SOON).toMatch(/ask again/);
    clock.advance(3 * MINUTE_MS);
    server.socketFault = undefined;
    await until('life', () => server.subscribers() === 1);
    server.push({ ...barAt(NOON_MS + 3 * MINUTE_MS, MINUTE_MS), closed: false });
    const [first, second] = [1, 2].map((minute) => barAt(NOON_MS + minute * MINUTE_MS, MINUTE_MS));
    const read = () => prices.range('BTCUSDT', fromMs, clock.nowMs()).catch(() => undefined);
    await expect.poll(read, SOON).toBeDefined();
    const range = await read();
    expect(Number(range?.low)).toBeLessThanOrEqual(Math.min(first?.low ?? 0, second?.low ?? 0));
    expect(Number(range?.high)).toBeGreaterThanOrEqual(Math.max(first?.high ?? 0, second?.high ?? 0));
  });

  it('does not take bars missed during a loss for trades of the present', async () => {
    const { prices, server, clock } = await watched();
    server.cut();
    await until('the loss', () => server.subscribers() === 0);
    clock.advance(3 * MINUTE_MS);
    const bornMs = clock.nowMs();
    server.shelf.warp = (bars) => bars.map((bar) => ({ ...bar, low: 1 }));
    await until('life', () => server.subscribers() === 1);
    const close = 50_000;
    server.push({ ...MINUTE, time: NOON_MS + 3 * MINUTE_MS, open: close, high: close + 9, low: close - 9, close });
    await until('the missed bars', () => server.countOf('/klines') > 0);
    await expect
      .poll(() => prices.range('BTCUSDT', bornMs, clock.nowMs()), SOON)
      .toEqual({ low: '50000', high: '50000' });
  });

  it('can be seen through a stream that somebody shares', async () => {
    const { feed, clock } = await openPrices();
    const markets: string[] = [];
    const prices = createLivePrices({
      feed,
      nowMs: clock.nowMs,
      monotonicMs: () => performance.now(),
      follow(market, _timeframeMs, listener) {
        markets.push(market);
        queueMicrotask(() => {
          listener.onState('live');
          listener.onBar(MINUTE);
        });
        return { close: () => void markets.pop() };
      },
    });
    const fromMs = clock.nowMs();
    await prices.range('BTCUSDT', fromMs - 1, fromMs).catch(() => {});
    await pause(5);
    expect(await prices.range('BTCUSDT', fromMs, clock.nowMs() + 1)).toEqual({ low: '100', high: '100' });
    expect(markets).toEqual(['BTCUSDT']);
    prices.close();
    expect(markets).toEqual([]);
  });

  it('of a longer time is told by bars while no stream can be had', async () => {
    const { prices, server, clock } = await openPrices();
    server.socketFault = 'refuse';
    const nowMs = clock.nowMs();
    const range = await prices.range('BTCUSDT', nowMs - 10 * MINUTE_MS, nowMs);
    const whole = Array.from({ length: 10 }, (_, i) => barAt(NOON_MS - (9 - i) * MINUTE_MS, MINUTE_MS));
    expect(Number(range?.low)).toBe(Math.min(...whole.map(({ low }) => low)));
    expect(Number(range?.high)).toBe(Math.max(...whole.map(({ high }) => high)));
  });

  it('of the past is that of the whole bars inside, and nothing when none is', async () => {
    const { prices } = await openPrices();
    const fromMs = NOON_MS - HOUR_MS;
    const { low, high } = barAt(fromMs, MINUTE_MS);
    expect(await prices.range('BTCUSDT', fromMs, fromMs + MINUTE_MS)).toEqual({ low: `${low}`, high: `${high}` });
    expect(await prices.range('BTCUSDT', fromMs, fromMs + 2 * MINUTE_MS - 1)).toEqual({
      low: `${low}`,
      high: `${high}`,
    });
    expect(await prices.range('BTCUSDT', fromMs + 1, fromMs + MINUTE_MS)).toBeUndefined();
    expect(await prices.range('BTCUSDT', fromMs, fromMs)).toBeUndefined();
  });

  it('of days is read in hours, and in minutes at its ends', async () => {
    const { prices, server, clock } = await openPrices();
    server.socketFault = 'refuse';
    const nowMs = clock.nowMs();
    expect(await prices.range('BTCUSDT', nowMs - 30 * 24 * HOUR_MS, nowMs)).toBeDefined();
    expect(server.countOf('/klines')).toBe(3);
  });

  it('refuses what is no range, and rejects while the venue cannot be reached', async () => {
    const { prices, server, clock } = await openPrices();
    await expect(prices.range('BTCUSDT', 2, 1)).rejects.toThrow(RangeError);
    await expect(prices.range('BTCUSDT', Number.NaN, 1)).rejects.toThrow(RangeError);
    server.outage = 'reset';
    await expect(prices.range('BTCUSDT', clock.nowMs() - HOUR_MS, clock.nowMs())).rejects.toThrow(/cannot be reached/);
  });

  it('stops following a market that nobody asks about, and follows it again when asked', async () => {
    const { prices, server, clock } = await watched('binance', { idleMs: 500 });
    await until('the end', () => server.subscribers() === 0);
    await expect(prices.range('BTCUSDT', clock.nowMs() - 10, clock.nowMs())).rejects.toThrow(/ask again/);
    await until('a follower', () => server.subscribers() === 1);
  });

  it('ends with closing, and leaves the feed to others', async () => {
    const { prices, server, feed, clock } = await watched();
    prices.close();
    await until('the end', () => server.subscribers() === 0);
    await expect(prices.range('BTCUSDT', clock.nowMs() - 10, clock.nowMs())).rejects.toThrow(/being closed/);
    expect(await feed.lastPrice('BTCUSDT')).toBe('50123.4');
  });
});

describe('a paper account on real prices', () => {
  async function openAccount() {
    const parts = await openPrices('binance', { freshMs: 20, staleMs: 100 });
    const { prices, clock } = parts;
    const venue = await openPaperVenue({
      exchange: 'binance',
      account: 'main',
      ledger: createMemoryLedger(),
      prices,
      nowMs: clock.nowMs,
      startingBalance: '100000',
      positionMode: () => 'one-way',
      timers: { after: () => () => {} },
    });
    const order = (clientOrderId: string, price?: string) =>
      venue.placeOrder({
        clientOrderId,
        market: 'BTCUSDT',
        side: 'BUY',
        positionSide: 'LONG',
        reduceOnly: false,
        quantity: decimal('0.01'),
        ...(price === undefined ? {} : { price: decimal(price) }),
      });
    return { ...parts, venue, order };
  }

  it('fills a market order at the venue’s price and a resting one when the stream passes it', async () => {
    const { venue, order, server, prices, clock } = await openAccount();
    const bornMs = clock.nowMs();
    expect(await order('sbx1')).toMatchObject({ status: 'filled' });
    expect(await order('sbx2', '50000')).toMatchObject({ status: 'submitted' });
    await until('a follower', () => server.subscribers() === 1);
    const bar = { ...MINUTE, open: 50_123, high: 50_200, low: 50_050, close: 50_123 };
    server.push(bar);
    await expect.poll(() => prices.range('BTCUSDT', bornMs, clock.nowMs()).catch(() => undefined), SOON).toBeDefined();
    expect(await venue.matchNow()).toBe(0);
    server.push({ ...bar, low: 49_999.9, close: 50_010 });
    await expect.poll(() => venue.matchNow(), SOON).toBe(1);
    expect(await venue.findOrder('BTCUSDT', 'sbx2')).toMatchObject({ order: { status: 'filled' } });
    await venue.close();
  });

  it('places nothing on a stale price, and says that nothing was sent', async () => {
    const { venue, order, server } = await openAccount();
    await order('sbx1');
    server.outage = 'reset';
    await pause(120);
    await expect(order('sbx2')).rejects.toMatchObject({ failure: 'not-sent' });
    expect(await venue.findOrder('BTCUSDT', 'sbx2')).toEqual({ found: false, certain: true });
    await venue.close();
  });

  it('compares the time of an outage later, instead of taking it for silence', async () => {
    const { venue, order, server, prices, clock } = await openAccount();
    const bornMs = clock.nowMs();
    await order('sbx2', '49990');
    await until('a follower', () => server.subscribers() === 1);
    const bar = { ...MINUTE, open: 50_123, high: 50_200, low: 50_050, close: 50_123 };
    server.push(bar);
    const read = () => prices.range('BTCUSDT', bornMs, clock.nowMs()).then(() => 'known', String);
    await expect.poll(read, SOON).toBe('known');
    await venue.matchNow();
    server.socketFault = 'refuse';
    server.cut();
    await until('the loss', () => server.subscribers() === 0);
    await expect.poll(read, SOON).toMatch(/ask again/);
    expect(await venue.matchNow()).toBe(0);
    // The history of the minutes meanwhile goes down to 49 900.
    clock.advance(2 * MINUTE_MS);
    server.shelf.warp = (bars) => bars.map((found) => ({ ...found, low: 49_900 }));
    server.socketFault = undefined;
    await until('life', () => server.subscribers() === 1);
    server.push({ ...bar, time: NOON_MS + 2 * MINUTE_MS });
    await expect.poll(() => venue.matchNow(), SOON).toBe(1);
    await venue.close();
  });
});
