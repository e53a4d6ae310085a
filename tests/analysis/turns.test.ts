// Who waits for whom at the real threads: a search of long backtests and slow runs of one key keep nobody else waiting. Told by
// what has ended when somebody is answered, not by the clock: a busy machine is no fault.

import { describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { barsOf, LIMITS, openAnalysis } from '../../src/services/analysis/testing/analysis-app.ts';
import { closeAtEnd } from '../support/close-at-end.ts';

/** Half a minute of work, unless it is stopped before. */
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
const SLOW_RUNS = 10;

const bearer = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });

/** A search and ten slow backtests of one key are under way or wait, each stopped after so long. */
async function busyApp(size: number, timeout_seconds: number) {
  const pool = openScriptPool({ size, maxWaitMs: 250_000 });
  closeAtEnd(() => pool.close());
  const limits = { ...LIMITS, runTimeoutMs: 60_000 };
  const app = openAnalysis(pool, { limits, monotonicMs: () => performance.now() });
  const [busy, other] = [(await app.keys.mint('pro')).apiKey, (await app.keys.mint('pro')).apiKey];
  const quick = () => app.post('/backtest/quick', { script: QUICK, data }, bearer(other));
  const stranger = () => app.post('/run', { script: QUICK, data }, { peer: '192.0.2.7' });
  const request = { script: SLOW, data, timeout_seconds };
  const begun = await app.post('/optimize', { ...request, vary: { N: { from: 1, to: 50 } } }, bearer(busy));
  expect(begun.status).toBe(202);
  const { id } = begun.body as unknown as { id: string };
  let runsEnded = 0;
  for (let i = 0; i < SLOW_RUNS; i += 1)
    void app.post('/backtest/quick', request, bearer(busy)).then(() => {
      runsEnded += 1;
    });
  /** Of the slow ones, those of the search included. */
  const ended = async (): Promise<number> => {
    const answer = await app.app.request(`/optimize/${id}`, bearer(busy), { peer: '192.0.2.1' });
    const { progress } = (await answer.json()) as { progress: { done: number } };
    return runsEnded + progress.done;
  };
  return { quick, stranger, ended };
}

describe('while a search and ten slow backtests of one key are under way', () => {
  it('another key and a stranger are answered before one of them has ended', async () => {
    const { quick, stranger, ended } = await busyApp(2, 60);
    for (let round = 0; round < 3; round += 1)
      for (const ask of [quick, stranger]) expect((await ask()).status).toBe(200);
    expect(await ended()).toBe(0);
  });

  it('with a single thread they wait for the one that is under way, and for no other', async () => {
    const { quick, stranger, ended } = await busyApp(1, 5);
    const before = await ended();
    const statuses = (await Promise.all([quick(), stranger()])).map(({ status }) => status);
    expect(statuses).toEqual([200, 200]);
    expect((await ended()) - before).toBeLessThanOrEqual(1);
  });
});
