// Which calls are let in and which are counted, over real stores: at every limit, in bursts, over the end of a month.

import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import { type Handler, protect } from '../../src/services/analysis/protect.ts';
import { barsOf, GOOD } from '../../src/services/analysis/testing/analysis-app.ts';
import { bearer, DRAWN, type KeyApp, type KeyAppOptions, openKeyApp, START_S, type StoreName } from './key-app.ts';

const RESET_S = Date.UTC(2026, 11, 1) / 1000;
const LIMITED = [
  ['hobby', 5000],
  ['pro', 50_000],
  ['team', 200_000],
] as const;
const preview = (app: KeyApp, key: string, more: object = {}) =>
  app.post('/preview/chart', { data: barsOf(3), ...more }, bearer(key));

async function callsOf(app: KeyApp, key: string): Promise<unknown> {
  return (await app.post('/auth/validate', { api_key: key })).body.tier_info.calls_used;
}

/** An app with one more protected route, which answers what the handler returns. */
async function withRoute(name: StoreName, handle: Handler, options: KeyAppOptions = {}): Promise<KeyApp> {
  const app = await openKeyApp(name, options);
  const trouble = (error: unknown) => app.troubles.push(error);
  app.app.post('/test', protect({ keys: app.keys, trouble }, handle));
  return app;
}

async function ask(app: KeyApp, key: string): Promise<Response> {
  return app.app.request('/test', { method: 'POST', ...bearer(key) }, { peer: '198.51.100.1' });
}

describe.each<StoreName>(['json', 'sqlite'])('over the %s store', (name) => {
  describe('a call', () => {
    it.each(['/preview/chart', '/preview/indicator'])('of %s is counted, and tells what is left', async (path) => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('hobby');
      const body = path === '/preview/chart' ? { data: barsOf(3) } : { expression: 'close', data: barsOf(3) };
      for (const calls_used of [1, 2]) {
        const sent = await app.post(path, body, bearer(key));
        expect([sent.status, sent.body.tier_info]).toEqual([
          200,
          { tier: 'hobby', calls_used, calls_limit: 5000, calls_remaining: 5000 - calls_used, reset_at: RESET_S },
        ]);
      }
      const usage = await app.get('/auth/usage', bearer(key).headers);
      expect(usage.body.usage).toMatchObject({ calls_used: 2, last_used: START_S });
    });

    it.each<[string, Handler, number, number]>([
      ['a pair of 200', async () => ({ body: {}, status: 200 }), 200, 1],
      ['a pair of 302', async () => ({ body: {}, status: 302 }), 302, 1],
      ['a pair of 399', async () => ({ body: {}, status: 399 as 302 }), 399, 1],
      ['a pair of 400', async () => ({ body: {}, status: 400 }), 400, 0],
      ['a pair of 422', async () => ({ body: {}, status: 422 }), 422, 0],
      ['a pair of 500', async () => ({ body: {}, status: 500 }), 500, 0],
      ['a bare response of 200', async () => new Response('x'), 200, 1],
      ['a bare response of 404', async () => new Response('x', { status: 404 }), 404, 1],
      ['a bare response of 500', async () => new Response('x', { status: 500 }), 500, 1],
      ['nothing, because it throws,', () => Promise.reject(new Error('a fault of ours')), 500, 0],
    ])('whose handler returns %s is counted by the rule', async (_, handle, status, counted) => {
      const app = await withRoute(name, handle);
      const key = await app.keyWith('pro', 3);
      expect((await ask(app, key)).status).toBe(status);
      expect(await callsOf(app, key)).toBe(3 + counted);
      // And the slot is free again, however it ended.
      expect((await ask(app, key)).status).toBe(status);
    });

    it.each([
      ['a body that is no JSON', '{', 400],
      ['no data', {}, 400],
      ['an unknown field', { data: barsOf(1), colour: 1 }, 400],
      ['a script that does not compile', { data: barsOf(1), script: 'nonsense' }, 400],
      ['too many bars', { data: Array(50_001).fill(0) }, 413],
    ])('with %s is not counted', async (_, body, status) => {
      const draw = async () => ({ kind: 'compile-failed', diagnostics: [] }) as const;
      const app = await openKeyApp(name, { script: { draw } });
      const key = await app.keyWith('pro', 3);
      expect((await app.post('/preview/chart', body, bearer(key))).status).toBe(status);
      expect(await callsOf(app, key)).toBe(3);
    });

    it.each([
      ['ends with an error of its own', { kind: 'runtime-error', message: 'x', barIndex: 1, line: 1, column: 1 }, 422],
      ['needs too much memory', { kind: 'too-large', reason: 'x' }, 422],
      ['finds no thread', { kind: 'busy', reason: 'x' }, 429],
      ['fails by our fault', { kind: 'failed', reason: 'x' }, 500],
    ] as const)('whose script %s is not counted', async (_, outcome, status) => {
      const app = await openKeyApp(name, { script: { draw: async () => outcome } });
      const key = await app.keyWith('pro', 3);
      expect((await preview(app, key, { script: GOOD })).status).toBe(status);
      expect(await callsOf(app, key)).toBe(3);
    });

    it('whose script is stopped at its time limit is counted, up to the last of them', async () => {
      const outcome = { kind: 'timeout', reason: 'stopped after 10 s' } as const;
      const app = await openKeyApp(name, { script: { draw: async () => outcome } });
      const key = await app.keyWith('hobby', 4998);
      for (const calls of [4999, 5000]) {
        const sent = await preview(app, key, { script: GOOD });
        expect([sent.status, sent.body.code, sent.body.message]).toEqual([408, 'TIMEOUT', 'stopped after 10 s']);
        expect(await callsOf(app, key)).toBe(calls);
      }
      expect((await preview(app, key, { script: GOOD })).status).toBe(429);
    });

    it.each<[string, Record<string, string>, RegExp?]>([
      ['no key', {}],
      ['an empty key', { authorization: 'Bearer ' }],
      ['an unknown key', { authorization: `Bearer pyn_${'x'.repeat(43)}` }, /not known.*revoked/],
      ['a key of another service', { authorization: `Bearer pn_${'0'.repeat(48)}` }, /not known.*of another kind/],
      ['a key in another scheme', { authorization: 'Basic pyn_abc' }],
    ])('with %s is 401, is not counted, and its body is not read', async (_, headers, words = /Bearer/) => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('pro', 3);
      let isRead = false;
      const body = new ReadableStream(
        {
          pull() {
            isRead = true;
          },
        },
        { highWaterMark: 0 },
      );
      for (const path of ['/preview/chart', '/preview/indicator', '/backtest/quick']) {
        const init = { method: 'POST', headers, body, duplex: 'half' };
        const answer = await app.app.request(path, init as RequestInit, { peer: '198.51.100.1' });
        expect([answer.status, await answer.json()]).toEqual([
          401,
          { status: 'error', code: 'UNAUTHORIZED', message: expect.stringMatching(words) },
        ]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      expect(isRead).toBe(false);
      expect(await callsOf(app, key)).toBe(3);
    });
  });

  describe('the limit', () => {
    it.each(LIMITED)('of %s lets call number %d in, and no further one', async (tier, limit) => {
      const app = await openKeyApp(name);
      const key = await app.keyWith(tier, limit - 1);
      const last = await preview(app, key);
      expect([last.status, last.body.tier_info]).toMatchObject([200, { calls_used: limit, calls_remaining: 0 }]);
      const refused = await preview(app, key);
      expect([refused.status, refused.body]).toEqual([
        429,
        { status: 'error', code: 'RATE_LIMITED', message: expect.stringMatching(/higher tier/) },
      ]);
      expect(refused.headers.get('retry-after')).toBe(String(RESET_S - START_S));
      expect(refused.headers.get('ratelimit')).toBe(`"calls";r=0;t=${RESET_S - START_S}`);
      expect(refused.headers.get('ratelimit-policy')).toBe(`"calls";q=${limit}`);
      expect(await callsOf(app, key)).toBe(limit);
    });

    it.each([
      ['free', 0],
      ['enterprise', 'unlimited'],
    ] as const)('does not exist for %s', async (tier, calls_limit) => {
      const app = await openKeyApp(name);
      const key = await app.keyWith(tier, 10_000_000);
      const sent = await preview(app, key);
      expect([sent.status, sent.body.tier_info]).toEqual([
        200,
        { tier, calls_used: 10_000_001, calls_limit, calls_remaining: 'unlimited', reset_at: RESET_S },
      ]);
    });

    it('lets exactly one of a hundred at once have the last call', async () => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('hobby', 4999);
      const sent = await Promise.all(Array.from({ length: 100 }, () => preview(app, key)));
      const statuses = sent.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(99).fill(429)]);
      expect(await callsOf(app, key)).toBe(5000);
    });

    it('of one key is no limit of another', async () => {
      const app = await openKeyApp(name);
      const [spent, fresh] = [await app.keyWith('hobby', 5000), await app.keyWith('hobby', 0)];
      expect([(await preview(app, spent)).status, (await preview(app, fresh)).status]).toEqual([429, 200]);
    });

    it('starts again with the month, UTC', async () => {
      const app = await openKeyApp(name);
      const key = await app.keyWith('hobby', 5000);
      app.setClock(RESET_S * 1000 - 1);
      const before = await preview(app, key);
      expect([before.status, before.headers.get('retry-after')]).toEqual([429, '1']);
      app.setClock(RESET_S * 1000);
      const after = await preview(app, key);
      expect([after.status, after.body.tier_info]).toEqual([
        200,
        {
          tier: 'hobby',
          calls_used: 1,
          calls_limit: 5000,
          calls_remaining: 4999,
          reset_at: Date.UTC(2027, 0, 1) / 1000,
        },
      ]);
    });

    it('never starts again with USAGE_RESET=never, and promises no time', async () => {
      const app = await openKeyApp(name, { usageReset: 'never' });
      const key = await app.keyWith('hobby', 4999);
      expect((await preview(app, key)).body.tier_info).toMatchObject({ calls_used: 5000, reset_at: null });
      app.setClock(Date.UTC(2036, 0, 1));
      for (const sent of [await preview(app, key), await app.get('/auth/usage', bearer(key).headers)]) {
        expect([sent.status, sent.body.code]).toEqual([429, 'RATE_LIMITED']);
        expect(sent.headers.get('retry-after')).toBeNull();
        expect(sent.headers.get('ratelimit')).toBe('"calls";r=0');
      }
    });
  });

  describe('a count', () => {
    it('that cannot be stored is 503, and the work is not given out', async () => {
      const count = () => Promise.reject(new StorageError('the disk is full'));
      const app = await openKeyApp(name, { over: () => ({ count }) });
      const key = await app.keyWith('pro');
      for (let i = 0; i < 2; i += 1) {
        const sent = await preview(app, key);
        expect([sent.status, sent.body]).toEqual([
          503,
          { status: 'error', code: 'UNAVAILABLE', message: expect.any(String) },
        ]);
      }
      expect(app.troubles).toHaveLength(2);
      expect(await callsOf(app, key)).toBe(0);
    });

    it('that cannot be stored withholds a bare response too', async () => {
      const count = () => Promise.reject(new StorageError('the disk is full'));
      const app = await withRoute(name, async () => new Response('the work'), { over: () => ({ count }) });
      const answer = await ask(app, await app.keyWith('pro'));
      expect([answer.status, await answer.text()]).toEqual([503, expect.not.stringContaining('the work')]);
    });

    it('for a key that was revoked meanwhile is 401, and the work is not given out', async () => {
      const app = await openKeyApp(name, {
        script: {
          draw: async () => {
            for (const { keyId } of await app.keys.list(10)) await app.keys.revoke(keyId);
            return DRAWN;
          },
        },
      });
      const sent = await preview(app, await app.keyWith('pro'));
      expect([sent.status, sent.body.code]).toEqual([401, 'UNAUTHORIZED']);
    });

    it('for a key whose last call another process took is 429, and the work is not given out', async () => {
      const over: KeyAppOptions['over'] = (store) => ({
        async count(keyHash, call) {
          await store.count(keyHash, call);
          return store.count(keyHash, call);
        },
      });
      const app = await openKeyApp(name, { over });
      const key = await app.keyWith('hobby', 4999);
      const sent = await preview(app, key);
      expect([sent.status, sent.body.code]).toEqual([429, 'RATE_LIMITED']);
    });
  });

  it('a client that leaves while its script runs is not counted, and its slot is free again', async () => {
    const leaving = new AbortController();
    const draw = async () => {
      leaving.abort();
      return { kind: 'canceled', reason: 'x' } as const;
    };
    const app = await openKeyApp(name, { script: { draw } });
    const key = await app.keyWith('hobby', 4999);
    const init = { method: 'POST', body: JSON.stringify({ data: barsOf(3) }), signal: leaving.signal, ...bearer(key) };
    await app.app.request('/preview/chart', init);
    expect(await callsOf(app, key)).toBe(4999);
  });
});
