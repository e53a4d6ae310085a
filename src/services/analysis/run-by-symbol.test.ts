// POST /run and /api/run by the name of a market instead of bars: which bars a script gets, who may make us ask a venue, and
// what is said when they cannot be had.

import { describe, expect, it, test } from 'vitest';
import { modelBars, NOON_MS } from '../../../tests/support/bars-app.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { createMemoryBarStore } from '../../market-data/testing/memory-bar-store.ts';
import { MINUTE_MS, MODEL_MARKET } from '../../market-data/testing/model-feed.ts';
import { openScriptsApp } from '../scripts/testing/scripts-app.ts';
import { type AnalysisApp, barsOf, GOOD, openAnalysis, requestOf } from './testing/analysis-app.ts';

const bySymbol = (more: object = {}) => ({ script: GOOD, symbol: MODEL_MARKET, timeframe: '1m', bars: 5, ...more });
const at = (minute: number) => minute * MINUTE_MS;

/** What the engine was given. */
const given = ({ asked }: AnalysisApp) => asked.map(({ bars: { time, count } }) => [...time.subarray(0, count)]);

describe('on the simulated market', () => {
  it('a script gets the newest final bars, and the answer says which they were', async () => {
    const app = openAnalysis();
    const sent = await app.post('/run', bySymbol({ symbol: 'BINANCE:BTCUSDT.P', timeframe: '60', bars: 3 }));
    const times = [3, 2, 1].map((hours) => NOON_MS - at(60 * hours));
    expect([sent.status, given(app)]).toEqual([200, [times]]);
    expect(app.asked[0]).toMatchObject({ timeframe: '60', symbol: { type: 'crypto', ticker: 'BINANCE:BTCUSDT.P' } });
    expect(sent.body).toMatchObject({
      bars: { symbol: 'BTCUSDT', timeframe: '1h', source: 'simulated', from: times[0], to: times[2], times },
    });
    expect(app.runs).toMatchObject([{ run: 'answer', bars: 3 }]);
  });

  it('what the request says of the market outranks what is known of it', async () => {
    const app = openAnalysis();
    await app.post('/run', bySymbol({ symbol_info: { type: 'futures', mintick: 0.5 } }));
    expect(app.asked[0]?.symbol).toEqual({ type: 'futures', mintick: 0.5, ticker: 'BTCUSDT' });
  });

  it('a market that is only named is described by the table of its exchange, and the answer says so', async () => {
    const assumed = {
      ...{ type: 'crypto', currency: 'USDT', basecurrency: 'BTC', pointvalue: 1 },
      ...{ mintick: 0.1, mincontract: 0.001 },
    };
    for (const request of [bySymbol({ symbol: 'BINANCE:BTCUSDT' }), requestOf({ symbol: 'BINANCE:BTCUSDT' })]) {
      const app = openAnalysis();
      const sent = await app.post('/run', request);
      expect(app.asked[0]?.symbol).toEqual({ ...assumed, ticker: 'BINANCE:BTCUSDT' });
      expect(sent.body).toMatchObject({ market: { symbol: 'BINANCE:BTCUSDT', source: 'binance', assumed } });
    }
    const unknown = await openAnalysis().post('/run', requestOf({ symbol: 'NASDAQ:AAPL' }));
    expect(unknown.body).toMatchObject({ market: { source: 'default', assumed: { mintick: 0.01 } } });
    expect((await openAnalysis().post('/run', requestOf())).body).not.toHaveProperty('market');
  });

  it('as many as a run may have, and not one more', async () => {
    const limits = { maxBars: 7, maxScriptChars: 262_144, runTimeoutMs: 10_000 };
    const app = openAnalysis({}, { limits });
    expect((await app.post('/run', bySymbol({ bars: 7 }))).status).toBe(200);
    expect(given(app)[0]).toHaveLength(7);
    const refused = await app.post('/run', bySymbol({ bars: 8 }));
    expect([refused.status, refused.body.message]).toEqual([413, 'bars: is 8, ask for at most 7']);
  });

  it('strangers get 5000 at most, because each is computed', async () => {
    const app = openAnalysis();
    const refused = await app.post('/run', bySymbol({ bars: 5001 }));
    expect([refused.status, refused.body.code]).toEqual([413, 'TOO_MANY_BARS']);
    expect(refused.body.message).toMatch(/^bars: is 5001, ask for at most 5000 of the simulated market, or send a key/);
    expect((await app.post('/run', bySymbol({ bars: 5000 }))).status).toBe(200);
    expect(given(app)[0]).toHaveLength(5000);
  });

  it('in a batch and over a socket too', async () => {
    const app = openAnalysis();
    const batch = await app.post('/run/batch', { requests: [requestOf(), bySymbol(), bySymbol({ symbol: 'NOSUCH' })] });
    expect(batch.body.results.map(({ status_code }) => status_code)).toEqual([200, 200, 422]);
    const session = app.analysis.openRunSession({ clientAddress: '198.51.100.1', requestIds: () => 'r' });
    const out = await session.receive(Buffer.from(JSON.stringify({ type: 'run', id: 7, ...bySymbol() })));
    expect(JSON.parse(Buffer.from(out ?? []).toString())).toMatchObject({
      ...{ type: 'result', id: 7 },
      bars: { symbol: 'BTCUSDT' },
    });
  });
});

describe('what is refused', () => {
  it.each([
    [{ data: barsOf(2) }, 400, 'INVALID_FIELD', /^bars: cannot be sent with data, send the one or the other$/],
    [
      { bars: undefined },
      400,
      'MISSING_FIELD',
      /^data: is missing, send a list of bars, or symbol, timeframe and bars/,
    ],
    [{ symbol: undefined }, 400, 'MISSING_FIELD', /^symbol: is missing/],
    [{ timeframe: undefined }, 400, 'MISSING_FIELD', /^timeframe: is missing/],
    [{ timeframe: '1M' }, 400, 'INVALID_FIELD', /^timeframe: not a timeframe: "1M"/],
    [{ timeframe: '' }, 400, 'INVALID_FIELD', /^timeframe: not a timeframe/],
    [{ symbol: '' }, 400, 'INVALID_FIELD', /^symbol: names no market/],
    [{ bars: 0 }, 400, 'INVALID_FIELD', /^bars: /],
    [{ bars: 1.5 }, 400, 'INVALID_FIELD', /^bars: /],
    [{ bars: '5' }, 400, 'INVALID_FIELD', /^bars: /],
    [
      { symbol: 'ETHUSD' },
      422,
      'UNKNOWN_SYMBOL',
      /^symbol: the simulated market has no ETHUSD. Did you mean ETHUSDT\?$/,
    ],
    [{ script: 7 }, 400, 'INVALID_FIELD', /^script: /],
    [{ script: 'x'.repeat(262_145) }, 413, 'SCRIPT_TOO_LARGE', /262144/],
  ])('%#: %j', async (more, status, code, words) => {
    const app = openAnalysis();
    const sent = await app.post('/run', bySymbol(more));
    expect([sent.status, sent.body.code]).toEqual([status, code]);
    expect(sent.body.message).toMatch(words);
    expect(app.asked).toEqual([]);
  });

  it('in a batch the place is told', async () => {
    const { body } = await openAnalysis().post('/run/batch', { requests: [bySymbol({ data: barsOf(1) })] });
    expect(body.results[0]?.message).toMatch(/^requests\.0\.bars: cannot be sent with data/);
  });
});

describe('a stranger', () => {
  test('is served from the archive, and never makes us ask the venue', async () => {
    const { bars, feed } = modelBars();
    const app = openAnalysis({}, { marketBars: bars });
    const empty = await app.post('/run', bySymbol());
    expect([empty.status, empty.body.code]).toEqual([422, 'BARS_NOT_ARCHIVED']);
    expect(empty.body.message).toMatch(
      /^the archive has no bars of BTCUSDT 1m, not 5; .*signalbox bars download --symbol BTCUSDT --timeframe 1m/,
    );
    expect(feed.calls).toEqual([]);
    await bars.range(MODEL_MARKET, MINUTE_MS, { fromMs: at(100), toMs: at(110) });
    const asked = feed.calls.length;
    expect((await app.post('/run', bySymbol())).status).toBe(200);
    // The archive ends with the bar that showed the one before it to be final.
    expect(given(app)).toEqual([[106, 107, 108, 109, 110].map(at)]);
    expect((await app.post('/run', bySymbol({ bars: 11 }))).status).toBe(200);
    const more = await app.post('/run', bySymbol({ bars: 12 }));
    expect(more.body.message).toMatch(/^the archive has 11 bars in one piece of BTCUSDT 1m, not 12/);
    expect((await app.post('/run', bySymbol({ symbol: 'NOSUCH' }))).body.code).toBe('BARS_NOT_ARCHIVED');
    expect(feed.calls).toHaveLength(asked);
  });

  test('gets no bars from behind a hole in the archive', async () => {
    const { bars } = modelBars();
    const app = openAnalysis({}, { marketBars: bars });
    await bars.range(MODEL_MARKET, MINUTE_MS, { fromMs: at(100), toMs: at(110) });
    // The minute 111 is missing between what is kept.
    await bars.range(MODEL_MARKET, MINUTE_MS, { fromMs: at(112), toMs: at(115) });
    expect((await app.post('/run', bySymbol({ bars: 6 }))).body.message).toMatch(/has 4 bars in one piece/);
    expect((await app.post('/run', bySymbol({ bars: 4 }))).status).toBe(200);
    expect(given(app)).toEqual([[112, 113, 114, 115].map(at)]);
  });

  test('gets larger bars only where they are whole', async () => {
    const { bars } = modelBars();
    const app = openAnalysis({}, { marketBars: bars });
    // Kept from the second minute of one on, and to the first of another.
    await bars.range(MODEL_MARKET, MINUTE_MS, { fromMs: at(100), toMs: at(111) });
    expect((await app.post('/run', bySymbol({ timeframe: '3m', bars: 3 }))).status).toBe(200);
    expect(given(app)).toEqual([[102, 105, 108].map(at)]);
    expect((await app.post('/run', bySymbol({ timeframe: '3m', bars: 4 }))).body.message).toMatch(/has 3 bars/);
  });

  test('is told when the archive cannot be read', async () => {
    const fail = async () => {
      throw new StorageError('scripts.db is damaged');
    };
    const { bars } = modelBars(1000, { ...createMemoryBarStore(), span: fail });
    const sent = await openAnalysis({}, { marketBars: bars }).post('/run', bySymbol());
    expect([sent.status, sent.body.code]).toEqual([503, 'UNAVAILABLE']);
  });

  test('waits behind two others, and is turned away where too many wait', async () => {
    const { bars } = modelBars();
    let finish = (): void => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const held = {
      source: bars.source,
      isComputed: false,
      newest: bars.newest,
      newestKept: async () => {
        await done;
        return [{ time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 }];
      },
    };
    const app = openAnalysis({}, { marketBars: held });
    const run = (_: unknown, index: number) => app.post('/run', bySymbol({ bars: 1 }), { peer: `192.0.2.${index}` });
    const all = Array.from({ length: 19 }, run);
    const refused = await Promise.race(all);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'BUSY', '1']);
    finish();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(18);
  });
});

describe('with a key of the script worker', () => {
  const open = async (count?: number) => {
    const model = modelBars(count);
    const app = openAnalysis({}, { marketBars: model.bars });
    const scripts = openScriptsApp({ serveRun: (c, caller) => app.analysis.serveRun(c, caller) });
    const key = await scripts.newKey();
    const run = (more: object = {}) => scripts.send('POST', '/api/run', { key, body: bySymbol(more) });
    return { ...model, app, run };
  };

  test('what the archive lacks is asked of the venue, and the bar that forms is left out', async () => {
    const { app, run, feed } = await open();
    expect((await run()).status).toBe(200);
    expect(given(app)).toEqual([[995, 996, 997, 998, 999].map(at)]);
    expect(feed.calls).toHaveLength(1);
  });

  test('a market that has fewer bars gives those', async () => {
    const { app, run } = await open(3);
    expect((await run({ bars: 50 })).status).toBe(200);
    expect(given(app)).toEqual([[0, 1, 2].map(at)]);
  });

  test('without the key nobody is asked', async () => {
    const { app, feed } = await open();
    const scripts = openScriptsApp({ keyStore: 'none', serveRun: (c, caller) => app.analysis.serveRun(c, caller) });
    const sent = await scripts.send('POST', '/api/run', { body: bySymbol() });
    expect([sent.body.code, feed.calls]).toEqual(['BARS_NOT_ARCHIVED', []]);
  });

  test('a venue that does not answer, or has no such market, is told so', async () => {
    const { run, feed } = await open();
    feed.failures = 1000;
    expect(await run()).toMatchObject({ status: 502, body: { code: 'MARKET_DATA_UNREACHABLE' } });
    feed.failures = 0;
    expect(await run({ symbol: 'BTCUSDC' })).toMatchObject({
      ...{ status: 422, body: { code: 'UNKNOWN_SYMBOL', nearest: ['BTCUSDT'] } },
    });
  });
});
