// Strategies over real threads: what /run, /run/batch and /ws/run answer of their orders, trades, equity and figures.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { type AnalysisApp, barsOf, openAnalysis, START_MS } from '../../src/services/analysis/testing/analysis-app.ts';

const MINUTE_MS = 60_000;
/** Bars open at 1, 2, 3… and close one above. */
const REQUEST = {
  script: `//@version=6
strategy("S", initial_capital = 100)
if bar_index % 4 == 0
    strategy.entry("L", strategy.long, 2, comment = "up")
if bar_index % 4 == 2
    strategy.close("L")
plot(strategy.equity, "equity")`,
  data: barsOf(10),
};

let pool: ReturnType<typeof openScriptPool>;
let app: AnalysisApp;
beforeAll(() => {
  pool = openScriptPool({ size: 1, timeoutMs: 60_000, maxWaitMs: 120_000, memoryMb: 128 });
  app = openAnalysis(pool);
});
afterAll(() => pool.close());

/** Bought at the open of the second bar, sold at that of the fourth, and so on; the third is open. */
const MADE = {
  events: [
    { kind: 'entry', id: 'L', direction: 'long', qty: 2, order_type: 'market', comment: 'up', bar_index: 0 },
    { kind: 'close', id: 'L', direction: 'long', bar_index: 2, bar_time: START_MS + 2 * MINUTE_MS },
    { kind: 'entry', bar_index: 4 },
    { kind: 'close', bar_index: 6 },
    { kind: 'entry', bar_index: 8 },
  ],
  trades: [
    { entry_id: 'L', entry_price: 2, exit_price: 4, qty: 2, profit: 4, entry_comment: 'up', entry_bar: 1, exit_bar: 3 },
    { entry_price: 6, exit_price: 8, profit: 4 },
    { entry_price: 10, exit_time: null, exit_id: null, profit: 2 },
  ],
  metrics: { initial_capital: 100, net_profit: 8, open_profit: 2, final_equity: 110, long: { total_trades: 2 } },
};

describe('a strategy', () => {
  it('is answered by /run with everything it made', async () => {
    const { status, body } = await app.post('/run', REQUEST);
    expect([status, body]).toMatchObject([200, MADE]);
    expect(body.series.equity).toHaveLength(10);
  });

  it('is answered by a batch, each with its own range', async () => {
    const requests = [REQUEST, { ...REQUEST, trade_from: START_MS + 4 * MINUTE_MS }];
    const { body } = await app.post('/run/batch', { requests });
    expect(body.results).toMatchObject([MADE, { trades: MADE.trades.slice(1), metrics: { net_profit: 4 } }]);
  });

  it('is answered over a socket', async () => {
    const session = app.analysis.openRunSession({ clientAddress: '192.0.2.1', requestIds: () => 'x' });
    const message = { type: 'run', id: 1, ...REQUEST, trade_to: START_MS + 4 * MINUTE_MS };
    const answer = await session.receive(Buffer.from(JSON.stringify(message)));
    expect(JSON.parse(Buffer.from(answer ?? []).toString())).toMatchObject({
      type: 'result',
      trades: MADE.trades.slice(0, 1),
      metrics: { net_profit: 4, to: START_MS + 3 * MINUTE_MS },
    });
    session.close();
  });
});

describe('a strategy that needs bars besides those of its chart', () => {
  const bar = (seconds: number, open: number, high: number, low: number, close: number) => ({
    ...{ time: START_MS + seconds * 1000, open, high, low, close },
    volume: 1,
  });
  const request = {
    script: `//@version=6
strategy("S", use_bar_magnifier = true, currency = currency.EUR)
if bar_index == 0
    strategy.entry("L", strategy.long)
    strategy.exit("X", "L", limit = 108, stop = 96)`,
    data: [bar(0, 100, 100, 100, 100), bar(60, 100, 110, 95, 101)],
    symbol_info: { ticker: 'ABC', period: '1' },
  };

  it('is told which of them are missing, and tested all the same', async () => {
    const { body } = await app.post('/run', request);
    expect(body).toMatchObject({
      trades: [{ exit_price: 96, profit: -4 }],
      warnings: [
        { code: 'PE402', severity: 'warning', line: 2, remedy: expect.stringContaining('USDEUR:1D') },
        { code: 'PE403', severity: 'warning', line: 2, remedy: expect.stringContaining('ABC:10S') },
      ],
    });
  });

  it('finds them in symbol_bars', async () => {
    const symbol_bars = [
      { timeframe: '30S', data: [bar(60, 100, 110, 100, 103), bar(90, 103, 103, 95, 101)] },
      { symbol: 'EURUSD', timeframe: '1D', data: [bar(-172_800, 2, 2, 2, 2)] },
    ];
    const { body } = await app.post('/run', { ...request, symbol_bars });
    expect(body).toMatchObject({ trades: [{ exit_price: 108, profit: 4 }], metrics: { currency: 'EUR' } });
    expect(body).not.toHaveProperty('warnings');
  });
});

describe('a run that leaves its thread', () => {
  it('brings the report of a strategy with it, and no books', async () => {
    const columns = Object.fromEntries(
      (['time', 'open', 'high', 'low', 'close', 'volume'] as const).map((name) => [
        name,
        Float64Array.from(REQUEST.data, (bar) => bar[name]),
      ]),
    );
    const bars = { count: 10, ...columns } as Parameters<typeof pool.run>[0]['bars'];
    const outcome = await pool.run({ source: REQUEST.script, bars });
    expect(outcome).toMatchObject({ kind: 'result', result: { broker: null }, report: { all: { netProfit: 8 } } });
    const alerts = await pool.run({ source: REQUEST.script, bars, alertsSinceMs: 0 });
    expect(alerts).toMatchObject({ kind: 'result', result: { broker: null }, report: null });
    const asked = { source: REQUEST.script, bars, runId: 'r' };
    expect(await pool.evaluate(asked)).not.toHaveProperty('report');
    expect(await pool.evaluate({ ...asked, wantsReport: true })).toMatchObject({ report: { events: { length: 5 } } });
  });
});
