// The admin routes: strict bodies, answers in shape, and an audit of who changed what from what to what.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { expectEnvelope, expectRefusal } from '../webhook/answers.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openGateway();
});
afterAll(() => gateway.close());

const put = (path: string, body: unknown, actor?: string): Promise<Sent> =>
  gateway.request('PUT', path, body, { headers: actor === undefined ? {} : { 'x-signalbox-actor': actor } });
const newestChange = async () => (await gateway.request('GET', '/admin/audit?limit=1')).body.result[0];

describe('controls', () => {
  it.each([
    [
      '/admin/kill-switch',
      { active: true, scope: 'entries', cancelEntries: false, flatten: true, reason: 'test' },
      { active: false, scope: 'all', cancelEntries: true, flatten: false, reason: null },
    ],
    ['/admin/queue-mode', { mode: 'direct' }, { mode: 'failover' }],
    ['/admin/allowlist', { entries: ['tradingview', '10.0.0.0/8'] }, { entries: [] }],
    [
      '/admin/limits',
      { webhookRatePerMinute: 7, failedAuthPerMinute: 8 },
      { webhookRatePerMinute: 0, failedAuthPerMinute: 30 },
    ],
  ])('%s is read and set', async (path, wanted, initial) => {
    expect((await gateway.request('GET', path)).body.result).toEqual(initial);
    const changed = await put(path, wanted);
    expect(changed.status).toBe(200);
    expectEnvelope(changed);
    const source = path === '/admin/limits' ? expect.objectContaining({ failedAuthPerMinute: 'stored' }) : 'stored';
    const consequence =
      path === '/admin/kill-switch' ? { canceled: [], closed: [], others: [], since: expect.any(Number) } : {};
    expect(changed.body).toEqual({
      ...consequence,
      success: true,
      requestId: expect.any(String),
      result: wanted,
      source,
    });
    expect((await gateway.request('GET', path)).body.result).toEqual(wanted);
    const { reason: _, ...back } = initial as { reason?: null };
    await put(path, back);
  });

  it('kill-switch takes scope all unless told otherwise', async () => {
    expect((await put('/admin/kill-switch', { active: false })).body.result.scope).toBe('all');
  });

  it('says of each value whether it is a default, stored, or from the environment, and changes only the first two', async () => {
    const ruled = await openGateway({
      controls: { queueMode: 'async', limits: { webhookRatePerMinute: 5, failedAuthPerMinute: 30 } },
      ruledBy: { queueMode: 'environment', webhookRatePerMinute: '.env' },
    });
    const ask = (method: string, path: string, body?: unknown) => ruled.request(method, `/admin/${path}`, body);
    expect((await ask('GET', 'queue-mode')).body).toMatchObject({ result: { mode: 'async' }, source: 'environment' });
    expect((await ask('GET', 'allowlist')).body).toMatchObject({ result: { entries: [] }, source: 'default' });
    const refused = await ask('PUT', 'queue-mode', { mode: 'direct' });
    expectRefusal(refused, 'SETTING_FROM_ENVIRONMENT');
    expect(refused.body.error).toContain('QUEUE_MODE');
    expectRefusal(await ask('PUT', 'limits', { webhookRatePerMinute: 9 }), 'SETTING_FROM_ENVIRONMENT');
    expect((await ask('PUT', 'limits', { failedAuthPerMinute: 9 })).body).toMatchObject({
      result: { webhookRatePerMinute: 5, failedAuthPerMinute: 9 },
      source: { webhookRatePerMinute: '.env', failedAuthPerMinute: 'stored' },
    });
    expect((await ask('PUT', 'allowlist', { entries: ['10.0.0.1'] })).body.source).toBe('stored');
    expect((await ask('GET', 'queue-mode')).body.result).toEqual({ mode: 'async' });
    expect((await ask('GET', 'audit')).body.result).toHaveLength(2);
    await ruled.close();
  });

  it('limits changes only what is named', async () => {
    await put('/admin/limits', { failedAuthPerMinute: 31 });
    expect((await put('/admin/limits', { webhookRatePerMinute: 9 })).body.result).toEqual({
      webhookRatePerMinute: 9,
      failedAuthPerMinute: 31,
    });
    await put('/admin/limits', { webhookRatePerMinute: 0, failedAuthPerMinute: 30 });
  });

  it.each([
    ['/admin/kill-switch', {}],
    ['/admin/kill-switch', { active: 'true' }],
    ['/admin/kill-switch', { active: true, scope: 'none' }],
    ['/admin/kill-switch', { active: true, until: 5 }],
    ['/admin/kill-switch', { active: true, reason: 'x'.repeat(201) }],
    ['/admin/queue-mode', { mode: 'ASYNC' }],
    ['/admin/queue-mode', {}],
    ['/admin/allowlist', { entries: 'tradingview' }],
    ['/admin/allowlist', { entries: ['1.2.3.4/99'] }],
    ['/admin/allowlist', { entries: Array(257).fill('1.2.3.4') }],
    ['/admin/limits', { webhookRatePerMinute: -1 }],
    ['/admin/limits', { webhookRatePerMinute: 1.5 }],
    ['/admin/limits', { webhookRatePerMinute: 1_000_001 }],
    ['/admin/limits', { burst: 1 }],
    ['/admin/limits', null],
    ['/admin/limits', []],
  ])('%s refuses %j and changes nothing', async (path, body) => {
    const before = (await gateway.request('GET', path)).body.result;
    const sent = await put(path, body);
    expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expectEnvelope(sent);
    expect((await gateway.request('GET', path)).body.result).toEqual(before);
  });

  it('refuse what is no JSON', async () => {
    expectRefusal(await put('/admin/queue-mode', 'async'), 'INVALID_JSON');
  });

  it('refuse more than a mebibyte', async () => {
    expectRefusal(await put('/admin/queue-mode', ' '.repeat(1024 * 1024 + 1)), 'PAYLOAD_TOO_LARGE');
  });
});

describe('a data folder that fails under a running gateway', () => {
  it.each([
    ['PUT', '/admin/kill-switch', { active: true }],
    ['PUT', '/admin/queue-mode', { mode: 'async' }],
    ['POST', '/admin/webhook-keys', { label: 'one more' }],
  ])('%s %s says what is wrong with it and how to go on', async (method, path, body) => {
    const broken = await openGateway();
    rmSync(join(broken.dataDir, 'settings.db'));
    const sent = await broken.request(method, path, body);
    expectRefusal(sent, 'STORAGE_FAILED');
    expect(sent.body.error).toContain('settings.db was moved, replaced or deleted');
    expect(sent.body.error).not.toContain(broken.dataDir);
    expect(broken.controls.current().killSwitch.active).toBe(false);
    expect(broken.troubles).toEqual([expect.stringContaining('settings.db')]);
    await broken.close();
  });
});

describe('the audit', () => {
  it('says who, before and after, for every control', async () => {
    await put('/admin/queue-mode', { mode: 'async' }, 'cli');
    expect(await newestChange()).toEqual({
      id: expect.any(Number),
      at: expect.any(Number),
      actor: 'cli 127.0.0.1',
      setting: 'queueMode',
      before: 'failover',
      after: 'async',
    });
    await put('/admin/allowlist', { entries: ['10.0.0.1'] });
    expect(await newestChange()).toMatchObject({
      actor: 'api 127.0.0.1',
      setting: 'allowlist',
      before: [],
      after: ['10.0.0.1'],
    });
    await put('/admin/kill-switch', { active: true, reason: 'x' });
    expect(await newestChange()).toMatchObject({
      setting: 'killSwitch',
      before: { active: false, scope: 'all' },
      after: { active: true, scope: 'all', reason: 'x' },
    });
    await put('/admin/limits', { webhookRatePerMinute: 5 });
    expect(await newestChange()).toMatchObject({
      setting: 'limits',
      before: { webhookRatePerMinute: 0 },
      after: { webhookRatePerMinute: 5 },
    });
  });

  it('does not believe an actor that is more than a short name', async () => {
    for (const actor of ['Mallory 10.0.0.1', 'x'.repeat(33), 'ROOT']) {
      await put('/admin/queue-mode', { mode: 'async' }, actor);
      expect((await newestChange()).actor).toBe('api 127.0.0.1');
    }
  });

  it('has the life of a key, without its secret', async () => {
    const made = await gateway.request('POST', '/admin/webhook-keys', { label: 'audited', symbols: ['BTC/USDT'] });
    const { keyId, apiKey } = made.body.result;
    expect(await newestChange()).toMatchObject({
      setting: 'webhookKey',
      before: null,
      after: { keyId, symbols: ['BTCUSDT'] },
    });
    const rotated = await gateway.request('POST', `/admin/webhook-keys/${keyId}/rotate`);
    expect(await newestChange()).toMatchObject({
      before: { rotatedAt: null },
      after: { rotatedAt: expect.any(Number) },
    });
    await gateway.request('DELETE', `/admin/webhook-keys/${keyId}`);
    expect(await newestChange()).toMatchObject({
      before: { revokedAt: null },
      after: { revokedAt: expect.any(Number) },
    });
    const all = JSON.stringify((await gateway.request('GET', '/admin/audit?limit=500')).body);
    for (const secret of [apiKey, rotated.body.result.apiKey]) expect(all).not.toContain(secret);
  });

  it('has no entry for a refused change', async () => {
    const before = await newestChange();
    await put('/admin/queue-mode', { mode: 'x' });
    await gateway.request('DELETE', '/admin/webhook-keys/none');
    expect(await newestChange()).toEqual(before);
  });

  it.each(['?limit=0', '?limit=501', '?limit=x', '?page=2'])('refuses %s', async (query) => {
    expectRefusal(await gateway.request('GET', `/admin/audit${query}`), 'INVALID_QUERY');
  });
});

describe('webhook keys', () => {
  const create = (body: unknown): Promise<Sent> => gateway.request('POST', '/admin/webhook-keys', body);
  const identify = (body: unknown): Promise<Sent> => gateway.request('POST', '/admin/webhook-keys/identify', body);

  it('are named by their secret: an active one, an old one in its grace, and none that is revoked or unknown', async () => {
    const { apiKey, keyId } = (await create({ label: 'whose', exchanges: ['bybit'] })).body.result;
    const found = await identify({ apiKey });
    expectEnvelope(found);
    expect(found.body.result).toMatchObject({ keyId, label: 'whose', exchanges: ['bybit'], revokedAt: null });
    expect(found.body.result).not.toHaveProperty('apiKey');
    await gateway.request('POST', `/admin/webhook-keys/${keyId}/rotate`, { graceSeconds: 60 });
    expect((await identify({ apiKey })).body.result.keyId).toBe(keyId);
    await gateway.request('DELETE', `/admin/webhook-keys/${keyId}`);
    expectRefusal(await identify({ apiKey }), 'KEY_NOT_FOUND');
    expectRefusal(await identify({ apiKey: 'whk_x' }), 'KEY_NOT_FOUND');
    for (const body of [{}, { apiKey: '' }, { apiKey, more: 1 }])
      expectRefusal(await identify(body), 'INVALID_PAYLOAD', 'faults');
  });

  it('are made with 201, the raw key shown this once', async () => {
    const sent = await create({ label: 'made', exchanges: ['bybit'], symbols: ['BTC/USDT', 'btcusdt'] });
    expect(sent.status).toBe(201);
    expectEnvelope(sent);
    const { apiKey, ...key } = sent.body.result;
    expect(apiKey).toMatch(/^whk_[A-Za-z0-9_-]{43}$/);
    expect(key).toEqual({
      keyId: expect.stringMatching(/^[0-9a-f]{12}$/),
      label: 'made',
      exchanges: ['bybit'],
      symbols: ['BTCUSDT'],
      routes: null,
      createdAt: expect.any(Number),
      rotatedAt: null,
      previousValidUntil: null,
      revokedAt: null,
      static: false,
    });
    const listed = await gateway.request('GET', '/admin/webhook-keys');
    expect(listed.body.result).toContainEqual(key);
    expect(JSON.stringify(listed.body)).not.toMatch(/whk_|digest/i);
  });

  it.each([
    [{}, 'INVALID_PAYLOAD'],
    [{ label: '' }, 'INVALID_PAYLOAD'],
    [{ label: 'x'.repeat(65) }, 'INVALID_PAYLOAD'],
    [{ label: 'a', exchanges: [] }, 'INVALID_PAYLOAD'],
    [{ label: 'a', exchanges: ['kraken'] }, 'INVALID_PAYLOAD'],
    [{ label: 'a', admin: true }, 'INVALID_PAYLOAD'],
    [{ label: 'a\nb' }, 'INVALID_KEY_REQUEST'],
    [{ label: 'static-1' }, 'INVALID_KEY_REQUEST'],
    [{ label: 'a', symbols: ['B$'] }, 'INVALID_KEY_REQUEST'],
    [{ label: 'test-0' }, 'KEY_CONFLICT'],
  ])('%j is refused with %s', async (body, code) => {
    const sent = await create(body);
    expect(sent.body.code).toBe(code);
    expectEnvelope(sent);
  });

  it('of one label that are asked for at the same moment are one, with the scope that it was asked for with', async () => {
    const asked = [['binance'], ['bybit'], ['mexc']];
    const all = await Promise.all(asked.map((exchanges) => create({ label: 'wanted thrice', exchanges })));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const made = all.findIndex(({ status }) => status === 201);
    const { keyId, exchanges } = (await gateway.request('GET', '/admin/webhook-keys')).body.result.find(
      ({ label }: { label: string }) => label === 'wanted thrice',
    );
    expect([keyId, exchanges]).toEqual([all[made]?.body.result.keyId, asked[made]]);
  });

  it('that do not exist are 404, and a revoked one cannot be rotated', async () => {
    expectRefusal(await gateway.request('DELETE', '/admin/webhook-keys/nobody'), 'KEY_NOT_FOUND');
    expectRefusal(await gateway.request('POST', '/admin/webhook-keys/nobody/rotate'), 'KEY_NOT_FOUND');
    const { keyId } = (await create({ label: 'short-lived' })).body.result;
    await gateway.request('DELETE', `/admin/webhook-keys/${keyId}`);
    expectRefusal(await gateway.request('POST', `/admin/webhook-keys/${keyId}/rotate`), 'KEY_CONFLICT');
  });

  it.each([-1, 1.5, 604_801, '60'])('cannot be rotated with a grace of %j', async (graceSeconds) => {
    const { keyId } = (await create({ label: `grace ${graceSeconds}` })).body.result;
    const sent = await gateway.request('POST', `/admin/webhook-keys/${keyId}/rotate`, { graceSeconds });
    expectRefusal(sent, 'INVALID_PAYLOAD', 'faults');
  });
});
