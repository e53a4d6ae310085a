// Previews and quick backtests over real threads: pictures that hold what was asked for, and faults at their places.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPng } from '../../src/chart/testing/read-png.ts';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { barsOf } from '../../src/services/analysis/testing/analysis-app.ts';
import { bearer, type KeyApp, openKeyApp } from './key-app.ts';

const RED = 0xff0000;
let pool: ReturnType<typeof openScriptPool>;
let app: KeyApp;
let key: string;
beforeAll(async () => {
  pool = openScriptPool({ size: 2, timeoutMs: 60_000, maxWaitMs: 120_000, memoryMb: 128 });
  app = await openKeyApp('sqlite', { script: pool, deps: { monotonicMs: () => performance.now() } });
  key = await app.keyWith('free');
});
afterAll(() => pool.close());

const script = (...lines: string[]) => ['//@version=6', 'indicator("Test", overlay = true)', ...lines].join('\n');
const chart = (body: object) => app.post('/preview/chart', { data: barsOf(60), ...body }, bearer(key));
const indicator = (body: object) => app.post('/preview/indicator', { data: barsOf(60), ...body }, bearer(key));
const backtest = (body: object) => app.post('/backtest/quick', { data: barsOf(60), ...body }, bearer(key));
const pictureOf = (base64: string) => readPng(Buffer.from(base64, 'base64'));

function pixelsOf(base64: string, color: number): number {
  const picture = pictureOf(base64);
  let count = 0;
  for (let y = 0; y < picture.height; y += 1)
    for (let x = 0; x < picture.width; x += 1) if (picture.at(x, y) === color) count += 1;
  return count;
}

const columnsOf = (rows: ReturnType<typeof barsOf>) => ({
  time: rows.map(({ time }) => time),
  open: rows.map(({ open }) => open),
  high: rows.map(({ high }) => high),
  low: rows.map(({ low }) => low),
  close: rows.map(({ close }) => close),
  volume: rows.map(({ volume }) => volume),
});

describe('POST /preview/chart', () => {
  it('draws bars without a script, and tells what it drew', async () => {
    const { status, body } = await chart({});
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        chart: expect.stringMatching(/^iVBORw0KGgo/),
        meta: {
          width: 800,
          height: 400,
          type: 'candles',
          theme: 'dark',
          bars: 60,
          from: barsOf(1)[0]?.time,
          to: barsOf(60).at(-1)?.time,
          script: null,
          plots: [],
          warnings: [],
        },
        tier_info: {
          tier: 'free',
          calls_used: 1,
          calls_limit: 0,
          calls_remaining: 'unlimited',
          reset_at: expect.any(Number),
        },
      },
    ]);
    const { width, height } = pictureOf(body.chart);
    expect([width, height]).toEqual([800, 400]);
  });

  it("draws the script's plots, and names them with their last values", async () => {
    const { status, body } = await chart({
      script: script('plot(close, "Close", #ff0000, 3)', 'plot(float(na), "Nothing")', 'hline(3, "Level")'),
      symbol: 'BTCUSDT',
      timeframe: '1',
    });
    expect(status).toBe(200);
    expect(pixelsOf(body.chart, RED)).toBeGreaterThan(500);
    expect(body.meta).toMatchObject({
      script: { script_type: 'indicator', script_name: 'Test', overlay: true, symbol: 'BTCUSDT', timeframe: '1' },
      plots: [
        { title: 'Close', kind: 'plot', last: 61 },
        { title: 'Nothing', kind: 'plot', last: null },
        { title: 'Level', kind: 'hline', last: 3 },
      ],
    });
  });

  it('takes rows or columns: the picture is the same', async () => {
    const source = script('plot(ta.sma(close, 5))');
    const rows = await chart({ script: source });
    const columns = await chart({ script: source, data: columnsOf(barsOf(60)) });
    expect(columns.body.chart).toBe(rows.body.chart);
  });

  it('takes inputs, libraries and the market, as /run does', async () => {
    const libraries = [
      { namespace: 'me', name: 'Lib', version: 1, source: '//@version=6\nlibrary("Lib")\nexport two() => 2' },
    ];
    const { status, body } = await chart({
      script:
        '//@version=6\nindicator("x")\nimport me/Lib/1 as lib\nn = input.int(1, "N")\nplot(n * lib.two())\nplot(syminfo.mintick)',
      inputs: { N: 21 },
      libraries,
      symbol_info: { ticker: 'ACME', mintick: 0.25 },
    });
    expect([status, (body.meta.plots as { last: number }[]).map(({ last }) => last)]).toEqual([200, [42, 0.25]]);
  });

  it.each([
    [{ width: 1200, height: 600, theme: 'light' }, 1200, 600, 0xffffff],
    [{ width: 64, height: 48, type: 'line', show_volume: false }, 64, 48, 0x131722],
  ])('follows the options %j', async (options, width, height, background) => {
    const picture = pictureOf((await chart({ options })).body.chart);
    expect([picture.width, picture.height, picture.at(0, height - 1)]).toEqual([width, height, background]);
  });

  it.each([
    [{ options: { width: 1201 } }, 'INVALID_FIELD', 'options.width: is too large, send at most 1200'],
    [{ options: { height: 601 } }, 'INVALID_FIELD', 'options.height: is too large, send at most 600'],
    [{ options: { type: 'bars' } }, 'INVALID_FIELD', 'options.type: has a value that is not allowed'],
    [{ options: { color: 'plaid' } }, 'INVALID_FIELD', 'options.color: is no color'],
    [{ options: { colour: 'red' } }, 'UNKNOWN_FIELDS', 'options: has unknown fields, remove colour'],
    [{ options: [] }, 'INVALID_FIELD', 'options: is an array, send an object'],
    [{ data: undefined }, 'MISSING_FIELD', 'data: is missing, send a list of bars, or an object with a list per field'],
    [{ data: 'x' }, 'INVALID_FIELD', 'data: is neither a list nor an object'],
    [{ data: [] }, 'INVALID_FIELD', 'data: is empty'],
    [{ data: {} }, 'MISSING_FIELD', 'data.time: is missing'],
    [{ script: 7 }, 'INVALID_FIELD', 'script: is a number, put it in double quotes'],
    [{ mode: 'auto' }, 'UNKNOWN_FIELDS', 'remove mode'],
    [
      { data: [{ time: '1', open: 1, high: 1, low: 1, close: 1 }] },
      'INVALID_FIELD',
      'data.0.time: is a number in quotes, drop the quotes',
    ],
  ])('refuses %j with %s', async (body, code, message) => {
    const sent = await chart(body);
    expect([sent.status, sent.body]).toEqual([
      400,
      { status: 'error', code, message: expect.stringContaining(message) },
    ]);
    expect(sent.text).not.toContain('alert template');
  });

  it.each([
    ['TOO_MANY_BARS', () => ({ data: Array(50_001).fill(0) })],
    ['TOO_MANY_BARS', () => ({ data: { time: Array(50_001).fill(0) } })],
    ['SCRIPT_TOO_LARGE', () => ({ script: ' '.repeat(262_145) })],
    ['PAYLOAD_TOO_LARGE', () => ({ script: ' '.repeat(16 * 1024 * 1024) })],
  ])('refuses what is too much with 413 %s', async (code, body) => {
    const sent = await chart(body());
    expect([sent.status, sent.body.code]).toEqual([413, code]);
  });

  it('tells where a script is wrong, and where it ended', async () => {
    const wrong = await chart({ script: script('plot(clse)') });
    expect([wrong.status, wrong.body]).toMatchObject([
      400,
      { code: 'SCRIPT_ERROR', diagnostics: [{ line: 3, column: 6 }] },
    ]);
    const ended = await chart({ script: script('if bar_index == 5', '    runtime.error("enough")', 'plot(close)') });
    expect([ended.status, ended.body]).toMatchObject([422, { code: 'RUNTIME_ERROR', bar_index: 5, message: 'enough' }]);
  });

  it('takes 50,000 bars as columns, of few digits too', async () => {
    const data = {
      ...columnsOf(barsOf(50_000)),
      open: Array(50_000).fill(1),
      high: Array(50_000).fill(1),
      low: Array(50_000).fill(1),
      close: Array(50_000).fill(1),
      volume: Array(50_000).fill(0),
    };
    const { status, body } = await chart({ data, script: script('plot(close)') });
    expect([status, body.meta]).toMatchObject([200, { bars: 50_000 }]);
  });
});

describe('POST /preview/indicator', () => {
  it('plots a number on a pane of its own, or on the bars where it looks like a price', async () => {
    const own = await indicator({ expression: 'ta.rsi(close, 3) * 1000' });
    const onBars = await indicator({ expression: 'ta.sma(close, 3)' });
    const forced = await indicator({ expression: 'ta.sma(close, 3)', overlay: false });
    for (const { status, body } of [own, onBars, forced])
      expect([status, body.meta]).toMatchObject([200, { plots: [{ title: 'Value', kind: 'plot' }] }]);
    expect(forced.body.chart).not.toBe(onBars.body.chart);
    expect((await indicator({ expression: 'ta.sma(close, 3)', overlay: true })).body.chart).toBe(onBars.body.chart);
  });

  it('marks the bars of a condition', async () => {
    const { status, body } = await indicator({ expression: 'bar_index % 10 == 0' });
    expect([status, body.meta]).toMatchObject([200, { plots: [{ kind: 'plotshape', last: 0 }] }]);
  });

  it('takes an expression over several lines', async () => {
    expect((await indicator({ expression: 'math.max(\n  close,\n  open\n)' })).status).toBe(200);
  });

  it.each([
    ['close, open', 'expression: is a list, send one expression without a comma'],
    ['close // "', 'expression: has a comment, remove it'],
    ['close))\nplot((open', 'expression: has a ) too many at character 6, remove it'],
    ['  ', 'expression: is empty'],
    ['', 'expression: is too short'],
    ['x'.repeat(4001), 'expression: is too long, send at most 4000 characters'],
  ])('refuses what is not one expression', async (expression, message) => {
    const { status, body } = await indicator({ expression });
    expect([status, body]).toEqual([
      400,
      { status: 'error', code: 'INVALID_FIELD', message: expect.stringContaining(message) },
    ]);
  });

  it.each([
    'x = close',
    'x := 1',
    'if close > open\n    1',
    '"text"',
    'color.red',
    'ta.macd(close, 12, 26, 9)',
    'strategy.entry("a", strategy.long)',
  ])('has the compiler refuse %s', async (expression) => {
    const { status, body } = await indicator({ expression });
    expect([status, body.code]).toEqual([400, 'SCRIPT_ERROR']);
  });

  it("tells a fault at the caller's own columns", async () => {
    const { status, body } = await indicator({ expression: 'close + clse' });
    expect([status, body]).toEqual([
      400,
      {
        status: 'error',
        code: 'SCRIPT_ERROR',
        message: 'line 1: clse is not declared. Did you mean close?',
        diagnostics: [
          expect.objectContaining({ line: 1, column: 9, endLine: 1, endColumn: 13, message: 'clse is not declared.' }),
        ],
      },
    ]);
    const late = await indicator({ expression: 'close + array.get(array.from(1.0), bar_index)' });
    expect([late.status, late.body]).toMatchObject([422, { code: 'RUNTIME_ERROR', bar_index: 1, line: 1, column: 1 }]);
  });
});

describe('POST /backtest/quick', () => {
  const callsUsed = async () => (await app.post('/auth/validate', { api_key: key })).body.tier_info.calls_used;
  // Bars open at 1, 2, 3… and close one above: whoever buys on the second bar and holds earns one a bar.
  const BUY =
    '//@version=6\nstrategy("S", overlay = true)\nif bar_index == 0\n    strategy.entry("L", strategy.long, 2)';

  it('tests a strategy with the capital that is given, and counts it', async () => {
    const used = await callsUsed();
    const { status, body } = await backtest({
      script: `${BUY}\nif bar_index == 9\n    strategy.close("L")`,
      initial_capital: 500,
    });
    expect([status, body.status]).toEqual([200, 'success']);
    expect(body.trades).toMatchObject([
      { entry_id: 'L', direction: 'long', entry_price: 2, exit_price: 11, qty: 2, profit: 18 },
    ]);
    expect(body.summary).toMatchObject({
      initial_capital: 500,
      net_profit: 18,
      net_profit_percent: expect.closeTo(3.6, 9),
      total_trades: 1,
    });
    expect(body.equity_curve.at(-1)).toMatchObject({ equity: 518 });
    expect(body.meta).toMatchObject({
      script_type: 'strategy',
      script_name: 'S',
      timeframe: '1',
      bars: 60,
      warnings: [],
    });
    expect([await callsUsed(), body.tier_info.calls_used]).toEqual([Number(used) + 1, Number(used) + 1]);
  });

  it('leaves what is open open, and shows it without an exit', async () => {
    const { body } = await backtest({ script: BUY });
    expect(body.trades).toMatchObject([{ entry_id: 'L', exit_time: null, exit_price: null, profit: 2 * (61 - 2) }]);
    expect(body.summary).toMatchObject({ initial_capital: 1_000_000, net_profit: 0, open_profit: 118, open_trades: 1 });
  });

  it('answers an indicator with the remedy', async () => {
    const { status, body } = await backtest({ script: script('plot(close)') });
    expect([status, body]).toEqual([
      400,
      {
        status: 'error',
        code: 'INVALID_FIELD',
        message: 'script: is an indicator and makes no trades, declare it with strategy(...)',
      },
    ]);
  });

  it('tells the faults of a script first', async () => {
    const { status, body } = await backtest({
      script: '//@version=6\nstrategy("S")\nstrategy.entry("L", strategy.lng)',
    });
    expect([status, body]).toMatchObject([400, { code: 'SCRIPT_ERROR', diagnostics: [{ line: 3 }] }]);
  });

  it.each([
    [{}, 'MISSING_FIELD'],
    [{ script: 'x', initial_capital: 0 }, 'INVALID_FIELD'],
    [{ script: 'x', initial_capital: '1000' }, 'INVALID_FIELD'],
    [{ script: 'x', options: {} }, 'UNKNOWN_FIELDS'],
    [{ script: 'x', data: [] }, 'INVALID_FIELD'],
  ])('refuses the body %j with %s', async (body, code) => {
    const sent = await backtest(body);
    expect([sent.status, sent.body.code]).toEqual([400, code]);
  });
});

describe('over a socket', () => {
  // More of one key do not wait at once: the others of its class have the other half of the places.
  it('sixteen of the largest pictures at once leave the event loop free', async () => {
    const server = await listen({ listener: nodeListener(app.app), host: '127.0.0.1', port: 0 });
    const body = JSON.stringify({
      data: barsOf(300),
      script: script('plot(ta.sma(close, 9))'),
      options: { width: 1200, height: 600 },
    });
    const before = process.threadCpuUsage();
    const answers = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const answer = await fetch(`http://127.0.0.1:${server.port}/preview/chart`, {
          method: 'POST',
          body,
          ...bearer(key),
        });
        return [answer.status, ((await answer.json()) as { chart: string }).chart.length] as const;
      }),
    );
    const { user, system } = process.threadCpuUsage(before);
    await server.stop(1000);
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
    // Drawing takes 60 ms of processor time a picture; on this thread, client included, a picture is only passed on.
    expect((user + system) / 1000 / answers.length).toBeLessThan(30);
  });
});
