// The events of the usual start, which is two processes behind one port: also what happens in the script process, and over a kill.

import { expect, it, vi } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freshDataDir, startProcess } from '../support/process.ts';
import { follow, type Json, WEBHOOK_KEY } from './desk.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const SCRIPT = '//@version=6\nindicator("x")\nalert("hello", alert.freq_once_per_bar_close)\nplot(close)';
const until = (holds: () => unknown): Promise<unknown> =>
  vi.waitFor(
    () => {
      if (!holds()) throw new Error('not yet');
    },
    { timeout: 60_000, interval: 50 },
  );

it('tells what deployments come to, and goes on after the process was killed', async () => {
  const dataDir = freshDataDir();
  const env = { DATA_DIR: dataDir, ADMIN_TOKEN, WEBHOOK_API_KEYS: WEBHOOK_KEY };
  const running = await startProcess({ dataDir, env });
  closeAtEnd(() => running.stop());
  const call = async (url: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    (await (await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json()) as Json;
  const client = await follow(`${running.url}/events`);
  const { api_key: key } = await call(running.url, 'POST', '/api/keys?action=create', undefined, {
    'x-admin-token': ADMIN_TOKEN,
  });
  const as = { authorization: `Bearer ${key}` };
  const { script } = await call(running.url, 'POST', '/api/scripts', { name: 'X', content: SCRIPT }, as);
  const plan = { scriptId: script.id, symbol: 'BTCUSDT', interval: '1h', targets: [{ type: 'signals' }] };
  const { deployment } = await call(running.url, 'POST', '/api/deployments', plan, as);
  await call(running.url, 'POST', `/admin/deployments/${deployment.id}/pause`);
  await call(running.url, 'DELETE', `/api/deployments/${deployment.id}`, undefined, as);
  const told = () => client.events().filter(({ kind }) => kind === 'deployment');
  await until(() => told().length === 3);
  expect(told().map(({ state, deploymentId }) => [state, deploymentId])).toEqual([
    ['running', deployment.id],
    ['paused', deployment.id],
    ['removed', deployment.id],
  ]);
  expect(told()[1]?.text).toBe('Deployment X (BTCUSDT 1h) is paused: Paused by the operator.');
  // The sockets of the script process are still its own.
  const stream = await follow(`${running.url}/api/stream?symbol=BTCUSDT&interval=1m`);
  await until(() => stream.frames.length > 0);
  expect(stream.frames[0]?.type).toBe('status');
  stream.ws.terminate();

  await running.kill();
  const again = await startProcess({ dataDir, env });
  closeAtEnd(() => again.stop());
  const body = { apiKey: WEBHOOK_KEY, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const { requestId } = await call(again.url, 'POST', '/webhook', body);
  const next = await follow(`${again.url}/events?after=${client.cursor()}`);
  await until(() => next.events().some((event) => event.requestId === requestId && event.kind === 'position'));
  expect(next.frames[0]).toMatchObject({ type: 'hello', gap: false });
  const seen = [...client.events(), ...next.events()].map(({ cursor }) => cursor);
  const numbers = seen.map((cursor) => Number(cursor.split('-')[1]));
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  expect(next.events().filter(({ kind }) => kind === 'start')).toHaveLength(1);
});
