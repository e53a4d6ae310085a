// The history of each venue over real sockets: pages, order, holes, refusals, and every way a venue can fail to answer.

import { afterEach, describe, expect, it } from 'vitest';
import { MAX_BARS_A_CALL } from '../../src/adapters/market-data/history.ts';
import { FeedRefusal } from '../../src/market-data/bar-feed.ts';
import type { Bar } from '../../src/market-data/price-source.ts';
import { timed } from '../support/lived-time.ts';
import {
  NOON_MS,
  type OpenFeed,
  openFeed,
  pause,
  until,
  VENUE_NAMES,
  VENUES,
} from '../support/venue-servers/open-feed.ts';
import { barAt, barsBetween, MINUTE_MS } from '../support/venue-servers/test-market.ts';
import type { HttpFault } from '../support/venue-servers/venue-server.ts';

let open: OpenFeed | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** MEXC counts contracts: the same volume but for rounding. */
const rounded = (bars: readonly Bar[]): Bar[] => bars.map((bar) => ({ ...bar, volume: Number(bar.volume.toFixed(3)) }));

describe.each(VENUE_NAMES)('history of %s', (name) => {
  const { klines, maxPage } = VENUES[name];

  it('is every bar that starts in the range, oldest first, with the one that forms', async () => {
    open = await openFeed(name);
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 5 * MINUTE_MS, NOON_MS + MINUTE_MS);
    expect(rounded(bars)).toEqual(rounded(barsBetween(MINUTE_MS, NOON_MS - 5 * MINUTE_MS, NOON_MS + MINUTE_MS)));
    expect(open.server.countOf(klines)).toBe(1);
  });

  it('counts the start and leaves out the end, at the millisecond', async () => {
    open = await openFeed(name);
    const times = async (fromMs: number, toMs: number) =>
      (await open?.feed.bars('BTCUSDT', MINUTE_MS, fromMs, toMs))?.map(({ time }) => (time - NOON_MS) / MINUTE_MS);
    expect(await times(NOON_MS - 2 * MINUTE_MS, NOON_MS)).toEqual([-2, -1]);
    expect(await times(NOON_MS - 2 * MINUTE_MS + 1, NOON_MS)).toEqual([-1]);
    expect(await times(NOON_MS - 2 * MINUTE_MS, NOON_MS + 1)).toEqual([-2, -1, 0]);
    expect(await times(NOON_MS, NOON_MS)).toEqual([]);
    expect(await times(NOON_MS + 30 * MINUTE_MS, NOON_MS + 60 * MINUTE_MS)).toEqual([]);
  });

  it('of any length is stitched from pages, none twice and none missing', async () => {
    open = await openFeed(name);
    const fromMs = NOON_MS - (2 * maxPage + 10) * MINUTE_MS;
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, fromMs, NOON_MS);
    expect(bars.map(({ time }) => time)).toEqual(barsBetween(MINUTE_MS, fromMs, NOON_MS).map(({ time }) => time));
    expect(open.server.countOf(klines)).toBe(3);
  });

  it('exists in every timeframe the feed names, and in no other', async () => {
    open = await openFeed(name);
    for (const timeframeMs of open.feed.timeframesMs) {
      const bars = await open.feed.bars('BTCUSDT', timeframeMs, NOON_MS - 3 * timeframeMs, NOON_MS);
      expect(bars).toHaveLength(3);
    }
    await expect(open.feed.bars('BTCUSDT', 7 * MINUTE_MS, 0, NOON_MS)).rejects.toThrow(FeedRefusal);
    await expect(open.feed.bars('BTCUSDT', 7 * MINUTE_MS, 0, NOON_MS)).rejects.toThrow(/it has 1m, /);
  });

  it('of an unknown market is refused, and the venue is not asked again for each such name', async () => {
    open = await openFeed(name);
    for (const market of ['NOSUCHUSDT', '', '../..', 'BTCUSDT_261225', 'OLDUSDT', 'x'.repeat(10_000)])
      await expect(open.feed.bars(market, MINUTE_MS, 0, NOON_MS)).rejects.toThrow(FeedRefusal);
    expect(open.server.requests.length).toBeLessThanOrEqual(2);
  });

  it('asks once again for a hole, and takes what comes', async () => {
    open = await openFeed(name);
    const holeMs = NOON_MS - 4 * MINUTE_MS;
    open.server.shelf.holes.set(holeMs, 1).set(holeMs + MINUTE_MS, 1);
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 8 * MINUTE_MS, NOON_MS);
    expect(bars).toHaveLength(8);
    expect(open.server.countOf(klines)).toBe(2);
    expect(open.logs.map(({ fields }) => fields)).toMatchObject([{ repaired: 2, missing: 0 }]);
  });

  it('accepts a hole that is there twice, and says so in the log', async () => {
    open = await openFeed(name);
    open.server.shelf.holes.set(NOON_MS - 4 * MINUTE_MS, 99).set(NOON_MS - MINUTE_MS, 99);
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 8 * MINUTE_MS, NOON_MS);
    expect(bars).toHaveLength(6);
    expect(open.server.countOf(klines)).toBe(3);
    expect(open.logs).toMatchObject([
      { fields: { missing: 2, repaired: 0 }, message: expect.stringMatching(/asked twice/) },
    ]);
  });

  it('asks about a bounded number of holes however many there are', async () => {
    open = await openFeed(name);
    for (let i = 2; i < 200; i += 2) open.server.shelf.holes.set(NOON_MS - i * MINUTE_MS, 99);
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 200 * MINUTE_MS, NOON_MS);
    expect(bars).toHaveLength(101);
    expect(open.server.countOf(klines)).toBe(17);
  });

  it('does not ask twice about years before the listing', async () => {
    open = await openFeed(name);
    open.server.shelf.listedAtMs = NOON_MS - 10 * MINUTE_MS;
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * maxPage * MINUTE_MS, NOON_MS);
    expect(bars).toHaveLength(10);
    expect(open.server.countOf(klines)).toBe(3);
  });

  it('ends with an error when the venue repeats a page whatever it is asked', async () => {
    open = await openFeed(name);
    const same = barsBetween(MINUTE_MS, NOON_MS - 10 * MINUTE_MS, NOON_MS);
    open.server.shelf.warp = () => same;
    const asked = open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * maxPage * MINUTE_MS, NOON_MS);
    await expect(asked).rejects.toThrow(/another time than it was asked for/);
    expect(open.server.countOf(klines)).toBe(1);
  });

  it('leaves out what lies outside the range, and what comes twice', async () => {
    open = await openFeed(name);
    open.server.shelf.warp = (bars) => [barAt(NOON_MS - 9 * MINUTE_MS, MINUTE_MS), ...bars, ...bars];
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    expect(bars.map(({ time }) => (time - NOON_MS) / MINUTE_MS)).toEqual([-3, -2, -1]);
  });

  it.each<[string, Partial<Record<keyof Bar, unknown>>, RegExp]>([
    ['a high below the low', { high: 1 }, /high 1 is not the highest/],
    ['a low above the close', { low: 50_002, open: 50_003, high: 50_004, close: 50_001 }, /not the lowest/],
    ['no close', { close: null }, /close is no number/],
    ['a price of zero', { open: 0, low: 0 }, /open is 0/],
    ['a negative volume', { volume: -1 }, /volume is/],
    ['a time off the grid', { time: NOON_MS - MINUTE_MS + 1000 }, /no bar of this timeframe starts/],
  ])('refuses a bar with %s', async (_, wrong, words) => {
    open = await openFeed(name);
    open.server.shelf.warp = (bars) => bars.map((bar, i) => (i === 1 ? ({ ...bar, ...wrong } as Bar) : bar));
    const asked = open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    await expect(asked).rejects.toThrow(words);
    await expect(asked).rejects.not.toThrow(FeedRefusal);
  });

  it.each<[string, HttpFault]>([
    ['a reset', 'reset'],
    ['an error page', 'html'],
    ['half an answer', 'truncated'],
    ['500', { status: 500 }],
    ['503 with HTML', { status: 503, body: '<html>' }],
    ['429 without a word', { status: 429, body: 'slow down', headers: { 'retry-after': '0' } }],
  ])('is there after one answer of %s', async (_, fault) => {
    open = await openFeed(name);
    open.server.fail(klines, fault);
    const bars = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    expect(bars).toHaveLength(3);
    expect(open.server.countOf(klines)).toBe(2);
  });

  it.each<[string, HttpFault, RegExp]>([
    ['resets', 'reset', /cannot be reached/],
    ['shows an error page', 'html', /no JSON/],
    ['sends half an answer', 'truncated', /no JSON/],
    ['has trouble', { status: 502 }, /trouble of its own \(HTTP 502\)/],
  ])('is given up after three tries while the venue %s', async (_, outage, words) => {
    open = await openFeed(name);
    await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS, NOON_MS);
    open.server.outage = outage;
    const asked = open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    await expect(asked).rejects.toThrow(words);
    expect(open.server.countOf(klines)).toBe(3);
  });

  it('understands a Retry-After that is a date', async () => {
    open = await openFeed(name);
    const date = new Date(open.clock.nowMs() + 90_000).toUTCString();
    open.server.fail(klines, { status: 429, headers: { 'retry-after': date } });
    const ask = () => open?.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    await expect(ask()).rejects.toThrow(/fewer requests/);
    await expect(ask()).rejects.toThrow(/for another (8[89]|90) s/);
  });

  it('sends nothing at all into a ban, and says for how long', async () => {
    open = await openFeed(name);
    open.server.fail(klines, { status: 418, headers: { 'retry-after': '120' } });
    const ask = () => open?.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    await expect(ask()).rejects.toThrow(/asks for fewer requests/);
    await expect(ask()).rejects.toThrow(/no requests from here for another 1(19|20) s/);
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/another/);
    expect(open.server.countOf(klines)).toBe(1);
  });

  it('is not asked for again where the address is not served', async () => {
    open = await openFeed(name);
    open.server.fail(klines, { status: 403, body: 'Access Denied' });
    const asked = open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS);
    await expect(asked).rejects.toThrow(/does not serve this address/);
    expect(open.server.countOf(klines)).toBe(1);
  });

  it('is refused in words where nobody listens, and where the answer is something else', async () => {
    open = await openFeed(name);
    await open.server.close();
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, 0, NOON_MS)).rejects.toThrow(
      /cannot be reached \(ECONNREFUSED\)/,
    );
  });

  it.each([
    { body: null },
    { body: 1 },
    { body: 'text' },
    { body: [] },
    { body: {} },
    { body: { success: true } },
    { body: { retCode: 0 } },
    { body: { retCode: 0, result: { list: 5 } } },
    { body: [[1]] },
    { body: [null] },
  ])('does not stumble over an answer of %j', async ({ body }) => {
    open = await openFeed(name);
    await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS, NOON_MS);
    open.server.outage = { status: 200, body: JSON.stringify(body) };
    const outcome = await open.feed
      .bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS)
      .catch((error: Error) => error.name);
    // An empty list is a true answer of Binance.
    expect(outcome).toEqual(name === 'binance' && JSON.stringify(body) === '[]' ? [] : 'UpstreamError');
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/Binance|Bybit|MEXC/);
  });

  it('refuses a range that is none, and one too long for a call', async () => {
    open = await openFeed(name);
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, 2, 1)).rejects.toThrow(RangeError);
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, Number.NaN, 1)).rejects.toThrow(RangeError);
    const tooLongMs = (MAX_BARS_A_CALL + 1) * MINUTE_MS;
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - tooLongMs, NOON_MS)).rejects.toThrow(
      /at most 100000 bars/,
    );
    expect(open.server.countOf(klines)).toBe(0);
  });

  it('ends at once when the feed is closed meanwhile', async () => {
    open = await openFeed(name, { requestTimeoutMs: 60_000 });
    open.server.outage = 'hang';
    const asked = open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS);
    setTimeout(() => open?.feed.close(), 20);
    await expect(asked).rejects.toThrow(/being closed/);
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/being closed/);
  });

  it('keeps a bounded number of requests under way', async () => {
    open = await openFeed(name);
    await open.feed.lastPrice('BTCUSDT');
    open.server.outage = 'hang';
    const asked = Array.from({ length: 50 }, () => open?.feed.lastPrice('BTCUSDT').catch(() => 'failed'));
    await until('the questions', () => (open?.server.countOf('/ticker') ?? 0) >= 7);
    await pause(150);
    expect(open.server.countOf('/ticker')).toBe(7);
    open.feed.close();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['failed']));
  });

  it('knows the last price as decimal text', async () => {
    open = await openFeed(name);
    expect(await open.feed.lastPrice('BTCUSDT')).toBe('50123.4');
    open.server.shelf.lastPrice = '0.0000001';
    expect(await open.feed.lastPrice('BTCUSDT')).toBe('0.0000001');
    open.server.shelf.lastPrice = '0';
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/no price that makes sense/);
    await expect(open.feed.lastPrice('NOSUCHUSDT')).rejects.toThrow(FeedRefusal);
  });
});

// Each has a feed of its own, so that they wait side by side.
describe.concurrent.each(VENUE_NAMES)('the patience with %s', (name) => {
  const { klines } = VENUES[name];
  const THREE_BARS = ['BTCUSDT', MINUTE_MS, NOON_MS - 3 * MINUTE_MS, NOON_MS] as const;

  it('does not end with one answer that never comes', async () => {
    const { server, feed, close } = await openFeed(name, { requestTimeoutMs: 1_500 });
    server.fail(klines, 'hang');
    expect(await feed.bars(...THREE_BARS)).toHaveLength(3);
    expect(server.countOf(klines)).toBeGreaterThanOrEqual(2);
    await close();
  });

  it('ends after three tries while the venue hangs', async () => {
    const { server, feed, close } = await openFeed(name, { requestTimeoutMs: 500 });
    await feed.bars('BTCUSDT', MINUTE_MS, NOON_MS, NOON_MS);
    server.outage = 'hang';
    await expect(feed.bars(...THREE_BARS)).rejects.toThrow(/did not answer within 0.5 s/);
    expect(server.countOf(klines)).toBe(3);
    await close();
  });

  it.each([429, 503])('lasts as long as Retry-After says with %i', async (status) => {
    const { server, feed, close } = await openFeed(name);
    server.fail(klines, { status, headers: { 'retry-after': '1' } });
    const startedMs = performance.now();
    expect(await feed.bars(...THREE_BARS)).toHaveLength(3);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    await close();
  });
});

describe('an answer', () => {
  it('beyond every size is cut off', async () => {
    open = await openFeed('binance');
    open.server.outage = { status: 200, body: ' '.repeat(17 * 1024 * 1024) };
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/more than 16 MiB/);
  });

  it('that points elsewhere is not followed', async () => {
    open = await openFeed('binance');
    open.server.outage = { status: 302, headers: { location: 'http://127.0.0.1:1/' } };
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/Binance cannot be reached/);
  });

  it('is waited for no longer than any other, however many ask', async () => {
    open = await openFeed('binance', { requestTimeoutMs: 300, askBudgetMs: 700 });
    await open.feed.lastPrice('BTCUSDT');
    open.server.outage = 'hang';
    const { result: words, livedMs } = await timed(() =>
      Promise.all(
        Array.from({ length: 300 }, () => open?.feed.lastPrice('BTCUSDT').catch((error: Error) => error.message)),
      ),
    );
    expect(livedMs).toBeLessThan(4_000);
    expect(words.filter((text) => /too many questions/.test(String(text))).length).toBeGreaterThan(200);
  });
});

describe('what is particular', () => {
  it('binance is spared until the next minute when most of its weight is used, but for prices', async () => {
    open = await openFeed('binance');
    open.server.shelf.usedWeight = 1_599;
    const ask = () => open?.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS);
    expect(await ask()).toHaveLength(1);
    await expect(ask()).rejects.toThrow(/no requests from here for another (29|30) s/);
    expect(await open.feed.lastPrice('BTCUSDT')).toBe('50123.4');
    open.server.fail('/ticker/', { status: 418, headers: { 'retry-after': '60' } });
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/fewer requests/);
    await expect(open.feed.lastPrice('BTCUSDT')).rejects.toThrow(/for another (59|60) s/);
  });

  it('bybit says "too many" with HTTP 200, and that is heard too', async () => {
    open = await openFeed('bybit', { askBudgetMs: 1_000 });
    open.server.fail('/kline', { status: 200, body: { retCode: 10006, retMsg: 'Too many visits!' } });
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS)).rejects.toThrow(/fewer requests/);
  });

  it('bybit that answers for another symbol is not believed', async () => {
    open = await openFeed('bybit');
    const body = { retCode: 0, result: { symbol: 'ETHUSDT', list: [] } };
    open.server.fail('/kline', { status: 200, body });
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS)).rejects.toThrow(/no sense/);
  });

  it('mexc is asked by its own spelling, learnt from its list', async () => {
    open = await openFeed('mexc');
    await open.feed.bars('ABCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS);
    expect(open.server.requests.at(-1)?.path).toBe('/api/v1/contract/kline/AB_CUSDT');
    await expect(open.feed.bars('BTCUSD', MINUTE_MS, 0, NOON_MS)).rejects.toThrow(FeedRefusal);
    expect(open.server.countOf('/detail')).toBe(1);
  });

  it('mexc counts contracts; bars count base currency', async () => {
    open = await openFeed('mexc');
    const [bar] = await open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS);
    expect(bar?.volume).toBeCloseTo(barAt(NOON_MS - MINUTE_MS, MINUTE_MS).volume, 9);
  });

  it('mexc says "too frequent" with HTTP 200, and that is heard too', async () => {
    open = await openFeed('mexc', { askBudgetMs: 1_000 });
    open.server.fail('/kline', {
      status: 200,
      body: { success: false, code: 510, message: 'Requests are too frequent' },
    });
    await expect(open.feed.bars('BTCUSDT', MINUTE_MS, NOON_MS - MINUTE_MS, NOON_MS)).rejects.toThrow(/fewer requests/);
  });
});
