// An alert that comes by three doors at one instant trades once, however often the process is killed in between.

import { expect, it } from 'vitest';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';

const KILLS = 4;
const ALERTS = 10;

interface Trade {
  readonly alertId: string;
  readonly requestId: string;
  readonly status: string;
}

const bodiesOf = (apiKey: string, alertId: string): readonly (readonly [string, object])[] => {
  const signal = { apiKey, exchange: 'binance', alertId };
  const alert = { action: 'buy', marketPosition: 'long', ticker: 'ETHUSDT.P', contracts: '0.1' };
  return [
    ['/webhook', { ...signal, action: 'LONG', symbol: 'ETHUSDT', quantity: 0.1 }],
    ['/webhook/tradingview', { ...signal, ...alert }],
    ['/email-signal', { text: JSON.stringify({ ...signal, ...alert }) }],
  ];
};

/** Undefined where the process died before it answered. */
async function post(url: string, path: string, body: object): Promise<number | undefined> {
  try {
    return (await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })).status;
  } catch {
    return undefined;
  }
}

const tradesOf = async ({ url }: RunningProcess): Promise<readonly Trade[]> =>
  ((await (await fetch(`${url}/trades?limit=100`)).json()) as { result: readonly Trade[] }).result;

it('kill -9 between two doors neither doubles an alert nor loses it', async () => {
  const apiKey = `whk_${'k'.repeat(43)}`;
  const env = { WEBHOOK_API_KEYS: apiKey, WEBHOOK_RATE_PER_MINUTE: '0', SIGNAL_MAX_AGE_S: '600', LOG_LEVEL: 'error' };
  let running = await startGatewayProcess({ env });
  const { dataDir } = running;
  for (let life = 0; life < KILLS; life++) {
    const alerts = Array.from({ length: ALERTS }, (_, n) => `alert ${life}-${n}`);
    const sendAll = () =>
      alerts.flatMap((alertId) => bodiesOf(apiKey, alertId).map(([path, body]) => post(running.url, path, body)));
    const cutOff = sendAll();
    // As soon as one has its answer, others are at every step of their way.
    await Promise.race(cutOff);
    await running.kill();
    await Promise.all(cutOff);
    running = await startGatewayProcess({ dataDir, env });
    const again = await Promise.all(sendAll());
    expect(again.every((status) => status === 200 || status === 202 || status === 409)).toBe(true);
  }
  await expect.poll(async () => (await tradesOf(running)).every(({ status }) => status === 'Filled')).toBe(true);
  const trades = await tradesOf(running);
  expect(trades).toHaveLength(KILLS * ALERTS);
  expect(new Set(trades.map(({ alertId }) => alertId)).size).toBe(KILLS * ALERTS);
  const positions = (await (await fetch(`${running.url}/positions`)).json()) as { result: { quantity: number }[] };
  expect(positions.result.map(({ quantity }) => quantity)).toEqual([KILLS * ALERTS * 0.1]);
  await running.stop();
});
