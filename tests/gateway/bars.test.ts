// GET /bars, /bars/archive and /bars/gaps: which bars are given, from where, and what is said where there are none.

import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import { createMemoryBarStore } from '../../src/market-data/testing/memory-bar-store.ts';
import { MINUTE_MS } from '../../src/market-data/testing/model-feed.ts';
import { modelBars, NOON_MS, openBarsApp, simulatedBars } from '../support/bars-app.ts';

const HOUR_MS = 60 * MINUTE_MS;
const BTC = { symbol: 'BTCUSDT', timeframe: '1h' };

interface Told {
  readonly time: number;
  readonly closed: boolean;
}
const timesOf = (body: { result: { bars: readonly Told[] } }) => body.result.bars.map(({ time }) => time);
const minutesOf = (body: { result: { bars: readonly Told[] } }) => timesOf(body).map((time) => time / MINUTE_MS);
const count = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('which bars', () => {
  const { get } = openBarsApp(simulatedBars());

  it('the newest 500, oldest first, and only the last of them still forms', async () => {
    const { status, body } = await get('/bars', BTC);
    expect([status, body.result]).toMatchObject([
      200,
      { exchange: null, symbol: 'BTCUSDT', timeframe: '1h', source: 'simulated', gaps: [], next: null },
    ]);
    expect(timesOf(body)).toEqual(count(0, 500).map((i) => NOON_MS - (499 - i) * HOUR_MS));
    expect(body.result.bars.map(({ closed }: Told) => closed)).toEqual([...Array(499).fill(true), false]);
  });

  it('the same past whenever and however it is asked for', async () => {
    const all = (await get('/bars', { ...BTC, limit: 10 })).body.result.bars;
    const some = await get('/bars', { ...BTC, from: NOON_MS - 5 * HOUR_MS, to: NOON_MS - 2 * HOUR_MS });
    expect(some.body.result.bars).toEqual(all.slice(4, 7));
    const later = openBarsApp(
      simulatedBars(() => NOON_MS + 99 * HOUR_MS),
      () => NOON_MS + 99 * HOUR_MS,
    );
    const again = await later.get('/bars', { ...BTC, from: NOON_MS - 5 * HOUR_MS, to: NOON_MS - 2 * HOUR_MS });
    expect(again.body.result.bars).toEqual(all.slice(4, 7));
  });

  it.each([
    ['seconds', String((NOON_MS - 2 * HOUR_MS) / 1000)],
    ['milliseconds', String(NOON_MS - 2 * HOUR_MS)],
    ['ISO 8601', '2026-01-07T10:00:00Z'],
    ['an offset', '2026-01-07T11:00:00+01:00'],
  ])('from a moment in %s', async (_, from) => {
    const { body } = await get('/bars', { ...BTC, from });
    expect(timesOf(body)).toEqual([NOON_MS - 2 * HOUR_MS, NOON_MS - HOUR_MS, NOON_MS]);
  });

  it('an offset whose plus became a blank in the address is read all the same', async () => {
    const { body } = await get('/bars', { ...BTC, from: '2026-01-07T11:00:00 01:00', limit: 1 });
    expect(timesOf(body)).toEqual([NOON_MS - 2 * HOUR_MS]);
  });

  it.each(['60', '1H', '1h', '60m'])('a timeframe written as %s is an hour', async (timeframe) => {
    const { body } = await get('/bars', { ...BTC, timeframe, limit: 1 });
    expect(body.result).toMatchObject({ timeframe: '1h', bars: [{ time: NOON_MS }] });
  });

  it('a timeframe that no venue has is made of a smaller one', async () => {
    const { body } = await get('/bars', { ...BTC, timeframe: '45m', limit: 3 });
    const newest = Math.floor(NOON_MS / (45 * MINUTE_MS)) * 45 * MINUTE_MS;
    expect(timesOf(body)).toEqual([newest - 90 * MINUTE_MS, newest - 45 * MINUTE_MS, newest]);
  });

  it.each(['BINANCE:BTCUSDT.P', 'btc/usdt', 'BTC_USDT'])('%s is BTCUSDT', async (symbol) => {
    expect((await get('/bars', { ...BTC, symbol, limit: 1 })).body.result.symbol).toBe('BTCUSDT');
  });

  it('a long stretch comes in pages that join without a seam', async () => {
    const range = { ...BTC, from: NOON_MS - 25 * HOUR_MS, to: NOON_MS };
    const pages: number[][] = [];
    for (let from: number | null = range.from; from !== null; ) {
      const { body } = await get('/bars', { ...range, from, limit: 10 });
      pages.push(timesOf(body));
      from = body.result.next;
    }
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(count(0, 25).map((i) => range.from + i * HOUR_MS));
  });

  it('5000 at most fit one answer, and a second page is named', async () => {
    const range = { ...BTC, timeframe: '1m', from: NOON_MS - 5001 * MINUTE_MS, to: NOON_MS };
    const { body } = await get('/bars', { ...range, limit: 5000 });
    expect([body.result.bars.length, body.result.next]).toEqual([5000, NOON_MS - MINUTE_MS]);
    expect((await get('/bars', { ...range, limit: 5001 })).status).toBe(400);
  });

  it('the exchange that was asked for is told back; the prices are those of the one source', async () => {
    const { body } = await get('/bars', { ...BTC, exchange: 'mexc', limit: 1 });
    expect(body.result).toMatchObject({ exchange: 'mexc', source: 'simulated' });
  });

  it.each([
    ['from is to', { from: NOON_MS - HOUR_MS, to: NOON_MS - HOUR_MS }],
    ['nothing starts in it', { from: NOON_MS - 50 * MINUTE_MS, to: NOON_MS - 10 * MINUTE_MS }],
    ['it lies in the future', { from: NOON_MS + HOUR_MS, to: NOON_MS + 5 * HOUR_MS }],
    ['it lies before 1970 has begun', { from: 0, to: 0 }],
  ])('an empty stretch has no bars: %s', async (_, range) => {
    const { status, body } = await get('/bars', { ...BTC, ...range });
    expect([status, body.result]).toMatchObject([200, { bars: [], gaps: [], next: null }]);
  });

  it('an end in the future is the present', async () => {
    const { body } = await get('/bars', { ...BTC, to: NOON_MS + 1000 * HOUR_MS, limit: 2 });
    expect(timesOf(body)).toEqual([NOON_MS - HOUR_MS, NOON_MS]);
  });
});

describe('what is refused', () => {
  const { get } = openBarsApp(simulatedBars());

  it.each([
    [{ symbol: 'BTCUSDT' }, /timeframe: is missing/],
    [{ timeframe: '1h' }, /symbol: is missing/],
    [{ ...BTC, symbol: '///' }, /symbol: names no market/],
    [{ ...BTC, timeframe: '1M' }, /timeframe: not a timeframe: "1M"; use a number and m, h, d or w/],
    [{ ...BTC, timeframe: '0m' }, /timeframe: not a timeframe/],
    [{ ...BTC, from: 'yesterday' }, /from: is no moment, send one such as 2026-03-01/],
    [{ ...BTC, from: '20260301' }, /from: is no moment/],
    [{ ...BTC, from: '-1' }, /from: is no moment/],
    [{ ...BTC, from: NOON_MS, to: NOON_MS - 1 }, /from: lies after to/],
    [{ ...BTC, limit: 0 }, /limit/],
    [{ ...BTC, limit: '1.5' }, /limit: is not a whole number, send 1 to 5000/],
    [{ ...BTC, exchange: 'nasdaq' }, /exchange/],
    [{ ...BTC, interval: '1h' }, /interval/],
  ])('%j', async (query, words) => {
    const { status, body } = await get('/bars', query as Record<string, string>);
    expect([status, body.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.error).toMatch(words);
  });

  it.each([
    ['BTCUSD', ['BTCUSDT']],
    ['SHIBAUSDT', ['SHIBUSDT']],
    ['PEPE', ['PEPEUSDT', '1000PEPEUSDT']],
  ])('a market that is not there, with the nearest names: %s', async (symbol, nearest) => {
    const { status, body } = await get('/bars', { ...BTC, symbol });
    expect([status, body.code]).toEqual([422, 'UNKNOWN_SYMBOL']);
    expect(body.nearest.slice(0, nearest.length)).toEqual(nearest);
    expect(body.error).toContain(`Did you mean ${nearest.join(', ')}`);
  });

  it('a market that nothing comes near to, without names', async () => {
    expect((await get('/bars', { ...BTC, symbol: 'QQQQQQQQQQQQ' })).body).toMatchObject({
      code: 'UNKNOWN_SYMBOL',
      nearest: [],
    });
  });

  it('a stranger', async () => {
    for (const path of ['/bars', '/bars/archive', '/bars/gaps'])
      expect((await get(path, BTC, '198.51.100.1')).status).toBe(401);
  });
});

const MINUTES = { symbol: 'BTCUSDT', timeframe: '1m' };
const atMinute = (minute: number): number => minute * MINUTE_MS;
/** For a query: as a number a moment of the first years counts seconds. */
const isoMinute = (minute: number): string => new Date(minute * MINUTE_MS).toISOString();

describe('a venue and its archive', () => {
  const open = (...given: Parameters<typeof modelBars>) => {
    const model = modelBars(...given);
    return { ...model, ...openBarsApp(model.bars, model.clock.nowMs) };
  };

  it('the venue is asked once; the archive answers then, also while the venue is away', async () => {
    const { get, feed } = open();
    const range = { ...MINUTES, from: '1970-01-01T01:40:00Z', to: '1970-01-01T03:20:00Z' };
    const first = await get('/bars', range);
    expect(minutesOf(first.body)).toEqual(count(100, 200));
    feed.failures = 1000;
    const asked = feed.calls.length;
    expect((await get('/bars', range)).body.result).toEqual(first.body.result);
    expect(feed.calls).toHaveLength(asked);
  });

  it('while the venue is away, what is not kept cannot be had, and its words are told', async () => {
    const { get, feed, faults } = open();
    feed.failures = 1000;
    const { status, body } = await get('/bars', MINUTES);
    expect([status, body.code, body.error]).toEqual([502, 'MARKET_DATA_UNREACHABLE', 'the venue does not answer']);
    expect(faults).toHaveLength(1);
  });

  it('an unknown market is told with the names that the venue has', async () => {
    const { get } = open();
    const { status, body } = await get('/bars', { ...MINUTES, symbol: 'BTCUSDC' });
    expect([status, body.code, body.nearest]).toEqual([422, 'UNKNOWN_SYMBOL', ['BTCUSDT']]);
  });

  it('a timeframe that the venue cannot make names those that it has', async () => {
    const { get, feed } = open();
    Object.assign(feed, { timeframesMs: [3 * MINUTE_MS] });
    const { status, body } = await get('/bars', MINUTES);
    expect([status, body.error]).toEqual([400, 'timeframe: binance has no bars of this timeframe; it has 3m']);
  });

  it('the forming bar is told as such, whatever our clock says, and is not kept', async () => {
    const { get, feed, clock } = open();
    clock.jump(90 * MINUTE_MS);
    expect((await get('/bars', { ...MINUTES, limit: 95 })).body.result.bars.at(-1)).toMatchObject({
      time: atMinute(1000),
      closed: false,
      volume: 3,
    });
    feed.closedCount += 1;
    expect((await get('/bars', { ...MINUTES, limit: 95 })).body.result.bars.slice(-2)).toMatchObject([
      { time: atMinute(1000), closed: true, volume: 10 },
      { closed: false },
    ]);
  });

  it('the last bar before a gap is final once it ended long ago', async () => {
    const { get, feed } = open(3000);
    for (const minute of count(100, 200)) feed.silent.add(minute);
    const { body } = await get('/bars', { ...MINUTES, from: isoMinute(98), to: isoMinute(101), limit: 5 });
    expect(body.result.bars).toMatchObject([{ closed: true }, { time: atMinute(99), closed: true }]);
  });

  it('gaps of time without trades are told', async () => {
    const { get, feed } = open();
    for (const minute of [110, 111, 115]) feed.silent.add(minute);
    const { body } = await get('/bars', { ...MINUTES, from: isoMinute(105), to: isoMinute(120) });
    expect(body.result.gaps).toEqual([
      { from: atMinute(110), to: atMinute(112), bars: 2 },
      { from: atMinute(115), to: atMinute(116), bars: 1 },
    ]);
  });

  it('what the archive lacks is told apart from what nobody traded, and asking for it fills it', async () => {
    const { get, feed } = open();
    feed.silent.add(120);
    await get('/bars', { ...MINUTES, from: isoMinute(100), to: isoMinute(150) });
    const asked = feed.calls.length;
    const gaps = async () =>
      (await get('/bars/gaps', { ...MINUTES, from: isoMinute(90), to: isoMinute(160) })).body.result;
    expect(await gaps()).toEqual({
      ...{ symbol: 'BTCUSDT', timeframe: '1m', source: 'binance', computed: false, bars: 50 },
      unknown: [
        { from: atMinute(90), to: atMinute(100), bars: 10 },
        // One bar more than was asked for is kept: it showed that the one before it is final.
        { from: atMinute(151), to: atMinute(160), bars: 9 },
      ],
      empty: [{ from: atMinute(120), to: atMinute(121), bars: 1 }],
    });
    expect(feed.calls).toHaveLength(asked);
    await get('/bars', { ...MINUTES, from: isoMinute(90), to: isoMinute(160) });
    expect(await gaps()).toMatchObject({ bars: 69, unknown: [] });
  });

  it('the bar that forms now, and the future, are no gaps', async () => {
    const { get } = open();
    await get('/bars', { ...MINUTES, from: isoMinute(990) });
    const { body } = await get('/bars/gaps', { ...MINUTES, from: isoMinute(990), to: isoMinute(5000) });
    expect(body.result).toMatchObject({ bars: 10, unknown: [], empty: [] });
  });

  it('the archive lists what it holds', async () => {
    const { get } = open();
    expect((await get('/bars/archive')).body.result).toEqual([]);
    await get('/bars', { ...MINUTES, from: isoMinute(100), to: isoMinute(150) });
    expect((await get('/bars/archive')).body.result).toEqual([
      { symbol: 'BTCUSDT', timeframe: '1m', source: 'binance', from: atMinute(100), to: atMinute(151) },
    ]);
  });

  it('gaps are looked for in 100,000 bars at most', async () => {
    const { get } = open();
    const { status, body } = await get('/bars/gaps', { ...MINUTES, from: 0, to: isoMinute(100_001) });
    expect([status, body.error]).toEqual([400, 'from: lies more than 100000 bars before to, ask in pieces']);
    expect((await get('/bars/gaps', { ...MINUTES, from: 0, to: isoMinute(100_000) })).status).toBe(200);
    expect((await get('/bars/gaps', { ...MINUTES, from: 2, to: 1 })).body.error).toMatch(/lies after to/);
  });

  it('an archive that cannot be read is told with its remedy', async () => {
    const fail = async () => {
      throw new StorageError('scripts.db is damaged; put the last backup in its place');
    };
    const { get } = open(1000, { ...createMemoryBarStore(), series: fail, read: fail });
    expect((await get('/bars/archive')).body).toMatchObject({ code: 'STORAGE_FAILED' });
    expect((await get('/bars/gaps', { ...MINUTES, from: 0 })).status).toBe(500);
    expect((await get('/bars', MINUTES)).status).toBe(200);
  });
});

it('the simulated market needs no archive', async () => {
  const { get } = openBarsApp(simulatedBars());
  expect((await get('/bars/archive')).body.result).toEqual([]);
  const { body } = await get('/bars/gaps', { ...BTC, from: NOON_MS - 5 * HOUR_MS });
  expect(body.result).toMatchObject({ computed: true, bars: 5, unknown: [], empty: [] });
});
