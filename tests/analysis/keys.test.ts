// Keys of the Analysis API through the front door, over real stores: made, asked about, checked, and never shown again.

import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import { TIERS } from '../../src/keys/tiers.ts';
import { ADMIN_TOKEN, barsOf } from '../../src/services/analysis/testing/analysis-app.ts';
import { bearer, openKeyApp, START_S, type StoreName } from './key-app.ts';

const ADMIN = { headers: { 'x-admin-token': ADMIN_TOKEN } };
const RESET_S = Date.UTC(2026, 11, 1) / 1000;
const idOf = (key: string) => hash('sha256', key, 'hex').slice(0, 12);
const LIMITS = { free: 0, hobby: 5000, pro: 50_000, team: 200_000, enterprise: 'unlimited' } as const;

describe.each<StoreName>(['json', 'sqlite'])('over the %s store', (name) => {
  describe('POST /auth/create_key', () => {
    it.each([
      ['X-Admin-Token', { 'x-admin-token': ADMIN_TOKEN }],
      ['Authorization: Bearer', { authorization: `Bearer ${ADMIN_TOKEN}` }],
      ['Authorization: AdminToken', { authorization: `AdminToken ${ADMIN_TOKEN}` }],
    ])('makes a key for the admin token in %s', async (_, headers) => {
      const app = await openKeyApp(name);
      const { status, body } = await app.post('/auth/create_key', {}, { headers: headers as Record<string, string> });
      expect(status).toBe(200);
      expect(body).toEqual({
        status: 'success',
        api_key: expect.stringMatching(/^pyn_[A-Za-z0-9_-]{43}$/),
        key_id: idOf(body.api_key),
        tier: 'hobby',
        message: expect.stringMatching(/this once/),
      });
      expect(body).toHaveProperty('key_id', expect.stringMatching(/^[0-9a-f]{12}$/));
    });

    it.each<[string, string]>([
      ['', 'hobby'],
      ['{}', 'hobby'],
      ...TIERS.map((tier): [string, string] => [JSON.stringify({ tier }), tier]),
    ])('takes the body %j', async (text, tier) => {
      const app = await openKeyApp(name);
      const { status, body } = await app.post('/auth/create_key', text, ADMIN);
      expect([status, body]).toMatchObject([200, { tier }]);
      const known = await app.post('/auth/validate', { api_key: body.api_key });
      expect(known.body).toMatchObject({ tier, tier_info: { calls_limit: LIMITS[tier as keyof typeof LIMITS] } });
    });

    it('shows the key this once: the store has its hash, the log has neither', async () => {
      const app = await openKeyApp(name);
      const { body } = await app.post('/auth/create_key', {}, ADMIN);
      await app.get(`/auth/usage?api_key=${body.api_key}`);
      await app.get('/auth/usage', { authorization: `ApiKey ${body.api_key}` });
      await app.post('/auth/validate', { api_key: body.api_key });
      expect(app.stored()).toContain(hash('sha256', body.api_key, 'hex'));
      expect(app.stored()).not.toContain(body.api_key.slice(4));
      expect(app.lines()).toHaveLength(4);
      expect(app.text()).not.toContain(body.api_key.slice(4));
      expect(app.text()).not.toContain(ADMIN_TOKEN);
    });

    it.each([
      ['{"tier":"gold"}', 'INVALID_TIER'],
      ['{"tier":""}', 'INVALID_TIER'],
      ['{"tier":"Hobby"}', 'INVALID_TIER'],
      ['{"tier":"__proto__"}', 'INVALID_TIER'],
      ['{"tier":7}', 'INVALID_FIELD'],
      ['{"tier":null}', 'INVALID_FIELD'],
      ['{"tier":"pro","calls_limit":1}', 'UNKNOWN_FIELDS'],
      ['[]', 'INVALID_BODY'],
      ['null', 'INVALID_BODY'],
      ['{', 'INVALID_BODY'],
    ])('refuses %s with 400 %s and makes nothing', async (text, code) => {
      const app = await openKeyApp(name);
      const { status, body } = await app.post('/auth/create_key', text, ADMIN);
      expect([status, body]).toEqual([400, { status: 'error', code, message: expect.stringMatching(/\w/) }]);
      expect(await app.keys.list(10)).toEqual([]);
    });

    it.each<[string, Record<string, string>]>([
      ['no token', {}],
      ['an empty token', { 'x-admin-token': '' }],
      ['a wrong token', { 'x-admin-token': `${ADMIN_TOKEN}x` }],
      ['a wrong bearer', { authorization: 'Bearer nobody' }],
      ['another scheme', { authorization: `Basic ${ADMIN_TOKEN}` }],
    ])('refuses %s with 403 before it looks at the body', async (_, headers) => {
      const app = await openKeyApp(name);
      const { status, body } = await app.post('/auth/create_key', '{"tier":', { headers });
      expect([status, body]).toEqual([403, { status: 'error', code: 'FORBIDDEN', message: expect.any(String) }]);
      expect(await app.keys.list(10)).toEqual([]);
    });

    it.each([undefined, ''])('is turned off while ADMIN_TOKEN is %j', async (adminToken) => {
      const app = await openKeyApp(name, { deps: { adminToken } });
      for (const headers of [{}, { 'x-admin-token': '' }, { authorization: 'Bearer ' }] as Record<string, string>[]) {
        const { status, body } = await app.post('/auth/create_key', {}, { headers });
        expect([status, body]).toMatchObject([
          403,
          { code: 'FORBIDDEN', message: expect.stringMatching(/turned off/) },
        ]);
      }
    });

    it('has no route to revoke a key; the store can, and then the key is unknown at once', async () => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('pro');
      expect((await app.post('/auth/revoke', { api_key: key }, ADMIN)).status).toBe(404);
      expect((await app.post('/auth/create_key', {}, { ...ADMIN, method: 'DELETE' })).status).toBe(405);
      await app.keys.revoke(idOf(key));
      expect((await app.post('/preview/chart', { data: barsOf(2) }, bearer(key))).status).toBe(401);
      expect((await app.post('/auth/validate', { api_key: key })).body.code).toBe('INVALID_KEY');
    });
  });

  describe('GET /auth/usage', () => {
    it.each<[string, (key: string) => [path: string, headers: Record<string, string>]]>([
      ['Authorization: Bearer', (key) => ['/auth/usage', { authorization: `Bearer ${key}` }]],
      ['Authorization: ApiKey', (key) => ['/auth/usage', { authorization: `ApiKey ${key}` }]],
      ['?api_key=', (key) => [`/auth/usage?api_key=${key}`, {}]],
    ])('takes the key in %s and shows its usage', async (_, sentBy) => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('pro', 7);
      const { status, body } = await app.get(...sentBy(key));
      expect([status, body]).toEqual([
        200,
        {
          status: 'success',
          key_id: idOf(key),
          tier: 'pro',
          usage: {
            calls_used: 7,
            calls_limit: 50_000,
            calls_remaining: 49_993,
            created_at: START_S - 120,
            last_used: START_S - 60,
            reset_at: RESET_S,
          },
        },
      ]);
    });

    it('is not counted, and says null while a key was never used', async () => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('hobby');
      for (let i = 0; i < 3; i += 1) {
        const { body } = await app.get('/auth/usage', { authorization: `Bearer ${key}` });
        expect(body.usage).toMatchObject({ calls_used: 0, last_used: null });
      }
    });

    it.each([
      ['free', 0],
      ['enterprise', 'unlimited'],
    ] as const)('shows what is unlimited for %s in words', async (tier, calls_limit) => {
      const app = await openKeyApp(name);
      const sent = await app.get(`/auth/usage?api_key=${await app.keyWith(tier, 10_000_000)}`);
      expect(sent.body.usage).toMatchObject({ calls_used: 10_000_000, calls_limit, calls_remaining: 'unlimited' });
      expect(sent.text).not.toMatch(/Infinity|NaN|null/);
    });

    it('prefers the header over the query', async () => {
      const app = await openKeyApp(name);
      const [first, second] = [await app.keyWith('pro'), await app.keyWith('team')];
      const both = await app.get(`/auth/usage?api_key=${second}`, { authorization: `Bearer ${first}` });
      expect(both.body).toMatchObject({ tier: 'pro' });
      const wrong = await app.get(`/auth/usage?api_key=${second}`, { authorization: 'Bearer pyn_nobody' });
      expect(wrong.status).toBe(401);
      const other = await app.get(`/auth/usage?api_key=${second}`, { authorization: 'Basic dXNlcjpwYXNz' });
      expect(other.body).toMatchObject({ tier: 'team' });
    });

    it('of a key at its limit is 429 with the time of the reset', async () => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('hobby', 5000);
      const { status, body, headers } = await app.get('/auth/usage', { authorization: `Bearer ${key}` });
      expect([status, body]).toEqual([429, { status: 'error', code: 'RATE_LIMITED', message: expect.any(String) }]);
      expect(headers.get('retry-after')).toBe(String(RESET_S - START_S));
      expect(headers.get('ratelimit')).toBe(`"calls";r=0;t=${RESET_S - START_S}`);
      expect(headers.get('ratelimit-policy')).toBe('"calls";q=5000');
    });
  });

  describe('POST /auth/validate', () => {
    it('tells of a key without one of its own, and changes no usage', async () => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('team', 12);
      for (let i = 0; i < 2; i += 1) {
        const { status, body } = await app.post('/auth/validate', { api_key: key });
        expect([status, body]).toEqual([
          200,
          {
            status: 'success',
            key_id: idOf(key),
            tier: 'team',
            active: true,
            rate_limited: false,
            tier_info: {
              tier: 'team',
              calls_used: 12,
              calls_limit: 200_000,
              calls_remaining: 199_988,
              reset_at: RESET_S,
            },
          },
        ]);
      }
    });

    it.each([
      ['hobby', 4999, false],
      ['hobby', 5000, true],
      ['hobby', 5001, true],
      ['free', 10_000_000, false],
      ['enterprise', 10_000_000, false],
    ] as const)('still answers for %s with %d calls: rate_limited %s', async (tier, used, rate_limited) => {
      const app = await openKeyApp(name);
      const sent = await app.post('/auth/validate', { api_key: await app.keyWith(tier, used) });
      expect([sent.status, sent.body]).toMatchObject([200, { active: true, rate_limited }]);
    });

    it.each(['', 'pyn_', 'pyn_nobody', 'pn_0123', 'x'.repeat(60_000), '../../etc', 'pyn_é'])(
      'of a key that is not known is 401 INVALID_KEY',
      async (api_key) => {
        const app = await openKeyApp(name);
        const { status, body, text } = await app.post('/auth/validate', { api_key });
        expect([status, body]).toEqual([401, { status: 'error', code: 'INVALID_KEY', message: expect.any(String) }]);
        expect(text.length).toBeLessThan(200);
      },
    );

    it('of more than 64 KiB is not even read: anybody may ask', async () => {
      const app = await openKeyApp(name);
      const sent = await app.post('/auth/validate', { api_key: 'x'.repeat(64 * 1024) });
      expect([sent.status, sent.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    });

    it.each([
      ['{}', 'MISSING_FIELD'],
      ['', 'INVALID_BODY'],
      ['{"api_key":7}', 'INVALID_FIELD'],
      ['{"api_key":null}', 'INVALID_FIELD'],
      ['{"api_key":"pyn_x","tier":"pro"}', 'UNKNOWN_FIELDS'],
      ['["pyn_x"]', 'INVALID_BODY'],
    ])('of the body %s is 400 %s', async (text, code) => {
      const app = await openKeyApp(name);
      const { status, body } = await app.post('/auth/validate', text);
      expect([status, body]).toEqual([400, { status: 'error', code, message: expect.any(String) }]);
    });
  });

  it('a store that cannot be read is 503 everywhere, never 401, and the log has the reason', async () => {
    const lost = () => Promise.reject(new StorageError('the disk is gone: /secret/place/keys.db'));
    const app = await openKeyApp(name, { over: () => ({ find: lost, add: lost }) });
    const key = await app.keyWith('pro');
    const answers = [
      await app.post('/auth/create_key', {}, ADMIN),
      await app.get('/auth/usage', bearer(key).headers),
      await app.post('/auth/validate', { api_key: key }),
      await app.post('/preview/chart', { data: barsOf(2) }, bearer(key)),
    ];
    for (const { status, body, text, headers } of answers) {
      expect([status, body]).toEqual([503, { status: 'error', code: 'UNAVAILABLE', message: expect.any(String) }]);
      expect(text).not.toContain('secret');
      expect(headers.get('retry-after')).toBe('2');
    }
    expect(app.troubles.map(String)).toEqual(Array(4).fill('StorageError: the disk is gone: /secret/place/keys.db'));
  });
});
