// Deployments of a key that is revoked beside the running server: paused at once, seen and stopped by the operator, moved to a new key.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedis } from '../../src/adapters/storage/redis/open-redis.ts';
import { openKeyValues } from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { commandLineHere } from '../cli/command-line.ts';
import { freshDataDir, type RunningProcess, startProcess } from '../support/process.ts';
import { REDIS_START_TIMEOUT_MS, type RedisServer, startRedis } from '../support/redis-server.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const SCRIPT = '//@version=6\nindicator("x")\nalert("hello", alert.freq_once_per_bar_close)\nplot(close)';

type Body = Record<string, unknown>;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
}, REDIS_START_TIMEOUT_MS);
afterAll(() => redis.kill());

describe.each(['sqlite', 'redis'])('with keys in %s', (store) => {
  const dataDir = freshDataDir();
  const env = () => ({ DATA_DIR: dataDir, API_KEYS: store, REDIS_URL: redis.url, ADMIN_TOKEN });
  let running: RunningProcess;
  let key = '';
  let id = '';
  let userId = '';
  beforeAll(async () => {
    running = await startProcess({ dataDir, env: env() });
    key = (await call('POST', '/api/keys?action=create', undefined, { 'x-admin-token': ADMIN_TOKEN })).body
      .api_key as string;
  });
  afterAll(() => running.stop());

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(running.url + path, init);
    return { status: response.status, body: (await response.json()) as Body };
  }
  const as = (holder: string) => ({ authorization: `Bearer ${holder}` });
  const cli = async (...words: string[]) => {
    const { code, stdout, stderr } = await commandLineHere(env()).run(...words, '--json');
    return { code, stderr, body: stdout === '' ? {} : (JSON.parse(stdout) as Body) };
  };
  const listed = async (): Promise<Body> =>
    ((await cli('deployments', 'list')).body.result as Body[]).find((one) => one.id === id) ?? {};

  /** As if the last key of the library had ended years ago. */
  const forgetTier = async (of: string): Promise<void> => {
    const options = { nowMs: Date.now, dataDir, url: redis.url };
    const values = store === 'sqlite' ? openKeyValues(options) : (await openRedis(options)).keyValues;
    await values.delete(`tier:${of}`);
    await values.close();
  };

  it('the files that hold secrets are for their owner alone', () => {
    const modeOf = (name: string) => (statSync(join(dataDir, name)).mode & 0o777).toString(8);
    expect(modeOf('scripts.db')).toBe('600');
    expect(modeOf('.')).toBe('700');
  });

  it('a deployment is shown to the operator, who pauses and resumes it', async () => {
    const made = await call('POST', '/api/scripts', { name: 'X', content: SCRIPT }, as(key));
    const scriptId = (made.body.script as Body).id;
    const plan = { scriptId, symbol: 'BTCUSDT', interval: '1m', targets: [{ type: 'signals' }] };
    const deployed = await call('POST', '/api/deployments', plan, as(key));
    expect(deployed.status, JSON.stringify(deployed.body)).toBe(201);
    id = (deployed.body.deployment as Body).id as string;
    expect(await listed()).toMatchObject({ state: 'running', reason: null, targets: ['signals'] });
    userId = (await listed()).userId as string;
    expect(await cli('deployments', 'pause', id)).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject({ state: 'paused', reason: 'Paused by the operator.' });
    expect(await cli('deployments', 'resume', id)).toMatchObject({ code: 0 });
    expect(await listed()).toMatchObject({ state: 'running', reason: null });
    expect(await cli('deployments', 'pause', 'none')).toMatchObject({
      code: 1,
      body: { code: 'DEPLOYMENT_NOT_FOUND' },
    });
  });

  it('is paused when the command line revokes its key, with the reason, and cannot be resumed', async () => {
    expect((await commandLineHere(env()).run('keys', 'revoke', key)).code).toBe(0);
    await expect
      .poll(listed)
      .toMatchObject({ state: 'paused', reason: expect.stringContaining('revoked or has expired') });
    expect(await cli('deployments', 'resume', id)).toMatchObject({ code: 1, body: { code: 'KEY_CONFLICT' } });
  });

  it('belongs to the new key of its library, with the scripts, and runs again', async () => {
    const renewed = await cli('keys', 'renew', '--scripts', '--user', userId, '--tier', 'pro');
    expect(renewed).toMatchObject({ code: 0, body: { user_id: userId, tier: 'pro' } });
    const second = renewed.body.api_key as string;
    const mine = await call('GET', '/api/deployments', undefined, as(second));
    expect(mine.body.deployments).toMatchObject([{ id, state: 'paused' }]);
    expect((await call('GET', '/api/scripts', undefined, as(second))).body.scripts).toHaveLength(1);
    expect(await call('POST', `/api/deployments/${id}/resume`, undefined, as(second))).toMatchObject({ status: 200 });
    const renewal = await call('POST', '/admin/script-keys/renew', { key: second });
    expect(renewal).toMatchObject({ status: 200, body: { success: true, result: { userId, tier: 'pro' } } });
    const third = (renewal.body.result as Body).apiKey as string;
    expect((await call('GET', '/api/deployments', undefined, as(second))).status).toBe(401);
    expect((await call('GET', '/api/deployments', undefined, as(third))).body.deployments).toMatchObject([
      { id, state: 'running', lastError: null },
    ]);
  });

  it('is paused, resumed and removed on the data folder while nothing runs', async () => {
    await running.stop();
    expect(await cli('deployments', 'pause', id)).toMatchObject({
      code: 0,
      body: { takesEffect: 'at the next start' },
    });
    expect(await listed()).toMatchObject({ state: 'paused' });
    expect(await cli('deployments', 'resume', id)).toMatchObject({ code: 0 });
    running = await startProcess({ dataDir, env: env() });
    expect(await listed()).toMatchObject({ state: 'running' });
    expect(await cli('deployments', 'remove', id)).toMatchObject({ code: 0 });
    expect(await listed()).toEqual({});
  });

  it('leaves everything the operator did in the audit, and no key', async () => {
    const audit = (await cli('audit', '--limit', '50')).body.result as Body[];
    const changes = audit.filter(({ setting }) => setting === 'deployment' || setting === 'scriptKey').reverse();
    const ofKey = (before: unknown, after: unknown): string =>
      before === null ? 'made' : after === null ? 'revoked' : 'renewed';
    const did = changes.map(({ before, after }) => ((before ?? after) as Body).change ?? ofKey(before, after));
    expect(did).toEqual(['made', 'paused', 'resumed', 'revoked', 'renewed', 'renewed', 'paused', 'resumed', 'removed']);
    expect(changes[1]).toMatchObject({ actor: expect.stringMatching(/^cli /), after: { id, userId, name: 'X' } });
    expect(changes.at(-1)).toMatchObject({ before: { id, userId }, after: null });
    expect(changes[3]).toMatchObject({ actor: 'cli', before: { userId }, after: null });
    expect(changes[5]).toMatchObject({ actor: expect.stringMatching(/^api /), after: { userId, tier: 'pro' } });
    expect(JSON.stringify(audit)).not.toMatch(/pn_[0-9a-f]/);
  });

  it('a renewal that names nobody, too much or somebody unknown is refused with the remedy', async () => {
    const renew = (body: object) => call('POST', '/admin/script-keys/renew', body);
    for (const body of [
      {},
      { key: 'pn_x', userId },
      { key: 'pn_x', tier: 'pro' },
      { userId: 'x' },
      { userId, tier: 'gold' },
    ])
      expect(await renew(body), JSON.stringify(body)).toMatchObject({ status: 400, body: { code: 'INVALID_PAYLOAD' } });
    for (const body of [{ key: `pn_${'0'.repeat(48)}` }, { userId: '0'.repeat(32) }])
      expect(await renew(body)).toMatchObject({ status: 404, body: { code: 'KEY_NOT_FOUND' } });
    const unknown = await cli('keys', 'renew', '--scripts', '--user', '0'.repeat(32));
    expect(unknown).toMatchObject({ code: 1, body: { code: 'INVALID_KEY' } });
    expect(unknown.body.message).toContain('signalbox deployments show');
  });

  it('a library whose key nobody knows any more gets a new one by its user id', async () => {
    const made = await call('POST', '/api/keys', undefined, { 'x-admin-token': ADMIN_TOKEN });
    const lost = made.body.user_id as string;
    await call('POST', '/api/scripts', { name: 'Y', content: SCRIPT }, as(made.body.api_key as string));
    expect((await cli('keys', 'revoke', made.body.api_key as string)).code).toBe(0);
    await forgetTier(lost);
    const renewed = await cli('keys', 'renew', '--scripts', '--user', lost);
    expect(renewed).toMatchObject({ code: 0, body: { user_id: lost, tier: 'hobby' } });
    const scripts = await call('GET', '/api/scripts', undefined, as(renewed.body.api_key as string));
    expect(scripts.body.scripts).toMatchObject([{ name: 'Y' }]);
    expect((await cli('keys', 'revoke', renewed.body.api_key as string)).code).toBe(0);
    await forgetTier(lost);
    expect(await call('POST', '/admin/script-keys/renew', { userId: lost })).toMatchObject({ status: 200 });
  });
});
