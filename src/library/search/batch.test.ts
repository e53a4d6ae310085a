// A batch: every script on every market once, each row by itself, in the order it was asked for.

import { expect, it } from 'vitest';
import { barColumns, FIGURE_NAMES } from '../../pine/light.ts';
import type { BacktestRunner } from '../backtest-runner.ts';
import { Batch, type BatchPlan } from './batch.ts';

const bars = barColumns([{ time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 }]);
const plan = (more: Partial<BatchPlan> = {}): BatchPlan => ({
  scripts: ['a', 'b', 'c'].map((name, index) => ({ name, source: `source ${name}`, inputs: { n: index } })),
  markets: [
    { name: 'x', bars },
    { name: 'y', bars, priceSource: 'binance' },
  ],
  tradeFromMs: 5,
  initialCapital: 7,
  runTimeoutMs: 1000,
  ...more,
});

async function ran(batch: Batch, backtests: BacktestRunner['backtests'], more: object = {}): Promise<Batch> {
  const abort = new AbortController();
  const deps = { runner: { backtests }, threads: 2, monotonicMs: () => 0, wait: async () => {}, signal: abort.signal };
  await batch.run({ ...deps, ...more });
  return batch;
}

it('runs every script on every market, with its own inputs, and keeps the order', async () => {
  const asked: unknown[] = [];
  const batch = await ran(new Batch(plan()), async ({ source, markets, backtests, initialCapital, timeoutMs }) => {
    asked.push([source, markets.length, backtests, initialCapital, timeoutMs]);
    // Those that come first end last.
    await new Promise((resolve) => setImmediate(resolve));
    const [{ market, inputs }] = backtests as [{ market: number; inputs: { n: number } }];
    return { kind: 'backtested', outcomes: [{ figures: FIGURE_NAMES.map(() => inputs.n * 10 + market) }] };
  });
  expect(asked).toHaveLength(6);
  expect(asked).toContainEqual([
    ...['source b', 2, [{ market: 1, inputs: { n: 1 }, tradeFromMs: 5, tradeToMs: undefined }], 7, 1000],
  ]);
  const { results, ...head } = batch.answer();
  expect(head).toEqual({
    markets: [
      { market: 'x', bars: 1 },
      { market: 'y', bars: 1, price_source: 'binance' },
    ],
    backtests: { done: 6, total: 6, failed: 0 },
    stopped: null,
  });
  expect(results.map(({ script, market, figures }) => [script, market, figures?.net_profit])).toEqual([
    ...[
      ['a', 'x', 0],
      ['a', 'y', 1],
      ['b', 'x', 10],
      ['b', 'y', 11],
      ['c', 'x', 20],
      ['c', 'y', 21],
    ],
  ]);
});

it('a script that fails is a row with its fault, and the others stand', async () => {
  const batch = await ran(new Batch(plan()), async ({ source, backtests }) => {
    if (source === 'source b') return { kind: 'timeout', reason: 'it took too long' };
    if (source === 'source c') return { kind: 'backtested', outcomes: [{ fault: 'line 1: not this one' }] };
    return { kind: 'backtested', outcomes: backtests.map(() => ({ figures: FIGURE_NAMES.map(() => 1) })) };
  });
  expect(batch.progress).toEqual({ done: 6, total: 6, failed: 4 });
  expect(batch.answer().results.map(({ figures, fault }) => [figures?.net_profit, fault])).toEqual([
    ...[
      [1, null],
      [1, null],
    ],
    ...[
      [undefined, 'it took too long'],
      [undefined, 'it took too long'],
    ],
    ...[
      [undefined, 'line 1: not this one'],
      [undefined, 'line 1: not this one'],
    ],
  ]);
});

it('ends when no further backtest is allowed, and tells which rows were not run', async () => {
  let begun = 0;
  const mayBegin = async () => {
    begun += 1;
    return begun > 2 ? 'no calls left' : undefined;
  };
  const backtests: BacktestRunner['backtests'] = async () => ({
    ...{ kind: 'backtested', outcomes: [{ figures: FIGURE_NAMES.map(() => 1) }] },
  });
  const batch = await ran(new Batch(plan()), backtests, { mayBegin, threads: 1 });
  const { stopped, results, backtests: progress } = batch.answer();
  expect([stopped, progress]).toEqual(['no calls left', { done: 2, total: 6, failed: 0 }]);
  expect(results.map(({ figures }) => figures !== null)).toEqual([true, true, false, false, false, false]);
  expect(results.every(({ fault }) => fault === null)).toBe(true);
});
