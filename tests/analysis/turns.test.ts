// Who waits for whom at the real threads: a search of long backtests and slow runs of one key keep nobody else waiting.

import { describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { barsOf, openAnalysis } from '../../src/services/analysis/testing/analysis-app.ts';
import { closeAtEnd } from '../support/close-at-end.ts';

/** As long as its time limit, and then stopped: half a minute of work. */
const SLOW = `//@version=6
strategy("Slow")
n = input.int(1, "N", maxval = 100)
if bar_index == 0
    letters = 0
    for i = 0 to 9000000
        letters += str.length(str.tostring(i + n))
    log.info(str.tostring(letters))`;
const QUICK = '//@version=6\nstrategy("Quick")\nif bar_index == 1\n    strategy.entry("E", strategy.long)';
const data = barsOf(5);
/** Of one slow backtest. Whoever waits for one to end waits about as long; whoever does not, a moment. */
const SLOW_S = 6;
const SOON_MS = 3_000;

const bearer = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });

/** A search and ten slow backtests of one key are under way or wait. */
async function busyApp(size: number, slowS = SLOW_S) {
  const pool = openScriptPool({ size, maxWaitMs: 120_000 });
  closeAtEnd(() => pool.close());
  const app = openAnalysis(pool, { monotonicMs: () => performance.now() });
  const [busy, other] = [(await app.keys.mint('pro')).apiKey, (await app.keys.mint('pro')).apiKey];
  const quick = () => app.post('/backtest/quick', { script: QUICK, data }, bearer(other));
  // Every thread has started.
  await Promise.all(Array.from({ length: size }, quick));
  const request = { script: SLOW, data, timeout_seconds: slowS };
  const begun = await app.post('/optimize', { ...request, vary: { N: { from: 1, to: 50 } } }, bearer(busy));
  expect(begun.status).toBe(202);
  for (let i = 0; i < 10; i += 1) void app.post('/backtest/quick', request, bearer(busy)).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stranger = () => app.post('/run', { script: QUICK, data }, { peer: '192.0.2.7' });
  return { quick, stranger };
}

async function timed(ask: () => Promise<{ status: number }>): Promise<number> {
  const startedMs = performance.now();
  expect((await ask()).status).toBe(200);
  return performance.now() - startedMs;
}

describe('while a search and ten slow backtests of one key are under way', () => {
  it('another key and a stranger are answered at once', async () => {
    const { quick, stranger } = await busyApp(2);
    for (let round = 0; round < 3; round += 1) {
      expect(await timed(quick)).toBeLessThan(SOON_MS);
      expect(await timed(stranger)).toBeLessThan(SOON_MS);
    }
  });

  it('with a single thread they wait for the one that is under way, and for no other', async () => {
    const { quick, stranger } = await busyApp(1, 3);
    const both = await Promise.all([timed(quick), timed(stranger)]);
    for (const tookMs of both) expect(tookMs).toBeLessThan(3_000 + SOON_MS);
  });
});
