// Keys of a running Signalbox: made over HTTP or by the command line, revoked from the command line, refused from the next call on, with every store.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const SCRIPT = '//@version=6\nindicator("x")\nplot(close)';
const DATA = [{ time: 1_700_000_000, open: 1, high: 2, low: 1, close: 1.5 }];

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, REDIS_START_TIMEOUT_MS);
afterAll(() => redis.kill());

describe.each(['json', 'sqlite', 'redis'])('with keys in %s', (store) => {
  let running: RunningProcess;
  let env: Record<string, string>;
  beforeAll(async () => {
    const dataDir = freshDataDir();
    const binding = store === 'redis' ? 'redis' : 'sqlite';
    env = { DATA_DIR: dataDir, STORE_BACKEND: store, API_KEYS: binding, REDIS_URL: redis.url, ADMIN_TOKEN };
    running = await startProcess({ dataDir, env });
  });
  afterAll(() => running.stop());

  const call = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(running.url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const asAdmin = { 'x-admin-token': ADMIN_TOKEN };

  it('an analysis key works, is counted, and ends when the command line revokes it', async () => {
    const { body: made } = await call('/auth/create_key', { tier: 'pro' }, asAdmin);
    const key = made.api_key as string;
    const preview = () => call('/preview/chart', { script: SCRIPT, data: DATA }, { authorization: `ApiKey ${key}` });
    expect((await preview()).status).toBe(200);
    expect((await call('/auth/validate', { api_key: key })).body).toMatchObject({
      key_id: made.key_id,
      active: true,
      tier_info: { calls_used: 1, calls_remaining: 49_999 },
    });
    const revoked = await commandLineHere(env).run('keys', 'revoke', key);
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining(`Revoked analysis key ${made.key_id}`) });
    expect(await preview()).toMatchObject({ status: 401, body: { status: 'error', code: 'UNAUTHORIZED' } });
    expect((await call('/auth/validate', { api_key: key })).status).toBe(401);
  });

  it('an analysis key that the command line makes beside the server works at once, and ends as it was made', async () => {
    const made = await commandLineHere(env).run('keys', 'create', '--analysis', '--tier', 'pro', '--json');
    expect([made.code, made.stderr]).toEqual([0, '']);
    const { api_key: key, key_id } = JSON.parse(made.stdout) as Record<string, string>;
    const preview = () => call('/preview/chart', { script: SCRIPT, data: DATA }, { authorization: `ApiKey ${key}` });
    expect((await preview()).status).toBe(200);
    expect((await call('/auth/validate', { api_key: key })).body).toMatchObject({ key_id, tier: 'pro' });
    const listed = await commandLineHere(env).run('keys', 'list', '--analysis', '--json');
    expect(listed.stdout).toContain(key_id);
    expect((await commandLineHere(env).run('keys', 'revoke', key as string)).code).toBe(0);
    expect((await preview()).status).toBe(401);
  });

  it('a script key works and ends when the command line revokes it', async () => {
    const { body: made } = await call('/api/keys?action=create', { tier: 'team' }, asAdmin);
    const key = made.api_key as string;
    const run = () => call('/api/run', { script: SCRIPT, data: DATA }, { authorization: `Bearer ${key}` });
    expect((await run()).status).toBe(200);
    expect((await commandLineHere(env).run('keys', 'revoke', key)).code).toBe(0);
    expect(await run()).toMatchObject({ status: 401, body: { status: 'error', code: 'INVALID_KEY' } });
  });

  it('is ready, and says which stores it asked', async () => {
    const ready = (await (await fetch(`${running.url}/ready`)).json()) as { checks: Record<string, string> };
    expect(ready.checks).toMatchObject({ 'analysis keys': 'ok', 'script keys': 'ok', scripts: 'ok' });
  });
});

describe('when Redis is lost', () => {
  it('keys open nothing, trading goes on, and /ready tells', async () => {
    const own = await startRedis();
    const env = { STORE_BACKEND: 'redis', API_KEYS: 'redis', REDIS_URL: own.url, ADMIN_TOKEN };
    const running = await startProcess({ env });
    const key = `pn_${'0'.repeat(48)}`;
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(running.url + path, { headers });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect((await ask('/api/scripts')).status).toBe(401);
    await own.kill();
    expect(await ask('/api/scripts')).toMatchObject({ status: 503, body: { status: 'error', code: 'UNAVAILABLE' } });
    expect(await ask('/ready')).toMatchObject({ status: 503, body: { checks: { journal: 'ok' } } });
    const signal = { apiKey: running.apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const traded = await fetch(`${running.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
    expect(traded.status).toBe(200);
    await running.stop();
    expect(running.output()).toContain('Redis is lost');
  });
});
