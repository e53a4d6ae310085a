// The real program, killed after every change of a protection and while its target and time stop close: what it acknowledged is
// there, and each part is closed once.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';

const KEY = { WEBHOOK_API_KEYS: 'a-static-key-of-this-test' };
const ENTRY = { apiKey: KEY.WEBHOOK_API_KEYS, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

const ask = async (program: RunningProcess, method: string, path: string, body?: unknown) => {
  const init: RequestInit = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  return (await (await fetch(program.url + path, init)).json()) as any;
};
const list = async (program: RunningProcess, path: string) => (await ask(program, 'GET', path)).result;

it('killed at any moment keeps every change that it acknowledged, and closes each part once', async () => {
  const options = { dataDir: freshDataDir(), env: KEY };
  const path = '/positions/binance:BTCUSDT:LONG/protection';
  let program = await startGatewayProcess(options);
  const again = async (): Promise<void> => {
    await program.kill();
    program = await startGatewayProcess(options);
  };
  expect((await ask(program, 'POST', '/webhook', { ...ENTRY, stopLoss: { percent: 60 } })).success).toBe(true);
  await again();
  expect((await list(program, path))[0].stopLoss.asked).toEqual({ percent: 60 });
  // Near the market: the target may be reached before the time stop closes the rest, or everything.
  const [{ markPrice }] = await list(program, '/positions');
  const change = {
    stopLoss: { percent: 50 },
    targets: [{ price: Math.ceil(markPrice * 1.0005), share: 0.4 }],
    breakEvenAfter: null,
  };
  expect((await ask(program, 'PUT', path, change)).success).toBe(true);
  await again();
  const [guard] = (await list(program, '/protections')) as [{ stopLoss: { asked: object }; targets: object[] }];
  expect([guard.stopLoss.asked, guard.targets.length]).toEqual([{ percent: 50 }, 1]);
  expect((await ask(program, 'PUT', path, { maxHoldSeconds: 3 })).success).toBe(true);
  for (const afterMs of [0, 700]) {
    await sleep(afterMs);
    await again();
  }
  for (let tries = 0; (await list(program, '/positions')).length > 0; tries++) {
    expect(tries).toBeLessThan(600);
    await sleep(100);
  }
  const closes = (await list(program, '/trades?limit=100')).filter(
    ({ keyLabel }: { keyLabel: string }) => keyLabel === 'protection',
  );
  const inWords = closes.map(
    (trade: Record<string, unknown>) => `${trade.source} ${trade.status} ${trade.executedQty}`,
  );
  const whole = ['time-stop Filled 0.01'];
  const parts = ['time-stop Filled 0.006', 'target Filled 0.004'];
  expect([whole, parts]).toContainEqual(inWords);
  expect(await list(program, '/protections')).toEqual([]);
  expect(await program.stop()).toBe(0);
  expect(program.output()).not.toContain('"level":"error"');
});
