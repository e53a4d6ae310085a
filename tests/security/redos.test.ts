// A regular expression of a script that would take for ever: its run ends in time, trading never waits, and the next run works.

import { expect, it } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startProcess } from '../support/process.ts';

const data = Array.from({ length: 3 }, (_, i) => ({
  ...{ time: 1_700_000_000_000 + i * 60_000, open: 1, high: 2, low: 1, close: 1, volume: 1 },
}));
const matching = (text: string, pattern: string): string =>
  `//@version=6\nindicator("x")\nlog.info(str.match(${JSON.stringify(text)}, ${JSON.stringify(pattern)}))\nplot(close)`;

it('a pattern that backtracks without end costs its own run and nothing else', { timeout: 120_000 }, async () => {
  const running = await startProcess({ env: { RUN_TIMEOUT_S: '1', LOG_LEVEL: 'error' } });
  closeAtEnd(() => running.kill());
  const run = async (script: string) => {
    const answer = await fetch(`${running.url}/run`, { method: 'POST', body: JSON.stringify({ script, data }) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  let isDone = false;
  const evil = run(matching(`${'a'.repeat(60)}!`, '^(a+)+$')).finally(() => {
    isDone = true;
  });
  const order = { apiKey: running.apiKey, exchange: 'mexc', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.001 };
  const traded = await fetch(`${running.url}/webhook`, { method: 'POST', body: JSON.stringify(order) });
  expect(await traded.json()).toMatchObject({ tradeResult: { status: 'Filled' } });
  expect(isDone).toBe(false);
  const { status, body } = await evil;
  expect([status, JSON.stringify(body)]).toEqual([408, expect.stringMatching(/time/i)]);
  expect(await run(matching('aaa', '^(a+)+$'))).toMatchObject({ status: 200, body: { status: 'success' } });
});
