// The script worker in the real process: over a real socket, through a crash, and with what the operator has switched off.

import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { requestOf } from '../../src/services/analysis/testing/analysis-app.ts';
import type { AnyAnswer } from '../../src/services/scripts/testing/scripts-app.ts';
import { checkAnswer } from '../support/check-answers.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'the-admin-token-of-this-process';
const ADMIN = { 'x-admin-token': ADMIN_TOKEN };

let running: RunningProcess | undefined;
afterEach(() => running?.kill());

interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** With node's own client, because fetch sends no body with a GET. */
function ask(method: string, path: string, { body, headers = {} }: Asked = {}) {
  const bytes = body === undefined ? undefined : JSON.stringify(body);
  const length = bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
  return new Promise<{ status: number; body: AnyAnswer; etag: string | undefined }>((resolve, reject) => {
    const sent = request(`${running?.url}${path}`, { method, headers: { ...headers, ...length } }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', async () => {
        const { statusCode: status = 0, headers: given } = answer;
        const [bare = ''] = path.split('?');
        await checkAnswer({ method, path: bare, status, contentType: given['content-type'] ?? null, text });
        resolve({ status, body: JSON.parse(text || '{}'), etag: given.etag });
      });
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

function storedCalls(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return db.prepare('SELECT sum(calls) AS calls FROM usage').get()?.calls;
  } finally {
    db.close();
  }
}

describe('the process', () => {
  test('makes a key by GET with a body, keeps scripts and usage through kill -9, and logs no key', async () => {
    running = await startProcess({ env: { ADMIN_TOKEN } });
    const { dataDir } = running;
    const made = await ask('GET', '/api/keys?action=create', { headers: ADMIN, body: { tier: 'team' } });
    expect(made).toMatchObject({ status: 200, body: { tier: 'team' } });
    const key = made.body.api_key;
    const headers = { authorization: `Bearer ${key}` };
    const text = { name: 'Cross', content: 'plot(close)' };
    expect((await ask('PUT', '/api/scripts/mine', { headers, body: text })).status).toBe(201);
    const saved = await ask('PUT', `/api/scripts/mine?key=${key}`, { body: { ...text, revision: 1 } });
    expect([saved.status, saved.etag]).toEqual([200, '"2"']);
    expect((await ask('DELETE', '/api/scripts/mine', { headers, body: { revision: 1 } })).status).toBe(409);
    expect((await ask('POST', '/api/run', { headers, body: requestOf() })).body.status).toBe('success');
    expect((await ask('POST', '/api/run', { body: requestOf() })).body.code).toBe('NO_KEY');
    expect((await ask('GET', '/api/usage', { headers })).body.usage.calls_used).toBe(1);
    // Counts gather for a moment before they are stored.
    await expect.poll(() => storedCalls(join(dataDir, 'scripts.db'))).toBe(1);
    await expect.poll(() => running?.output()).toContain('"path":"/api/usage"');
    await running.kill();
    const firstOutput = running.output();

    running = await startProcess({ dataDir, env: { ADMIN_TOKEN } });
    expect((await ask('GET', '/api/keys', { headers })).body.tier).toBe('team');
    expect((await ask('GET', '/api/scripts/mine', { headers })).body.script.revision).toBe(2);
    expect((await ask('GET', '/api/usage', { headers })).body.usage.calls_used).toBe(1);
    expect(await running.stop()).toBe(0);
    for (const output of [firstOutput, running.output()]) {
      expect(output).toContain('"path":"/api/');
      expect(output).not.toContain(key.slice(3));
      expect(output).not.toContain(ADMIN_TOKEN);
    }
  });

  test('counts a run that was answered right before it was asked to stop', async () => {
    running = await startProcess({ env: { ADMIN_TOKEN } });
    const { dataDir } = running;
    const headers = { authorization: `Bearer ${(await ask('POST', '/api/keys', { headers: ADMIN })).body.api_key}` };
    await Promise.all(Array.from({ length: 5 }, () => ask('POST', '/api/run', { headers, body: requestOf() })));
    expect(await running.stop()).toBe(0);
    running = await startProcess({ dataDir, env: { ADMIN_TOKEN } });
    expect((await ask('GET', '/api/usage', { headers })).body.usage.calls_used).toBe(5);
  });

  test('with nothing bound runs scripts for everybody and says what is missing', async () => {
    running = await startProcess({ env: { ADMIN_TOKEN, API_KEYS: 'none', SCRIPT_DATABASE: 'none' } });
    const headers = { authorization: `Bearer pn_${'ab'.repeat(24)}` };
    expect((await ask('POST', '/api/run', { body: requestOf() })).body.status).toBe('success');
    expect((await ask('GET', '/api/keys', { headers })).body).toEqual({ status: 'success', tier: 'hobby' });
    expect((await ask('POST', '/api/keys', { headers: ADMIN })).body.code).toBe('API_KEYS_REQUIRED');
    expect((await ask('GET', '/api/scripts', { headers })).body).toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('without ADMIN_TOKEN makes no key, and with a database and no key store lets nobody in', async () => {
    running = await startProcess({ env: { API_KEYS: 'none' } });
    expect((await ask('POST', '/api/keys', { headers: { 'x-admin-token': '' } })).body.code).toBe('FORBIDDEN');
    const headers = { authorization: `Bearer pn_${'ab'.repeat(24)}` };
    expect(await ask('GET', '/api/scripts', { headers })).toMatchObject({
      status: 503,
      body: { code: 'API_KEYS_REQUIRED' },
    });
  });
});
