// Runs and backtests by the name of a market, over real threads: inputs that are series or prices, and the market's own steps.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { type AnalysisApp, openAnalysis } from '../../src/services/analysis/testing/analysis-app.ts';

let pool: ReturnType<typeof openScriptPool>;
let app: AnalysisApp;
beforeAll(() => {
  pool = openScriptPool({ size: 1 });
  app = openAnalysis(pool);
});
afterAll(() => pool.close());

const MARKET = { symbol: 'BINANCE:BTCUSDT.P', timeframe: '1h', bars: 20 };

it('inputs that are series or prices are filled', async () => {
  const script = `//@version=6
indicator("I")
source = input.source(close, "Source")
level = input.price(100, "Level")
plot(source, "source")
plot(level, "level")
plot(high, "high")
plot(close, "close")
plot(request.security(syminfo.tickerid, timeframe.period, source), "requested")`;
  const plain = await app.post('/run', { script, ...MARKET });
  expect(plain.body.series.source).toEqual(plain.body.series.close);
  expect(plain.body.series.level).toEqual(Array(20).fill(100));
  const filled = await app.post('/run', { script, ...MARKET, inputs: { Source: 'high', Level: 7.5 } });
  const { source, requested, high, level } = filled.body.series;
  expect([source, requested]).toEqual([high, high]);
  expect(level).toEqual(Array(20).fill(7.5));
});

it('a backtest goes by the ticks and steps of the market, says so, and has nothing to warn of', async () => {
  const script = `//@version=6
strategy("S", initial_capital = 1000000)
if bar_index == 3
    strategy.entry("L", strategy.long, 1.23456)
    strategy.exit("X", "L", limit = close * 1.00001)
if bar_index == 15
    strategy.close_all()`;
  const { apiKey } = await app.keys.mint('pro');
  const init = { headers: { authorization: `Bearer ${apiKey}` } };
  const { status, body } = await app.post('/backtest/quick', { script, ...MARKET }, init);
  expect(status).toBe(200);
  expect(body.trades.map(({ qty }) => qty)).toEqual([1.234]);
  expect(body.meta).toMatchObject({
    ...{ symbol: 'BINANCE:BTCUSDT.P', timeframe: '60', bars: 20, price_source: 'simulated', warnings: [] },
    market: { source: 'binance', assumed: { mintick: 0.1, mincontract: 0.001, currency: 'USDT', pointvalue: 1 } },
  });
});
