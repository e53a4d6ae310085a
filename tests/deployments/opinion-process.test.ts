// A second opinion in the whole product, on the simulated market: an alert that does not come is named and sent within
// seconds, and after kill -9 the late one is known and not traded again.

import { expect, it, vi } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { freshDataDir, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
/** An alert at every close, with a name that ends with the time of its bar. */
const SCRIPT = `//@version=6
indicator("x")
alertcondition(close > 0, "Up", '{"exchange":"binance","action":"LONG","symbol":"{{ticker}}","quantity":0.01,"alertId":"up-{{time}}"}')
plot(close)
`;
/** A bar of a minute, and a busy machine. */
const PATIENCE = { timeout: 120_000, interval: 200 };

type Body = Record<string, unknown>;
interface Opinions {
  readonly alert: { readonly path: string };
  readonly counts: Readonly<Record<string, number>>;
  readonly opinions: readonly { alertId: string; state: string; sent: string | null; words: string; barTime: number }[];
}

it('names and sends an alert that is missing, and knows the late one after a kill', async () => {
  const dataDir = freshDataDir();
  const env = { DATA_DIR: dataDir, ADMIN_TOKEN, LOG_LEVEL: 'error' };
  let running = await startProcess({ dataDir, env });
  let headers: Record<string, string> = { 'x-admin-token': ADMIN_TOKEN };
  const call = async <T = Body>(path: string, body?: object): Promise<T> => {
    const response = await fetch(running.url + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers,
    });
    return (await response.json()) as T;
  };
  const { apiKey } = running;
  headers = { authorization: `Bearer ${(await call('/api/keys', {})).api_key}` };
  const { script } = await call<{ script: Body }>('/api/scripts', { name: 'X', content: SCRIPT });
  const target = { type: 'second-opinion', apiKey, sendMissing: true, lateAfterSeconds: 1, sendAfterSeconds: 2 };
  const plan = { scriptId: script.id, symbol: 'BTCUSDT', interval: '1m', targets: [target] };
  const { deployment } = await call<{ deployment: Body }>('/api/deployments', plan);
  expect(JSON.stringify(deployment)).not.toContain(apiKey);
  const look = () => call<Opinions>(`/api/deployments/${deployment.id}/opinions`);
  expect(await look()).toMatchObject({ alert: { path: '/webhook', message: null }, counts: {}, opinions: [] });
  await vi.waitFor(async () => expect((await look()).counts.sent).toBeGreaterThan(0), PATIENCE);
  const missing = (await look()).opinions.at(-1)!;
  expect(missing).toMatchObject({
    alertId: `up-${new Date(missing.barTime).toISOString().replace('.000', '')}`,
    state: 'missing',
    sent: expect.stringMatching(/^sent by us: Filled as /),
  });
  await running.kill();
  running = await startProcess({ dataDir, env });
  const alert = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  expect(await call('/webhook', { ...alert, alertId: missing.alertId })).toMatchObject({ code: 'DUPLICATE_SIGNAL' });
  await vi.waitFor(async () => {
    const found = (await look()).opinions.find(({ alertId }) => alertId === missing.alertId);
    expect(found).toMatchObject({ state: 'late', words: expect.stringContaining('not traded again') });
  }, PATIENCE);
  const trades = await call<{ result: Body[] }>(`/trades?alertId=${missing.alertId}`);
  expect(trades.result).toMatchObject([{ source: 'script', status: 'Filled' }]);
  const cli = commandLineHere(env);
  const shown = await cli.run('deployments', 'opinions', String(deployment.id));
  expect(shown.stdout).toContain(missing.alertId);
  expect(await cli.run('deployments', 'opinions', 'none')).toMatchObject({ code: 1 });
  expect(await running.stop()).toBe(0);
  // Of a stopped one the record is shown all the same.
  const after = await cli.run('deployments', 'opinions', String(deployment.id));
  expect([after.code, after.stdout.includes(missing.alertId)]).toEqual([0, true]);
});
