// POST /run over a runner that answers what a test says: what is handed on, and every boundary of a request.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runAnswer } from '../../library/testing/run-answer.ts';
import { barsOf, GOOD, openAnalysis, requestOf, START_MS } from './testing/analysis-app.ts';

const library = (more: object = {}) => ({ namespace: 'me', name: 'Lib', version: 1, source: 'x', ...more });
const several = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('a request', () => {
  it('is handed to the runner whole, and its bytes are passed on as they are', async () => {
    const json = Buffer.from(JSON.stringify(runAnswer({ series: { é: [1, null] } }), null, 1));
    const { post, asked, runs } = openAnalysis({ evaluate: async () => ({ kind: 'answer', json, warnings: [] }) });
    const libraries = [library()];
    const inputs = { Length: 5, Mode: 'fast', On: true };
    const described = { type: 'stock', mintick: 0.25, mincontract: 1, pointvalue: 1, currency: 'USD' };
    const symbol_info = { ...described, sector: null };
    const more = { symbol: 'ACME', timeframe: '5', mode: 'auto', inputs, profiler: true, libraries, symbol_info };
    const sent = await post('/run', requestOf({ ...more, timeout_seconds: 1.5 }));
    expect([sent.status, sent.text]).toEqual([200, json.toString()]);
    expect(sent.headers.get('content-length')).toBe(String(json.length));
    expect(sent.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(asked).toHaveLength(1);
    const { bars, signal, ...rest } = asked[0]!;
    expect(bars.count).toBe(3);
    expect(signal?.aborted).toBe(false);
    expect(rest).toEqual({
      source: GOOD,
      symbol: { ...described, ticker: 'ACME' },
      timeframe: '5',
      inputs,
      libraries,
      timeoutMs: 1500,
      runId: 'run-1',
    });
    expect(runs).toEqual([{ run: 'answer', bars: 3, ms: 0, requestId: sent.headers.get('x-request-id') }]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', ''])('may be of any content type: %s', async (type) => {
    const sent = await openAnalysis().post('/run', requestOf(), { headers: { 'content-type': type } });
    expect(sent.status).toBe(200);
  });

  it.each([
    [{}, '1', undefined],
    [{ timeframe: '' }, '1', undefined],
    [{ timeframe: '1h' }, '1h', undefined],
    [{ symbol_info: { period: '15' } }, '15', undefined],
    [{ symbol_info: { period: '15' }, timeframe: '1D' }, '1D', undefined],
    [{ data: barsOf(3, 3_600_000) }, '60', undefined],
    [{ data: barsOf(40, 86_400_000) }, '1D', undefined],
    [{ data: barsOf(1) }, undefined, undefined],
    [{ symbol: 'BINANCE:BTCUSDT' }, '1', 'BINANCE:BTCUSDT'],
    [{ symbol: 'A', symbol_info: { ticker: 'B' } }, '1', 'B'],
    [{ symbol: 'A', symbol_info: { tickerid: 'X:B' } }, '1', undefined],
  ])('%j has a timeframe and a ticker', async (more, timeframe, ticker) => {
    const { post, asked } = openAnalysis();
    expect((await post('/run', requestOf(more))).status).toBe(200);
    expect([asked[0]?.timeframe, asked[0]?.symbol?.ticker]).toEqual([timeframe, ticker]);
  });

  it('may count in seconds', async () => {
    const { post, asked } = openAnalysis();
    await post('/run', requestOf({ data: barsOf(3).map((bar) => ({ ...bar, time: bar.time / 1000 })) }));
    expect([...(asked[0]?.bars.time ?? [])]).toEqual([START_MS, START_MS + 60_000, START_MS + 120_000]);
    expect(asked[0]?.timeframe).toBe('1');
  });

  it.each(['auto', 'interpret', 'compile'])('may name the mode %s, in the body or behind the path', async (mode) => {
    const { post } = openAnalysis();
    expect((await post('/run', requestOf({ mode }))).status).toBe(200);
    expect((await post(`/run?mode=${mode}&api_key=x`, requestOf({ mode: 'auto' }))).status).toBe(200);
  });

  it.each([
    [0.001, 1],
    [10, 10_000],
    [10.001, 10_000],
    [1e300, 10_000],
    [undefined, 10_000],
  ])('of %s seconds gets %s ms', async (timeout_seconds, timeoutMs) => {
    const { post, asked } = openAnalysis();
    await post('/run', requestOf({ timeout_seconds }));
    expect(asked[0]?.timeoutMs).toBe(timeoutMs);
  });
});

describe('at its limits a request is taken', () => {
  it.each([
    ['50,000 bars', { data: barsOf(50_000) }],
    ['a script of 262,144 characters', { script: 'é'.repeat(262_144) }],
    ['32 libraries', { libraries: several(32, library) }],
    ['a library of 262,144 characters', { libraries: [library({ source: 'x'.repeat(262_144) })] }],
    ['an empty script, which is for the compiler to judge', { script: '' }],
    ['1,000 inputs', { inputs: Object.fromEntries(several(1000, () => 0).map((_, i) => [`i${i}`, i])) }],
  ])('%s', async (_, more) => {
    expect((await openAnalysis().post('/run', requestOf(more))).status).toBe(200);
  });

  it.each([
    [
      '50,001 bars',
      { data: several(50_001, () => 0) },
      413,
      'TOO_MANY_BARS',
      'data: has 50001 bars, send at most 50000',
    ],
    [
      'a script of 262,145 characters',
      { script: 'x'.repeat(262_145) },
      413,
      'SCRIPT_TOO_LARGE',
      'script: has 262145 characters, send at most 262144',
    ],
    [
      '33 libraries',
      { libraries: several(33, library) },
      400,
      'INVALID_FIELD',
      'libraries: is too large, send at most 32 items',
    ],
    [
      'a library of 262,145 characters',
      { libraries: [library(), library({ source: 'x'.repeat(262_145) })] },
      413,
      'SCRIPT_TOO_LARGE',
      'libraries.1.source: has 262145',
    ],
    [
      '1,001 inputs',
      { inputs: Object.fromEntries(several(1001, () => 0).map((_, i) => [`i${i}`, i])) },
      400,
      'INVALID_FIELD',
      'inputs: is not usable',
    ],
  ])('and refused beyond: %s', async (_, more, status, code, message) => {
    const { post, asked } = openAnalysis();
    const sent = await post('/run', requestOf(more));
    expect(sent).toMatchObject({ status, body: { status: 'error', code, message: expect.stringContaining(message) } });
    expect(asked).toEqual([]);
  });
});

describe('a body at fault', () => {
  const good = JSON.stringify(requestOf());
  const withField = (field: string) => good.replace('{', `{${field},`);
  const bars = (text: string) => `{"script":"x","data":[${text}]}`;
  it.each([
    ['', 'INVALID_BODY', 'The body is empty'],
    ['{', 'INVALID_BODY', 'not usable JSON'],
    ['"x"', 'INVALID_BODY', 'body: is a string, send an object'],
    ['[]', 'INVALID_BODY', 'body: is an array, send an object'],
    ['null', 'INVALID_BODY', 'body: is null, send an object'],
    ['{"script":"x","data":[NaN]}', 'INVALID_BODY', 'a bare NaN'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'INVALID_BODY', 'nested deeper'],
    ['{"script":"x","script":"y","data":[]}', 'INVALID_BODY', 'second time'],
    ['{}', 'MISSING_FIELD', 'script: is missing, add a string; data: is missing, send a list of bars'],
    ['{"script":"x"}', 'MISSING_FIELD', 'data: is missing'],
    ['{"data":[]}', 'MISSING_FIELD', 'script: is missing'],
    ['{"scirpt":"x","data":[]}', 'UNKNOWN_FIELDS', 'remove scirpt'],
    [withField('"colour":1,"size":2'), 'UNKNOWN_FIELDS', 'body: has unknown fields, remove colour, size'],
    [withField('"__proto__":{"mode":"auto"}'), 'UNKNOWN_FIELDS', 'remove __proto__'],
    [withField('"constructor":1'), 'UNKNOWN_FIELDS', 'remove constructor'],
    [withField('"symbol_info":{"min_tick":1}'), 'UNKNOWN_FIELDS', 'symbol_info: has unknown fields, remove min_tick'],
    [withField('"symbol_info":{"__proto__":{}}'), 'UNKNOWN_FIELDS', 'symbol_info: has unknown fields'],
    [
      withField('"libraries":[{"namespace":"a","name":"b","version":1}]'),
      'MISSING_FIELD',
      'libraries.0.source: is missing',
    ],
    [
      withField('"libraries":[{"namespace":"a","name":"b","version":0,"source":""}]'),
      'INVALID_FIELD',
      'libraries.0.version',
    ],
    [
      withField('"libraries":[{"namespace":"a","name":"b","version":1.5,"source":""}]'),
      'INVALID_FIELD',
      'not a whole number',
    ],
    [
      withField('"mode":"fast"'),
      'INVALID_FIELD',
      'mode: has a value that is not allowed, send one of auto, interpret, compile',
    ],
    [withField('"symbol":null'), 'INVALID_FIELD', 'symbol: is null, send a string'],
    [withField('"timeframe":5'), 'INVALID_FIELD', 'timeframe: is a number, put it in double quotes'],
    [withField('"profiler":1'), 'INVALID_FIELD', 'profiler: is a number, send true or false'],
    [withField('"inputs":[1]'), 'INVALID_FIELD', 'inputs: is not usable, send an object'],
    [withField('"inputs":null'), 'INVALID_FIELD', 'inputs: is not usable, send an object'],
    [withField('"timeout_seconds":0'), 'INVALID_FIELD', 'timeout_seconds: is too small, send more than 0'],
    [withField('"timeout_seconds":-1'), 'INVALID_FIELD', 'timeout_seconds'],
    [withField('"timeout_seconds":1e400'), 'INVALID_FIELD', 'timeout_seconds: is too large for a number'],
    [withField('"symbol_info":{"mintick":"0.1"}'), 'INVALID_FIELD', 'symbol_info.mintick: is a number in quotes'],
    ['{"script":"x","data":{}}', 'INVALID_FIELD', 'data: is not a list, send a list of bars'],
    ['{"script":"x","data":"[]"}', 'INVALID_FIELD', 'data: is not a list'],
    [bars(''), 'INVALID_FIELD', 'data: is empty, send at least one bar'],
    [
      bars('{"time":1,"open":1e400,"high":1,"low":1,"close":1}'),
      'INVALID_FIELD',
      'data.0.open: is too large for a number',
    ],
    [bars('{"time":1,"open":1,"high":1,"low":1}'), 'MISSING_FIELD', 'data.0.close: is missing'],
  ])('is told so: %.60s', async (body, code, message) => {
    const { post, asked } = openAnalysis();
    const sent = await post('/run', body);
    expect(sent.status).toBe(400);
    expect(sent.body).toEqual({ status: 'error', code, message: expect.stringContaining(message) });
    expect(asked).toEqual([]);
  });

  it('behind the path is told so too', async () => {
    const { post } = openAnalysis();
    for (const query of ['mode=fast', 'mode=', 'mode=auto&mode=fast']) {
      const sent = await post(`/run?${query}`, requestOf());
      expect(sent.body).toMatchObject({ code: 'INVALID_FIELD', message: expect.stringContaining('mode: ') });
    }
  });

  it('never is a fault of ours, whatever it holds', async () => {
    const { post, text } = openAnalysis();
    const names = fc.constantFrom('script', 'data', 'inputs', 'libraries', 'symbol_info', '__proto__', 'mode', 'x');
    const bodies = fc.oneof(fc.json({ maxDepth: 3 }), fc.dictionary(names, fc.jsonValue({ maxDepth: 3 })), fc.string());
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const sent = await post('/run', body);
        expect([200, 400]).toContain(sent.status);
      }),
      { numRuns: 200 },
    );
    expect(text()).not.toContain('request failed');
  });
});

describe('an input named __proto__', () => {
  it('reaches the engine, which knows no such input', async () => {
    const { post, asked } = openAnalysis();
    await post('/run', JSON.stringify(requestOf({ inputs: { a: 1 } })).replace('"a"', '"__proto__"'));
    expect(Object.keys(asked[0]?.inputs ?? {})).toEqual(['__proto__']);
  });
});

describe('the rate of the free routes', () => {
  it('is off unless it is set', async () => {
    const { post } = openAnalysis();
    for (let i = 0; i < 50; i += 1) expect((await post('/run', requestOf())).status).toBe(200);
    expect((await post('/run', requestOf())).headers.get('ratelimit')).toBeNull();
  });

  it('counts each address for itself, and every call of it, also one at fault', async () => {
    let nowMs = 0;
    const { post } = openAnalysis({}, { freeRatePerMinute: 2, monotonicMs: () => nowMs });
    const from = (peer: string, body: unknown = requestOf()) => post('/run', body, { peer });
    expect((await from('192.0.2.1')).headers.get('ratelimit')).toBe('"free-runs";r=1;t=30');
    expect((await from('192.0.2.1', '{')).status).toBe(400);
    expect((await from('192.0.2.1')).status).toBe(429);
    expect((await from('192.0.2.2')).status).toBe(200);
    nowMs = 30_000;
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.1')).status).toBe(429);
  });
});
