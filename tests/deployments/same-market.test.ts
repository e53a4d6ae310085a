// One strategy on one market, deployed and as a backtest by the name of the market: the same quantities and the same prices,
// on the tick and the step of its exchange.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { marketInfo } from '../../src/composition/market-info.ts';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import type { DeploymentEvent, MarketBar } from '../../src/library/deployments/index.ts';
import { createEngineRunner } from '../../src/library/deployments/testing/engine-runner.ts';
import { MARKET } from '../../src/library/deployments/testing/hand-market.ts';
import { ANN, openTestSetup, type TestSetup } from '../../src/library/deployments/testing/open-test-setup.ts';
import { createWalkingMarket, type WalkingMarket } from '../../src/library/deployments/testing/walking-market.ts';
import { createLiveComparisons } from '../../src/library/live-comparison/live-comparisons.ts';
import { openAnalysis } from '../../src/services/analysis/testing/analysis-app.ts';
import { startProcess } from '../support/process.ts';

/** Sizes that no step divides, stops and limits that are on no tick, and an account in the currency of the market. */
const STRATEGY = `//@version=6
strategy("S", currency = currency.USDT, initial_capital = 7777, default_qty_type = strategy.percent_of_equity, default_qty_value = 13)
if ta.crossover(ta.ema(close, 3), ta.ema(close, 7))
    strategy.entry("L", strategy.long)
    strategy.exit("LX", "L", stop = close * 0.99237, limit = close * 1.00913)
`;
const TRADE = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' } as const;

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';

let pool: ReturnType<typeof openScriptPool>;
let setup: TestSetup;
let market: WalkingMarket;
beforeAll(() => {
  pool = openScriptPool({ size: 1 });
});
afterAll(() => pool.close());

async function live(bars: number): Promise<void> {
  for (let bar = 0; bar < bars; bar += 1) {
    for (let move = 0; move <= 3; move += 1) {
      market.tick(market.formingAfter(move));
      await setup.clock.advance(2000);
    }
    await setup.closeBar();
  }
}

type Order = NonNullable<DeploymentEvent['order']>;
const orders = (): Order[] => setup.events().flatMap(({ order }) => order ?? []);

async function backtest(symbol: string, data: readonly MarketBar[], fromMs: number) {
  const app = openAnalysis(pool);
  const { apiKey } = await app.keys.mint('pro');
  const init = { headers: { authorization: `Bearer ${apiKey}` } };
  const request = { script: STRATEGY, symbol, timeframe: '15', data, trade_from: fromMs };
  const { status, body } = await app.post('/backtest/quick', request, init);
  expect([status, body.meta?.warnings]).toEqual([200, []]);
  return body.trades as readonly { qty: number; entry_price: number; exit_price: number; exit_time: number }[];
}

test.each([
  ['named with its exchange', 'BINANCE:BTCUSDT', 'BINANCE:BTCUSDT', TRADE, 0.001],
  ['named without it', 'BTCUSDT', 'BTCUSDT', TRADE, 0.001],
  ['with the exchange in the target', 'BTCUSDT', 'MEXC:BTCUSDT', { ...TRADE, exchange: 'mexc' }, 0.0001],
  ['whose name goes before the target', 'BINANCE:BTCUSDT', 'BTCUSDT', { ...TRADE, exchange: 'mexc' }, 0.001],
] as const)('a market %s', async (_, symbol, tested, target, step) => {
  onTestFinished(() => setup.close());
  market = createWalkingMarket(1100);
  const trials: unknown[] = [];
  const engine = createEngineRunner();
  const run: typeof engine.run = (request) => {
    trials.push(request.symbol);
    return engine.run(request);
  };
  setup = openTestSetup(0, {
    ...{ market, content: STRATEGY, infoOf: marketInfo, isUnowned: true },
    newRunner: () => ({ run, advance: engine.advance }),
  });
  const { id, createdAtMs, anchorMs } = await setup.deploy({
    symbol,
    targets: [target],
    mode: 'trade',
    interval: '15m',
  });
  expect(trials).toMatchObject([{ mintick: 0.1, mincontract: step, currency: 'USDT' }]);
  await live(120);
  const { timeframeMs, formingMs } = market;
  const bars = await market.bars(MARKET, timeframeMs, anchorMs, formingMs);
  const trades = await backtest(tested, bars, createdAtMs - timeframeMs + 1);
  expect(trades.length).toBeGreaterThan(4);

  const entries = orders().filter(({ action }) => action === 'buy');
  const exits = orders().filter(({ action }) => action === 'sell');
  expect(entries.map(({ contracts, price }) => [contracts, price])).toEqual(
    trades.map(({ qty, entry_price }) => [qty, entry_price]),
  );
  expect(exits.length).toBeGreaterThanOrEqual(trades.length - 1);
  expect(exits.map(({ price }) => price)).toEqual(trades.slice(0, exits.length).map(({ exit_price }) => exit_price));
  const isOn = (value: number, unit: number): boolean => Math.abs(value / unit - Math.round(value / unit)) < 1e-6;
  expect(entries.every(({ contracts }) => isOn(contracts, step))).toBe(true);
  expect(
    entries.every(
      ({ stopLoss, takeProfit }) => isOn(stopLoss ?? Number.NaN, 0.1) && isOn(takeProfit ?? Number.NaN, 0.1),
    ),
  ).toBe(true);

  const comparisons = createLiveComparisons({
    ...{ store: setup.store, market, infoOf: marketInfo, timeoutMs: 10_000 },
    runner: pool,
  });
  const compared = await comparisons.compare(id, ANN);
  if (compared.kind !== 'compared') throw new Error(JSON.stringify(compared));
  const { fills } = compared.comparison;
  expect(fills.length).toBeGreaterThan(8);
  expect(fills.map(({ expected }) => expected?.quantity)).toEqual(orders().map(({ contracts }) => contracts));
});

test('so it is in a running instance, for a deployment and for a kept run', async () => {
  const running = await startProcess({ env: { ADMIN_TOKEN } });
  onTestFinished(async () => void (await running.stop()));
  const headers: Record<string, string> = { 'x-admin-token': ADMIN_TOKEN };
  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(running.url + path, { method, headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  const { body } = await call('POST', '/api/keys?action=create', {});
  headers.authorization = `Bearer ${body.api_key}`;
  const content = `//@version=6
strategy("S", initial_capital = 10000000)
if syminfo.mintick != 0.0001 or syminfo.mincontract != 10 or syminfo.currency != "USDT"
    runtime.error("another market")
if bar_index % 3 == 0
    strategy.entry("L", strategy.long, 123.456)
else
    strategy.close("L")`;
  await call('PUT', '/api/scripts/s', { name: 'S', content });
  const market = { scriptId: 's', symbol: 'BYBIT:SUIUSDT', interval: '1h' };
  const targets = [{ type: 'webhook', url: 'https://example.com/hook' }];
  expect((await call('POST', '/api/deployments', { ...market, targets })).status).toBe(201);
  const kept = await call('POST', '/api/runs', { ...market, from: '2026-01-01', to: '2026-01-02' });
  expect(kept.body).toMatchObject({
    run: { trades: expect.arrayContaining([expect.objectContaining({ quantity: 120 })]) },
  });
});

test.each([
  [0.123456, 0.123],
  // Half of it is less than a step, so that the exchange had only one step of it anyway.
  [0.0019, 0.001],
])(
  'an update that describes the market otherwise trades nothing again, and the exit of %d closes',
  async (sent, now) => {
    onTestFinished(() => setup.close());
    market = createWalkingMarket(1100);
    const since = `(time - ${market.formingMs}) / ${market.timeframeMs}`;
    const content = `//@version=6
strategy("S", margin_long = 0)
if ${since} == 1
    strategy.entry("L", strategy.long, ${sent})
if ${since} == 6
    strategy.close("L")
`;
    let isUpdated = false;
    setup = openTestSetup(0, {
      ...{ market, content, newRunner: createEngineRunner, isUnowned: true },
      infoOf: (symbol, exchange) => (isUpdated ? marketInfo(symbol, exchange) : { ticker: symbol }),
    });
    const { id } = await setup.deploy({ targets: [TRADE], mode: 'trade', interval: '15m' });
    await live(2);
    market.tick(market.formingAfter(0));
    await setup.clock.advance(2000);
    expect(orders().map(({ contracts }) => contracts)).toEqual([sent]);
    isUpdated = true;
    await setup.crash();
    await live(3);
    expect(orders()).toHaveLength(1);
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: now });
    await live(3);
    expect(orders().slice(1)).toMatchObject([{ action: 'sell', contracts: now, after: 0 }]);
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: 0, toldPosition: 0 });
  },
);
