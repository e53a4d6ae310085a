// The Analysis API of the real program: large and small runs side by side, and a stop that waits for nothing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProcess, startProcess } from '../support/process.ts';

const bars = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    time: 60 * (i + 1),
    open: 1,
    high: 2,
    low: 1,
    close: 1 + (i % 2),
    volume: 1,
  }));
const bodyOf = (count: number) =>
  JSON.stringify({ script: '//@version=6\nindicator("x")\nplot(ta.sma(close, 2), "mean")', data: bars(count) });

describe('the real program', () => {
  let running: RunningProcess;
  beforeAll(async () => {
    running = await startProcess();
  });
  afterAll(() => running.kill());

  it.each([3, 20_000, 50_000])('runs a script over %i bars', async (count) => {
    const answer = await fetch(`${running.url}/run?mode=auto`, { method: 'POST', body: bodyOf(count) });
    expect(answer.status).toBe(200);
    const { series } = (await answer.json()) as { series: { mean: (number | null)[] } };
    expect(series.mean).toHaveLength(count);
    expect(series.mean.slice(0, 3)).toEqual([null, 1.5, 1.5]);
  });

  it('refuses one bar too many, and a body that is too large, in shape', async () => {
    const many = await fetch(`${running.url}/run`, { method: 'POST', body: bodyOf(50_001) });
    expect([many.status, await many.json()]).toMatchObject([413, { status: 'error', code: 'TOO_MANY_BARS' }]);
    const large = await fetch(`${running.url}/run`, { method: 'POST', body: ' '.repeat(16 * 1024 * 1024 + 1) });
    expect([large.status, await large.json()]).toMatchObject([413, { status: 'error', code: 'PAYLOAD_TOO_LARGE' }]);
  });

  it('ends at once when it is asked to, whatever threads it has', async () => {
    const startedMs = performance.now();
    expect(await running.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });
});
