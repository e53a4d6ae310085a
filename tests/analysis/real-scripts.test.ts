// The Analysis API over real threads: true values, real faults, many at once, and clients that leave.

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { openTruthCase } from '../../src/pine/testing/truth-case.ts';
import {
  type AnalysisApp,
  barsOf,
  GOOD,
  openAnalysis,
  requestOf,
} from '../../src/services/analysis/testing/analysis-app.ts';

let pool: ReturnType<typeof openScriptPool>;
let opened: AnalysisApp;
beforeAll(() => {
  pool = openScriptPool({ size: 2, timeoutMs: 10_000, memoryMb: 128 });
  opened = openAnalysis(pool);
});
afterAll(() => pool.close());

const script = (...lines: string[]) => ['//@version=6', 'indicator("test")', ...lines].join('\n');
const FOREVER = script('s = str.repeat("a", 60) + "b"', 'plot(str.length(str.match(s, "^(a+)+$")))');
const run = (more: object = {}, init: RequestInit & { peer?: string } = {}) =>
  opened.post('/run', requestOf(more), init);

describe('values exported from TradingView come out of POST /run', () => {
  const folder = new URL('../pine/truth/', import.meta.url);
  const cases = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

  it('of fifteen cases', () => {
    expect(cases).toHaveLength(15);
  });

  it.each(cases)('%s', async (name) => {
    const read = (file: string) => readFileSync(new URL(`${name}/${file}`, folder), 'utf8');
    const truth = openTruthCase(name);
    const data = truth.bars.map(({ time, open, high, low, close, volume }) => ({
      time,
      open,
      high,
      low,
      close,
      volume,
    }));
    const sent = await run({ script: read('script.pine'), data, symbol_info: JSON.parse(read('case.json')).symbol });
    expect([sent.status, sent.body.status, sent.body.count]).toEqual([200, 'success', data.length]);
    for (const title of truth.unchecked())
      truth.check(title, ({ index }) => sent.body.series[title]?.[index] ?? Number.NaN);
    expect(truth.unchecked()).toEqual([]);
  });
});

describe('an answer', () => {
  it('has na before the last bars that a script asks for, and counts all bars', async () => {
    const source =
      '//@version=6\nindicator("last", calc_bars_count = 2)\nplot(bar_index, "at")\nalert("here", alert.freq_all)';
    const data = barsOf(5);
    const { body } = await run({ script: source, data });
    expect([body.count, body.series]).toEqual([5, { at: [null, null, null, 0, 1] }]);
    expect(body).toMatchObject({ alerts: [{ bar_index: 3, time: data[3]?.time }, { bar_index: 4 }] });
  });

  it('has every field of the contract', async () => {
    const { body } = await run();
    expect(Object.keys(body).sort()).toEqual(
      [
        ...['status', 'series', 'plots', 'plot_meta', 'events', 'trades', 'equity', 'metrics', 'drawings'],
        ...['alerts', 'inputs', 'logs', 'profile', 'meta', 'script_id', 'run_id', 'count', 'mode'],
      ].sort(),
    );
    expect(body).toMatchObject({
      status: 'success',
      plots: [2, 3, 4],
      count: 3,
      run_id: expect.stringMatching(/^run-/),
    });
  });

  it('knows the market and the distance of the bars', async () => {
    const lines = ['plot(timeframe.in_seconds())', 'plot(syminfo.mintick)', 'log.info(syminfo.tickerid)'];
    const { body } = await run({
      script: script(...lines),
      data: barsOf(5, 3_600_000),
      symbol: 'BINANCE:BTCUSDT',
      symbol_info: { mintick: 0.5 },
    });
    expect(Object.values(body.series).map((values) => values[0])).toEqual([3600, 0.5]);
    expect(body.logs[0]?.message).toBe('BINANCE:BTCUSDT');
  });

  it('follows inputs and libraries', async () => {
    const library = { namespace: 'me', name: 'Lib', version: 1 };
    const source = '//@version=6\nlibrary("Lib")\nexport twice(float x) =>\n    x * 2';
    const importing = script('import me/Lib/1 as lib', 'n = input.int(1, "N")', 'plot(lib.twice(n))');
    const { body } = await run({ script: importing, libraries: [{ ...library, source }], inputs: { N: 21 } });
    expect(body.plots).toEqual([42, 42, 42]);
  });
});

describe('a script at fault', () => {
  it('that does not compile is a 400 with its diagnostics', async () => {
    const sent = await run({ script: script('plot(clos)') });
    expect(sent.status).toBe(400);
    expect(sent.body).toMatchObject({ status: 'error', code: 'SCRIPT_ERROR' });
    expect(sent.body.diagnostics[0]).toMatchObject({
      line: 3,
      column: 6,
      endLine: 3,
      endColumn: 10,
      severity: 'error',
    });
  });

  it('that is empty is one too', async () => {
    expect((await run({ script: '' })).body.code).toBe('SCRIPT_ERROR');
  });

  it('that ends with an error of its own is a 422 with its place', async () => {
    const sent = await run({ script: script('if bar_index == 2', '    runtime.error("enough")', 'plot(close)') });
    expect(sent.status).toBe(422);
    expect(sent.body).toEqual({
      ...{ status: 'error', code: 'RUNTIME_ERROR', message: 'enough' },
      ...{ bar_index: 2, line: 4, column: expect.any(Number) },
    });
  });

  it.each([
    [{ inputs: { Lenght: 5 } }, 'The script has no input "Lenght"'],
    [{ inputs: JSON.parse('{"__proto__":5}') }, '__proto__'],
    [{ symbol_info: { mintick: -1 } }, 'mintick'],
    [{ timeframe: 'soon' }, 'Invalid timeframe "soon"'],
  ])('or its input is: %j', async (more, message) => {
    const sent = await run(more);
    expect(sent).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELD', message: expect.stringContaining(message) },
    });
  });

  it('that takes longer than the request allows is a 408', async () => {
    const sent = await run({ script: FOREVER, timeout_seconds: 0.1 });
    expect(sent).toMatchObject({ status: 408, body: { code: 'TIMEOUT', message: expect.stringContaining('0.1 s') } });
  });
});

describe('at once', () => {
  it('twenty runs each get their own answer', async () => {
    const factors = Array.from({ length: 20 }, (_, i) => i);
    const answers = await Promise.all(
      factors.map((factor) =>
        run(
          { script: script('n = input.int(0, "N")', 'plot(close * n)'), inputs: { N: factor } },
          { peer: `192.0.2.${factor % 2}` },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(factors.map(() => 200));
    expect(answers.map(({ body }) => body.plots)).toEqual(
      factors.map((factor) => [2 * factor, 3 * factor, 4 * factor]),
    );
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(20);
  });

  it('a batch of eight runs, each with its end', async () => {
    const scripts = [
      GOOD,
      script('plot(clos)'),
      GOOD,
      script('runtime.error("x")', 'plot(close)'),
      GOOD,
      GOOD,
      GOOD,
      GOOD,
    ];
    const { body } = await opened.post('/run/batch', {
      requests: scripts.map((source) => requestOf({ script: source })),
    });
    const statuses = body.results.map(({ status_code }) => status_code);
    expect(statuses).toEqual([200, 400, 200, 422, 200, 200, 200, 200]);
    expect(body.results[7]?.plots).toEqual([2, 3, 4]);
  });

  it('more than may wait are told to come again', async () => {
    const small = openScriptPool({ size: 1, maxQueued: 1 });
    const { post } = openAnalysis(small);
    const answers = await Promise.all([1, 2, 3].map(() => post('/run', requestOf())));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.headers.get('retry-after')).toBe('1');
    await small.close();
    expect(await post('/run', requestOf())).toMatchObject({ status: 503, body: { code: 'STOPPING' } });
  });
});

describe('a client that leaves', () => {
  it('takes its script with it', async () => {
    const leaving = new AbortController();
    const sending = run({ script: FOREVER }, { signal: leaving.signal });
    setTimeout(() => leaving.abort(), 200);
    expect((await sending).status).toBe(499);
    expect(opened.runs.at(-1)?.run).toBe('canceled');
    expect((await run()).status).toBe(200);
  });

  it('does so over a real socket too', async () => {
    const server = await listen({ listener: nodeListener(opened.app), host: '127.0.0.1', port: 0 });
    const leaving = new AbortController();
    const before = opened.runs.length;
    const body = JSON.stringify(requestOf({ script: FOREVER }));
    const sending = fetch(`${server.url}/run`, { method: 'POST', body, signal: leaving.signal });
    setTimeout(() => leaving.abort(), 400);
    await expect(sending).rejects.toThrow();
    await expect.poll(() => opened.runs.slice(before).map(({ run: end }) => end)).toEqual(['canceled']);
    const after = await fetch(`${server.url}/run`, { method: 'POST', body: JSON.stringify(requestOf()) });
    expect(after.status).toBe(200);
    await server.stop(0);
  });
});

describe('an editor', () => {
  it('is told what could be written', async () => {
    const source = script('plot(ta.sm');
    const { body } = await opened.post('/lsp/completion', { source, line: 2, character: 10 });
    const item = body.items.find(({ label }) => label === 'sma');
    expect(Object.keys(item ?? {}).sort()).toEqual([
      ...['detail', 'documentation', 'insertText', 'insertTextFormat', 'kind', 'label'],
    ]);
    expect([item?.insertTextFormat, item?.kind, body.isIncomplete]).toEqual(['snippet', 'function', false]);
  });

  it('is told what a word means and where it stands', async () => {
    const { body } = await opened.post('/lsp/hover', { source: GOOD, line: 2, character: 6 });
    expect(body.hover.contents).toContain('close');
    expect(body.hover.range).toEqual({ start: { line: 2, character: 5 }, end: { line: 2, character: 10 } });
    expect((await opened.post('/lsp/hover', { source: GOOD, line: 99, character: 0 })).status).toBe(200);
  });

  it('has a script of an old version converted, and once only', async () => {
    const old = '//@version=3\nstudy("x")\nplot(sma(close, 2))\n';
    const { body } = await opened.post('/lsp/convert', { source: old });
    expect(body).toMatchObject({ status: 'success', version: 3 });
    expect(body.text).toBe('//@version=5\nindicator("x")\nplot(ta.sma(close, 2))\n');
    expect((await opened.post('/lsp/convert', { source: body.text })).status).toBe(400);
    const checked = await opened.post('/lsp/diagnostics', { source: old });
    expect(checked.body).toMatchObject({ ok: true, diagnostics: [{ severity: 'warning', code: 'PE041', line: 1 }] });
  });

  it('is told what is wrong', async () => {
    expect((await opened.post('/lsp/diagnostics', { source: GOOD })).body).toEqual({
      ...{ status: 'success', ok: true, diagnostics: [] },
    });
    const { body } = await opened.post('/lsp/diagnostics', { source: script('plot(clos)') });
    expect(body.ok).toBe(false);
    expect(body.diagnostics[0]).toMatchObject({
      line: 3,
      character: 5,
      endLine: 3,
      endCharacter: 9,
      source: 'signalbox',
    });
  });
});
