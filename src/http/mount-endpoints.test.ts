// Endpoints on an app: no door declared is the internal one, and each door has its gate before the handler.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { KitContext } from './context.ts';
import type { Endpoint, EndpointDoc } from './endpoint.ts';
import { Refusal } from './errors.ts';
import { createInternalGate, internalGates } from './internal-auth.ts';
import { internalPrefixes, mountEndpoints } from './mount-endpoints.ts';
import { readBody } from './read-body.ts';
import { createFixture, kitRows } from './testing/app-fixture.ts';

const STRANGER = { peer: '198.51.100.1' };
const gates = internalGates(createInternalGate({ token: 'abc' }));
const about = { method: 'get', summary: 'x', tags: [], responses: {} } as const;
const ok = (c: KitContext) => c.json({ success: true });
const at = (path: string, more: Partial<EndpointDoc> = {}): Endpoint => ({ ...about, path, ...more, handler: ok });

function mounted(...endpoints: Endpoint[]) {
  const { app } = createFixture();
  mountEndpoints(app, endpoints, { ...gates, scriptKey: () => Promise.reject(new Refusal('RATE_LIMITED')) });
  return async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await app.request(path, { method, headers }, STRANGER);
    return { status: answer.status, challenge: answer.headers.get('www-authenticate') };
  };
}

describe('an endpoint that declares no door', () => {
  test('is refused to a stranger with 401, and open to the token', async () => {
    const ask = mounted(at('/new'), at('/webhook', { door: 'public' }));
    expect(await ask('/new')).toEqual({ status: 401, challenge: 'Bearer' });
    expect((await ask('/new', { 'x-internal-auth-key': 'abc' })).status).toBe(200);
    expect((await ask('/webhook')).status).toBe(200);
  });

  test('is refused also where public endpoints have the same first word', async () => {
    const ask = mounted(at('/webhook', { door: 'public' }), at('/webhook/history'), at('/webhook/{id}/raw'));
    expect((await ask('/webhook')).status).toBe(200);
    expect((await ask('/webhook/history')).status).toBe(401);
    expect((await ask('/webhook/7/raw')).status).toBe(401);
    expect((await ask('/webhook/none')).status).toBe(404);
  });

  test('hides what is below its first word and which methods there are', async () => {
    const ask = mounted(at('/admin/thing'));
    for (const path of ['/admin', '/admin/none', '/admin/thing/x']) expect((await ask(path)).status).toBe(401);
    expect((await ask('/admin/thing', {}, 'DELETE')).status).toBe(401);
    expect((await ask('/admin/none', { 'x-internal-auth-key': 'abc' })).status).toBe(404);
  });
});

describe('a door', () => {
  test('is passed before the handler and before the body is read', async () => {
    const { app } = createFixture();
    const seen: string[] = [];
    const endpoint: Endpoint = {
      ...about,
      method: 'post',
      path: '/mine',
      door: 'scriptKey',
      handler: async (c) => {
        seen.push(Buffer.from(await readBody(c)).toString());
        return ok(c);
      },
    };
    const scriptKey = (c: KitContext): void => {
      if (c.req.header('authorization') !== 'Bearer good') throw new Refusal('UNAUTHORIZED');
    };
    mountEndpoints(app, [endpoint], { ...gates, scriptKey });
    const send = (key: string) =>
      app.request('/mine', { method: 'POST', body: key, headers: { authorization: `Bearer ${key}` } });
    expect((await send('bad')).status).toBe(401);
    expect((await send('good')).status).toBe(200);
    expect(seen).toEqual(['good']);
  });

  test('whose gate the service does not have stops the start', () => {
    const { app } = createFixture();
    expect(() => mountEndpoints(app, [at('/mine', { door: 'admin' })], gates)).toThrow(
      'GET /mine has the door "admin", but its service has no such gate',
    );
  });
});

test('the limit of a body is the one of its endpoint', async () => {
  const { app } = createFixture({ defaultBodyLimitBytes: 8 });
  const read: Endpoint['handler'] = async (c) => c.json({ bytes: (await readBody(c)).length });
  const small = { ...about, method: 'post', door: 'public', path: '/small', handler: read } as const;
  mountEndpoints(app, [small, { ...small, path: '/large', bodyLimitBytes: 16 }], gates);
  const send = async (path: string, bytes: number) =>
    (await app.request(path, { method: 'POST', body: 'x'.repeat(bytes) })).status;
  expect([await send('/small', 8), await send('/small', 9)]).toEqual([200, 413]);
  expect([await send('/large', 16), await send('/large', 17)]).toEqual([200, 413]);
});

test('every route of an app is in its table, in order, and nothing else is', () => {
  const { app } = createFixture();
  mountEndpoints(app, [at('/a/{id}'), at('/b', { door: 'public' })], gates);
  mountEndpoints(app, [at('/c')], gates);
  expect(app.endpoints.map(({ path }) => path)).toEqual(['/a/{id}', '/b', '/c']);
  expect(app.routes.filter(({ method }) => method !== 'ALL').map(({ path }) => path)).toEqual(['/a/:id', '/b', '/c']);
});

test('prefixes are those that no other door shares', () => {
  const endpoints = [
    at('/a/x'),
    at('/a/y'),
    at('/b'),
    at('/b/open', { door: 'public' }),
    at('/c', { door: 'loopback' }),
  ];
  expect(internalPrefixes(endpoints)).toEqual(['/a']);
  expect(internalPrefixes([at('/a/x')], [at('/a', { door: 'public' })])).toEqual([]);
});

describe('a word in the query that an endpoint does not know', () => {
  const known = { query: z.strictObject({ revision: z.string().optional() }) };
  const BAD = { status: 400, message: 'Mend it.' } as const;
  const CHANGING = ['post', 'put', 'patch', 'delete'] as const;
  function asking(...endpoints: Endpoint[]) {
    const { app } = createFixture({ errors: { ...kitRows, UNKNOWN_FIELDS: BAD, INVALID_QUERY: BAD } });
    mountEndpoints(app, endpoints, { internal: gates.internal, scriptKey: () => {}, analysisKey: () => {} });
    return async (method: string, path: string, headers: Record<string, string> = { 'x-internal-auth-key': 'abc' }) => {
      const answer = await app.request(path, { method: method.toUpperCase(), headers }, STRANGER);
      return [answer.status, ((await answer.json()) as { error?: string }).error];
    };
  }

  test.each(CHANGING)('is refused by %s, behind the door and before the handler', async (method) => {
    const ask = asking(at('/mine', { method }), at('/known', { method, ...known }));
    expect(await ask(method, '/mine')).toEqual([200, undefined]);
    expect(await ask(method, '/mine?')).toEqual([200, undefined]);
    expect(await ask(method, '/mine?dryRun=true')).toEqual([
      400,
      'query: has unknown fields, remove dryRun; nothing stands in the query here, send it in the body',
    ]);
    expect(await ask(method, '/known?revision=3')).toEqual([200, undefined]);
    expect(await ask(method, '/known?revison=3&x')).toEqual([
      400,
      'query: has unknown fields, remove revison, x; send revision',
    ]);
    expect((await ask(method, '/mine?dryRun=true', {}))[0]).toBe(401);
  });

  test('is refused behind a script key too, which may stand there itself', async () => {
    const ask = asking(at('/mine', { method: 'post', door: 'scriptKey' }));
    expect((await ask('post', '/mine?key=pn_x'))[0]).toBe(200);
    expect((await ask('post', '/mine?key=pn_x&dryRun=1'))[0]).toBe(400);
  });

  test('is passed over by what says so, by what only reads, and at the doors of strangers', async () => {
    const ask = asking(
      at('/specified', { method: 'post', unknownQuery: 'ignored' }),
      at('/read'),
      at('/alert', { method: 'post', door: 'public' }),
      at('/run', { method: 'post', door: 'analysisKey' }),
      at('/login', { method: 'post', door: 'public', unknownQuery: 'refused' }),
    );
    expect((await ask('post', '/login?x=1'))[0]).toBe(400);
    for (const path of ['/specified', '/alert', '/run']) expect((await ask('post', `${path}?x=1`))[0]).toBe(200);
    expect((await ask('get', '/read?x=1'))[0]).toBe(200);
  });
});
