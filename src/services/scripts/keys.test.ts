// /api/keys: who may make a key, what it looks like, and what is said of one that somebody holds.

import { describe, expect, test, vi } from 'vitest';
import { openMemoryKeyValues } from '../../adapters/storage/memory/key-values.ts';
import { StorageError } from '../../errors/storage-error.ts';
import { userIdOf } from '../../keys/script-keys.ts';
import { TIERS } from '../../keys/tiers.ts';
import { ADMIN_TOKEN, codeOf, openScriptsApp, START_MS, STRANGE_KEY } from './testing/scripts-app.ts';

const ADMIN = { 'x-admin-token': ADMIN_TOKEN };

describe('a key is made', () => {
  test.each([
    ['POST', '/api/keys?action=create'],
    ['POST', '/api/keys'],
    ['GET', '/api/keys?action=create'],
  ])('with %s %s, of tier hobby where none is named', async (method, path) => {
    const { send } = openScriptsApp();
    const made = await send(method, path, { headers: ADMIN });
    expect([made.status, made.body]).toEqual([
      200,
      {
        status: 'success',
        api_key: expect.stringMatching(/^pn_[a-f0-9]{48}$/),
        tier: 'hobby',
        user_id: userIdOf(made.body.api_key),
        created_at: START_MS,
      },
    ]);
    const asked = await send('GET', '/api/keys', { key: made.body.api_key });
    expect(asked.body).toEqual({ status: 'success', tier: 'hobby', created_at: START_MS });
  });

  test.each(TIERS)('of tier %s when the body says so, and by GET when the address does', async (tier) => {
    const { send } = openScriptsApp();
    expect((await send('POST', '/api/keys', { headers: ADMIN, body: { tier } })).body.tier).toBe(tier);
    expect((await send('GET', `/api/keys?action=create&tier=${tier}`, { headers: ADMIN })).body.tier).toBe(tier);
    expect((await send('POST', `/api/keys?tier=${tier}`, { headers: ADMIN, body: { tier } })).body.tier).toBe(tier);
  });

  test('that is another one every time', async () => {
    const { send } = openScriptsApp();
    const made = await Promise.all(Array.from({ length: 20 }, () => send('POST', '/api/keys', { headers: ADMIN })));
    expect(new Set(made.map(({ body }) => body.api_key)).size).toBe(20);
  });

  test('that lives for one year and not a millisecond longer', async () => {
    const { send, newKey, clock } = openScriptsApp();
    const key = await newKey();
    clock.nowMs += 365 * 86_400_000 - 1;
    expect(codeOf(await send('GET', '/api/keys', { key }))).toBe('200 success');
    clock.nowMs += 1;
    expect(codeOf(await send('GET', '/api/keys', { key }))).toBe('401 INVALID_KEY');
  });
});

describe('no key is made', () => {
  test.each([
    ['without the token', {}],
    ['with an empty token', { 'x-admin-token': '' }],
    ['with a wrong token', { 'x-admin-token': `${ADMIN_TOKEN}x` }],
    ['with the token as Bearer, which only the analysis API takes', { authorization: `Bearer ${ADMIN_TOKEN}` }],
    ['with the token as AdminToken', { authorization: `AdminToken ${ADMIN_TOKEN}` }],
  ])('%s', async (_name, headers) => {
    const { send } = openScriptsApp();
    for (const [method, path] of [
      ['POST', '/api/keys'],
      ['GET', '/api/keys?action=create'],
    ] as const)
      expect(codeOf(await send(method, path, { headers }))).toBe('403 FORBIDDEN');
  });

  test.each([undefined, ''])(
    'while ADMIN_TOKEN is %j, whatever is sent, with a store or without',
    async (adminToken) => {
      for (const keyStore of [undefined, 'none' as const]) {
        const { send } = openScriptsApp({ adminToken, ...(keyStore === undefined ? {} : { keyStore }) });
        for (const token of ['', ADMIN_TOKEN, 'undefined'])
          expect(codeOf(await send('POST', '/api/keys', { headers: { 'x-admin-token': token } }))).toBe(
            '403 FORBIDDEN',
          );
      }
    },
  );

  test('where no store is bound, which is said only to the operator', async () => {
    const { send } = openScriptsApp({ keyStore: 'none', allowOpenKeys: true });
    expect(codeOf(await send('POST', '/api/keys', { headers: ADMIN }))).toBe('503 API_KEYS_REQUIRED');
    expect(codeOf(await send('POST', '/api/keys'))).toBe('403 FORBIDDEN');
  });

  test.each([
    ['{"tier":"gold"}', '400 INVALID_TIER'],
    ['{"tier":"Hobby"}', '400 INVALID_TIER'],
    ['{"tier":""}', '400 INVALID_TIER'],
    ['{"tier":"__proto__"}', '400 INVALID_TIER'],
    ['{"tier":5}', '400 INVALID_FIELD'],
    ['{"tier":null}', '400 INVALID_FIELD'],
    ['{"tier":"pro","colour":"red"}', '400 UNKNOWN_FIELDS'],
    ['[]', '400 INVALID_BODY'],
    ['{', '400 INVALID_BODY'],
    ['{"tier":"pro","tier":"free"}', '400 INVALID_BODY'],
    [' ', '400 INVALID_BODY'],
    [' '.repeat(1024 * 1024 + 1), '413 PAYLOAD_TOO_LARGE'],
  ])('of the body %.40s', async (body, code) => {
    const { send } = openScriptsApp();
    expect(codeOf(await send('POST', '/api/keys', { headers: ADMIN, body }))).toBe(code);
    // Strangers are told nothing of their body.
    expect(codeOf(await send('POST', '/api/keys', { body }))).toBe('403 FORBIDDEN');
  });

  test('of a tier in the address that is none, or another one than in the body', async () => {
    const { send } = openScriptsApp();
    const get = await send('GET', '/api/keys?action=create&tier=gold', { headers: ADMIN });
    expect(codeOf(get)).toBe('400 INVALID_TIER');
    const both = await send('POST', '/api/keys?tier=pro', { headers: ADMIN, body: { tier: 'free' } });
    expect(codeOf(both)).toBe('400 INVALID_FIELD');
  });

  test('by a HEAD, whose answer nobody could read', async () => {
    const put = vi.fn();
    const keyStore = { ...openMemoryKeyValues({ nowMs: () => 0 }), put };
    const head = await openScriptsApp({ keyStore }).send('HEAD', '/api/keys?action=create', { headers: ADMIN });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, POST']);
    expect(put).not.toHaveBeenCalled();
  });

  test('by a store that fails: nothing of its words gets out', async () => {
    const fail = () => Promise.reject(new StorageError('the disk that holds /home/owner/keys.db is full'));
    const keyStore = { get: fail, put: fail, delete: fail, names: fail, probe: fail, close: fail };
    const { send, faults } = openScriptsApp({ keyStore });
    const sent = await send('POST', '/api/keys', { headers: ADMIN });
    expect([codeOf(sent), sent.headers.get('retry-after')]).toEqual(['503 UNAVAILABLE', '1']);
    expect(sent.text).not.toContain('keys.db');
    expect(String(faults)).toContain('keys.db');
    // A key that cannot be looked up does not open the door, and is not called wrong either.
    expect(codeOf(await send('GET', '/api/keys', { key: STRANGE_KEY }))).toBe('503 UNAVAILABLE');
    expect(codeOf(await send('GET', '/api/scripts', { key: STRANGE_KEY }))).toBe('503 UNAVAILABLE');
    expect(codeOf(await send('POST', '/api/run', { key: STRANGE_KEY }))).toBe('503 UNAVAILABLE');
  });
});

describe('a key is asked about', () => {
  test.each([
    ['GET', '/api/keys'],
    ['GET', '/api/keys?action=validate'],
    ['POST', '/api/keys?action=validate'],
  ])('with %s %s, as Bearer or in the address', async (method, path) => {
    const { send, newKey } = openScriptsApp();
    const key = await newKey('team');
    const known = { status: 'success', tier: 'team', created_at: START_MS };
    expect((await send(method, path, { key })).body).toEqual(known);
    expect((await send(method, `${path}${path.includes('?') ? '&' : '?'}key=${key}`)).body).toEqual(known);
    expect((await send(method, path, { headers: { authorization: `bearer  ${key} ` } })).body).toEqual(known);
    expect(codeOf(await send(method, path))).toBe('401 NO_KEY');
    expect(codeOf(await send(method, path, { key: '' }))).toBe('401 NO_KEY');
    expect(codeOf(await send(method, path, { key: STRANGE_KEY }))).toBe('401 INVALID_KEY');
  });

  test('and the header counts before the address, even an empty one', async () => {
    const { send, newKey } = openScriptsApp();
    const key = await newKey();
    expect(codeOf(await send('GET', `/api/keys?key=${key}`, { key: STRANGE_KEY }))).toBe('401 INVALID_KEY');
    expect(codeOf(await send('GET', `/api/keys?key=${key}`, { key: '' }))).toBe('401 NO_KEY');
    expect(codeOf(await send('GET', `/api/keys?key=${STRANGE_KEY}`, { key }))).toBe('200 success');
    // Another scheme is no key of ours.
    const basic = { authorization: 'Basic dXNlcjpwYXNz' };
    expect(codeOf(await send('GET', `/api/keys?key=${key}`, { headers: basic }))).toBe('200 success');
    expect(codeOf(await send('GET', '/api/keys', { headers: basic }))).toBe('401 NO_KEY');
  });

  test('and a 401 says how to present one', async () => {
    const { send } = openScriptsApp();
    expect((await send('GET', '/api/keys')).headers.get('www-authenticate')).toBe('Bearer');
    expect((await send('GET', '/api/scripts')).headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['', 'delete', 'CREATE', 'create,validate'])('action=%s is refused', async (action) => {
    const { send } = openScriptsApp();
    for (const method of ['GET', 'POST'])
      expect(codeOf(await send(method, `/api/keys?action=${action}`, { headers: ADMIN }))).toBe('400 INVALID_ACTION');
  });

  test('and two actions at once are refused', async () => {
    const { send } = openScriptsApp();
    const sent = await send('GET', '/api/keys?action=validate&action=create', { headers: ADMIN });
    expect(codeOf(sent)).toBe('400 INVALID_ACTION');
  });

  test('in the address, and the log does not hold it', async () => {
    const { send, newKey, text } = openScriptsApp({ allowOpenKeys: true });
    const key = await newKey();
    await send('GET', `/api/keys?key=${key}`);
    await send('GET', `/api/scripts?key=${key}`);
    await send('GET', '/api/scripts?key=an-open-key-of-somebody');
    await send('POST', '/api/keys', { headers: ADMIN });
    expect(text()).toContain('"path":"/api/scripts"');
    expect(text()).not.toContain(key.slice(3));
    expect(text()).not.toContain('an-open-key-of-somebody');
    expect(text()).not.toContain(ADMIN_TOKEN);
  });
});
