// GET /admin/key-usage: what keys of the analysis and of the script library have used, told to the operator and to nobody else.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningProcess, startProcess } from '../support/process.ts';
import { whenScriptsAreUp } from '../support/script-key.ts';

const ADMIN_TOKEN = 'the-admin-token-of-this-test-01';
const INTERNAL_TOKEN = 'the-internal-token-of-this-test-01';
const BARS = [
  { time: 1_700_000_000_000, open: 1, high: 2, low: 1, close: 2 },
  { time: 1_700_000_060_000, open: 2, high: 3, low: 2, close: 3 },
];
const SCRIPT = '//@version=6\nindicator("x")\nplot(close)';

let signalbox: RunningProcess;
beforeAll(async () => {
  signalbox = await startProcess({ env: { ADMIN_TOKEN, INTERNAL_TOKEN } });
  await whenScriptsAreUp(signalbox);
}, 120_000);
afterAll(() => signalbox.stop());

async function ask(method: string, path: string, { body, key }: { body?: object; key?: string } = {}) {
  const response = await fetch(`${signalbox.url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? { 'x-admin-token': ADMIN_TOKEN } : { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}
async function usage() {
  const { body } = await ask('GET', '/admin/key-usage', { key: INTERNAL_TOKEN });
  return body.result as unknown as { analysis: Record<string, unknown>[]; scripts: Record<string, unknown>[] };
}

test('counts each key against its tier, and tells none of them', async () => {
  expect(await usage()).toEqual({ analysis: [], scripts: [] });
  const { body: hobby } = await ask('POST', '/auth/create_key', { body: { tier: 'hobby' } });
  const { body: free } = await ask('POST', '/auth/create_key', { body: { tier: 'free' } });
  const { body: script } = await ask('POST', '/api/keys?action=create', { body: { tier: 'pro' } });
  const preview = { script: SCRIPT, data: BARS };
  for (let call = 0; call < 2; call++)
    expect((await ask('POST', '/preview/chart', { body: preview, key: hobby.api_key as string })).status).toBe(200);
  expect((await ask('POST', '/api/run', { body: preview, key: script.api_key as string })).status).toBe(200);
  const now = Date.now();
  const { analysis, scripts } = await usage();
  expect(analysis).toHaveLength(2);
  expect(analysis).toContainEqual({
    ...{ keyId: hobby.key_id, tier: 'hobby', callsUsed: 2, callsLimit: 5000, callsLeft: 4998 },
    ...{ createdAt: expect.any(Number), lastUsedAt: expect.any(Number), resetAt: expect.any(Number) },
  });
  expect(analysis).toContainEqual({
    ...{ keyId: free.key_id, tier: 'free', callsUsed: 0, callsLimit: null, callsLeft: null, lastUsedAt: null },
    ...{ createdAt: expect.any(Number), resetAt: expect.any(Number) },
  });
  expect(scripts).toEqual([
    {
      ...{ keyStart: script.api_key?.slice(0, 9), userId: expect.stringMatching(/^[0-9a-f]{32}$/), tier: 'pro' },
      ...{ callsUsed: 1, callsPerMinute: 30, createdAt: script.created_at, expiresAt: expect.any(Number) },
      lastUsedAt: expect.any(Number),
    },
  ]);
  for (const at of [analysis.find(({ keyId }) => keyId === hobby.key_id)?.lastUsedAt, scripts[0]?.lastUsedAt])
    expect(Math.abs(Number(at) - now)).toBeLessThan(60_000);
  const told = JSON.stringify([analysis, scripts]);
  for (const { api_key: key } of [hobby, free, script]) expect(told).not.toContain(key);
});

test('opens to the operator alone, and takes no parameters', async () => {
  const { body: script } = await ask('POST', '/api/keys?action=create', { body: {} });
  expect((await ask('GET', '/admin/key-usage', { key: script.api_key as string })).status).toBe(401);
  expect((await ask('GET', '/admin/key-usage')).status).toBe(401);
  expect((await ask('GET', '/admin/key-usage?tier=pro', { key: INTERNAL_TOKEN })).body.code).toBe('INVALID_QUERY');
});

test('says null where nobody has such keys', async () => {
  const alone = await startProcess({ env: { SERVICES: 'gateway' } });
  try {
    const response = await fetch(`${alone.url}/admin/key-usage`);
    expect(await response.json()).toMatchObject({ result: { analysis: null, scripts: null } });
  } finally {
    await alone.stop();
  }
}, 60_000);
