// A deployed strategy that lives on ticks for days, beside its backtest: both have the same fills.

import { describe, expect, test } from 'vitest';
import { createJobRunner } from '../../adapters/scripts/run-job.ts';
import { createEngineRunner } from '../deployments/testing/engine-runner.ts';
import { openTestSetup } from '../deployments/testing/open-test-setup.ts';
import { createWalkingMarket } from '../deployments/testing/walking-market.ts';
import type { CallerRunner } from '../request-runner.ts';
import { createLiveComparisons } from './live-comparisons.ts';

const TRADE = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' } as const;
const runJob = createJobRunner('command');
const runner: CallerRunner = {
  async runFor(_caller, { timeoutMs: _, signal: __, ...request }) {
    return runJob({ kind: 'run', ...request }) as Awaited<ReturnType<CallerRunner['runFor']>>;
  },
};

describe('a strategy that lives on ticks for days', () => {
  test('told every fill that its backtest has, and no other', async () => {
    const walking = createWalkingMarket(1100);
    const content = `//@version=6
strategy("Days", margin_long = 0, margin_short = 0)
fast = ta.ema(close, 3)
slow = ta.ema(close, 7)
if ta.crossover(fast, slow)
    strategy.entry("L", strategy.long, 1)
    strategy.exit("LX", "L", stop = close * 0.992, limit = close * 1.009)
if ta.crossunder(fast, slow)
    strategy.entry("S", strategy.short, 1)
`;
    const setup = openTestSetup(0, { market: walking, content, newRunner: createEngineRunner, isUnowned: true });
    const { id } = await setup.deploy({ targets: [TRADE], interval: '15m', mode: 'dry-run' });
    for (let bar = 0; bar < 150; bar += 1) {
      for (let move = 0; move <= 3; move += 1) {
        walking.tick(walking.formingAfter(move));
        await setup.clock.advance(2000);
      }
      await setup.closeBar();
    }
    const comparisons = createLiveComparisons({ store: setup.store, market: walking, runner, timeoutMs: 1000 });
    const outcome = await comparisons.compare(id);
    if (outcome.kind !== 'compared') throw new Error(JSON.stringify(outcome));
    const { fills, totals } = outcome.comparison;
    expect(fills.length).toBeGreaterThan(20);
    expect(Object.keys(totals.verdicts)).toEqual(['dry-run']);
    for (const { expected, told } of fills) expect(told).toMatchObject({ ...expected });
    await setup.close();
  });
});
