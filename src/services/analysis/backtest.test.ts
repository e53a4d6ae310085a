// When a strategy may trade, and with what: the fields of /run and of /backtest/quick that say it, and every value they refuse.

import { describe, expect, it } from 'vitest';
import type { RunRequest } from '../../library/script-runner.ts';
import { barsOf, openAnalysis, requestOf, START_MS } from './testing/analysis-app.ts';
import { ranInTest } from './testing/run-in-test.ts';

const MINUTE_MS = 60_000;
const STRATEGY = '//@version=6\nstrategy("S")\nif bar_index == 0\n    strategy.entry("L", strategy.long, 2)';

function openBacktest() {
  const runs: RunRequest[] = [];
  const app = openAnalysis({
    check: async ({ source }) => {
      const scriptType = source.includes('strategy(') ? 'strategy' : 'indicator';
      return { kind: 'checked', ok: true, diagnostics: [], inputs: [], scriptType };
    },
    run: async (request) => {
      runs.push(request);
      const { source, bars, initialCapital, tradeFromMs, tradeToMs, symbol, timeframe } = request;
      const capital = initialCapital === undefined ? {} : { initialCapital };
      const from = tradeFromMs === undefined ? {} : { tradeFromMs };
      const market = { ...(symbol && { symbol }), ...(timeframe && { timeframe }) };
      return ranInTest(source, bars, { ...market, ...capital, ...from, ...(tradeToMs && { tradeToMs }) });
    },
  });
  const backtest = async (more: object = {}) => {
    const { apiKey } = await app.keys.mint('pro');
    return app.post(
      '/backtest/quick',
      { script: STRATEGY, data: barsOf(5), ...more },
      { headers: { authorization: `Bearer ${apiKey}` } },
    );
  };
  return { app, runs, backtest };
}

const FROM_MS = START_MS + MINUTE_MS;
const MOMENTS: readonly (readonly [sent: string | number, ms: number])[] = [
  [FROM_MS, FROM_MS],
  [FROM_MS / 1000, FROM_MS],
  [String(FROM_MS), FROM_MS],
  [new Date(FROM_MS).toISOString(), FROM_MS],
  ['2023-11-14', Date.UTC(2023, 10, 14)],
  ['2023-11-14T23:00:00+01:00', Date.UTC(2023, 10, 14, 22)],
  [0, 0],
];
const NO_MOMENTS = ['', 'tomorrow', '2023-02-30', -1, 1.5, 1e21, 20231114, ' 2023-11-14'];

describe('trade_from and trade_to', () => {
  it.each(MOMENTS)('%j is a moment', async (sent, ms) => {
    const { post, asked } = openAnalysis();
    expect((await post('/run', requestOf({ trade_from: sent }))).status).toBe(200);
    expect((await post('/run', requestOf({ trade_to: sent }))).status).toBe(200);
    expect(asked.map(({ tradeFromMs, tradeToMs }) => [tradeFromMs, tradeToMs])).toEqual([
      [ms, undefined],
      [undefined, ms],
    ]);
  });

  it.each(NO_MOMENTS)('%j is none', async (sent) => {
    const { post, asked } = openAnalysis();
    for (const field of ['trade_from', 'trade_to']) {
      const { status, body } = await post('/run', requestOf({ [field]: sent }));
      expect([status, body.code, body.message]).toEqual([
        400,
        'INVALID_FIELD',
        `${field}: is no moment, send ms since 1970 UTC or text such as 2024-03-01T14:30:00Z`,
      ]);
    }
    expect(asked).toEqual([]);
  });

  it.each([null, true, {}, [1]])('%j is neither a number nor text', async (sent) => {
    const { status, body } = await openAnalysis().post('/run', requestOf({ trade_from: sent }));
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
  });

  it('must be in their order', async () => {
    const { post } = openAnalysis();
    for (const trade_to of [5000, 4999]) {
      const { status, body } = await post('/run', requestOf({ trade_from: 5000, trade_to }));
      expect([status, body.message]).toEqual([400, 'trade_to: is not after trade_from, send a later moment']);
    }
    expect((await post('/run', requestOf({ trade_from: 5000, trade_to: 5001 }))).status).toBe(200);
  });

  it('name their place in a batch, and reach the others', async () => {
    const { post, asked } = openAnalysis();
    const requests = [requestOf({ trade_from: 'x' }), requestOf({ trade_from: FROM_MS })];
    const { body } = await post('/run/batch', { requests });
    expect(body.results.map(({ status_code }) => status_code)).toEqual([400, 200]);
    expect(body.results[0]?.message).toMatch(/^requests\.0\.trade_from: is no moment/);
    expect(asked.map(({ tradeFromMs }) => tradeFromMs)).toEqual([FROM_MS]);
  });

  it('are not for pictures', async () => {
    const { app } = openBacktest();
    const { apiKey } = await app.keys.mint('pro');
    for (const [path, more] of [
      ['/preview/chart', {}],
      ['/preview/indicator', { expression: 'close' }],
    ] as const) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const sent = await app.post(path, { data: barsOf(3), trade_from: 1, ...more }, { headers });
      expect([sent.status, sent.body.code]).toEqual([400, 'UNKNOWN_FIELDS']);
    }
  });
});

describe('POST /backtest/quick', () => {
  it('runs with the capital and the range that are sent', async () => {
    const { backtest, runs } = openBacktest();
    const sent = await backtest({ initial_capital: 500, trade_from: START_MS, trade_to: START_MS + 2 * MINUTE_MS });
    expect(sent.status).toBe(200);
    expect(runs).toMatchObject([
      { initialCapital: 500, tradeFromMs: START_MS, tradeToMs: START_MS + 2 * MINUTE_MS, timeframe: '1' },
    ]);
    // Bought at the open of 2, and worth 6 at the last close.
    expect(sent.body.trades).toMatchObject([{ entry_id: 'L', qty: 2, entry_price: 2, exit_time: null, profit: 8 }]);
    expect(sent.body.summary).toMatchObject({ initial_capital: 500, to: START_MS + MINUTE_MS });
    expect(sent.body.tier_info).toMatchObject({ calls_used: 1 });
  });

  it('runs with what the script declares where nothing is sent', async () => {
    const { backtest, runs } = openBacktest();
    expect((await backtest()).body.summary).toMatchObject({ initial_capital: 1_000_000 });
    expect(runs[0]).not.toHaveProperty('initialCapital');
    expect(runs[0]).not.toHaveProperty('tradeFromMs');
  });

  it('looks for repainting when it is asked to, and says so either way', async () => {
    const { backtest, runs } = openBacktest();
    const unasked = await backtest();
    expect(unasked.body.meta).toMatchObject({ repaint: { status: 'not_checked', reason: 'nobody asked for it' } });
    expect((await backtest({ check_repaint: true })).status).toBe(200);
    expect(runs.map(({ checksRepaint }) => checksRepaint)).toEqual([false, true]);
  });

  it.each(['yes', 1, null])('refuses %j for check_repaint', async (check_repaint) => {
    const { status, body } = await openBacktest().backtest({ check_repaint });
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
  });

  it.each([0, -1, '500', null])('refuses a capital of %j', async (initial_capital) => {
    const { backtest, runs } = openBacktest();
    const { status, body } = await backtest({ initial_capital });
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(runs).toEqual([]);
  });

  it('does not run what is no strategy', async () => {
    const { backtest, runs } = openBacktest();
    const { status, body } = await backtest({ script: '//@version=6\nindicator("x")\nplot(close)' });
    expect([status, body.message]).toEqual([
      400,
      'script: is an indicator and makes no trades, declare it with strategy(...)',
    ]);
    expect(runs).toEqual([]);
  });
});

describe('the market of a backtest', () => {
  const ASSUMED = { type: 'crypto', currency: 'USDT', mintick: 0.1, mincontract: 0.001, pointvalue: 1 };

  it('is described by its name beside own bars, and what was assumed is told', async () => {
    const { runs, backtest } = openBacktest();
    const { status, body } = await backtest({ symbol: 'BINANCE:BTCUSDT' });
    expect([status, runs[0]?.bars.count]).toEqual([200, 5]);
    expect(runs[0]?.symbol).toMatchObject({ ...ASSUMED, ticker: 'BINANCE:BTCUSDT' });
    expect(body.meta).toMatchObject({
      symbol: 'BINANCE:BTCUSDT',
      market: { symbol: 'BINANCE:BTCUSDT', source: 'binance', assumed: ASSUMED },
    });
    const said = await backtest({ symbol: 'BINANCE:BTCUSDT', symbol_info: { mintick: 0.01, mincontract: 0.00001 } });
    expect(runs[1]?.symbol).toMatchObject({ mintick: 0.01, mincontract: 0.00001, currency: 'USDT' });
    expect(said.body.meta.market).not.toHaveProperty('assumed.mintick');
    expect((await backtest()).body.meta).not.toHaveProperty('market');
  });

  it('counts: quantities are cut to its steps', async () => {
    const script = STRATEGY.replace('strategy.long, 2', 'strategy.long, 2.00046');
    const quantity = async (more: object) => (await openBacktest().backtest({ script, ...more })).body.trades[0]?.qty;
    expect(await quantity({ symbol: 'BINANCE:BTCUSDT' })).toBe(2);
    expect(await quantity({})).toBe(2.00046);
  });

  it('may be all that is sent: then its newest final bars are taken, and where they come from is told', async () => {
    const { runs, backtest } = openBacktest();
    const { status, body } = await backtest({ data: undefined, symbol: 'BTCUSDT', timeframe: '1h', bars: 30 });
    expect([status, runs[0]?.bars.count, runs[0]?.timeframe]).toEqual([200, 30, '1h']);
    const { time, count } = runs[0]!.bars;
    expect(body.meta).toMatchObject({ bars: 30, price_source: 'simulated', from: time[0], to: time[count - 1] });
    expect(body.meta).toMatchObject({ market: { source: 'binance', assumed: ASSUMED } });
  });

  it.each<[object, number, string]>([
    [{ bars: 30 }, 400, 'bars: cannot be sent with data, send the one or the other'],
    [{ data: undefined, bars: 30, timeframe: '1h' }, 400, 'symbol: is missing, send the market that the bars are of'],
    [
      { data: undefined, bars: 30, symbol: 'BTCUSDT' },
      400,
      'timeframe: is missing, send the length of the bars such as 1h',
    ],
    [{ data: undefined, bars: 0, symbol: 'BTCUSDT', timeframe: '1h' }, 400, 'bars: is too small'],
    [
      { data: undefined, bars: 50_001, symbol: 'BTCUSDT', timeframe: '1h' },
      413,
      'bars: is 50001, ask for at most 50000',
    ],
    [{ data: undefined, bars: 3, symbol: 'NOSUCH', timeframe: '1h' }, 422, 'symbol: '],
    [{ data: undefined }, 400, 'data: is missing'],
  ])('%j is refused', async (more, status, words) => {
    const { runs, backtest } = openBacktest();
    const sent = await backtest(more);
    expect([sent.status, sent.body.message.startsWith(words) ? words : sent.body.message]).toEqual([status, words]);
    expect(runs).toEqual([]);
  });

  it('is warned of where the bars are not those of the timeframe', async () => {
    const { body } = await openBacktest().backtest({ timeframe: '15' });
    expect(body.meta.warnings).toMatchObject([{ code: 'PE405', message: expect.stringContaining('those of 1.') }]);
  });
});
