// The Hono app of the kit, through its front door.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAddressList } from './client-address.ts';
import { Refusal } from './errors.ts';
import { readBody, readJson, readValid } from './read-body.ts';
import { createFixture } from './testing/app-fixture.ts';

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

function setup() {
  const fixture = createFixture({ trustedProxies: createAddressList(['10.0.0.0/8']) });
  const { app } = fixture;
  app.get('/who', (c) => c.json({ id: c.var.requestId, address: c.var.clientAddress }));
  app.get('/things/:id', (c) => c.json({ id: c.req.param('id') }));
  app.delete('/things/:id', (c) => c.json({}));
  app.get('/page', (c) => c.html('<p>', 200, { 'content-security-policy': 'own' }));
  app.get('/refuse', () => {
    throw new Refusal('RATE_LIMITED', 'Wait.', { headers: { 'retry-after': '3' } });
  });
  app.get('/break', () => {
    throw new Error('database password is hunter2');
  });
  app.get('/break-oddly', () => {
    throw 'just a text';
  });
  app.post('/json', async (c) => c.json({ got: await readJson(c) }));
  app.post('/small', async (c) => c.json({ bytes: (await readBody(c, 4)).length }));
  app.post('/twice', async (c) => c.json([await readJson(c), await readJson(c)]));
  const schema = z.object({ symbol: z.string().max(3), quantity: z.number().gt(0) });
  app.post('/valid', async (c) => c.json(await readValid(c, schema)));
  return fixture;
}

describe('every answer', () => {
  test.each(['/who', '/nowhere', '/refuse', '/break', '/break-oddly'])(
    'of %s has an id and the security headers',
    async (path) => {
      const answer = await setup().app.request(path);
      expect(Object.fromEntries(answer.headers)).toMatchObject(SECURITY_HEADERS);
      expect(answer.headers.get('x-request-id')).toBe('00000000-0000-7000-8000-000000000001');
    },
  );

  test('may bring a content security policy of its own', async () => {
    const answer = await setup().app.request('/page');
    expect(answer.headers.get('content-security-policy')).toBe('own');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
  });

  test('knows its client, through trusted proxies only', async () => {
    const { app } = setup();
    const ask = async (peer: string, forwardedFor?: string) => {
      const headers = forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor };
      const answer = await app.request('/who', { headers }, { peer });
      return ((await answer.json()) as { address: string }).address;
    };
    expect(await ask('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(await ask('192.0.2.1', '6.6.6.6')).toBe('192.0.2.1');
    expect(await ask('10.0.0.1', '6.6.6.6, 192.0.2.9')).toBe('192.0.2.9');
    expect(((await (await app.request('/who')).json()) as { address: string }).address).toBe('unknown');
  });
});

describe('errors', () => {
  test('of unknown paths are 404 in shape', async () => {
    const answer = await setup().app.request('/nowhere');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      success: false,
      requestId: '00000000-0000-7000-8000-000000000001',
      error: 'There is nothing at this path. See /docs.',
      code: 'NOT_FOUND',
    });
  });

  test.each([
    ['/things/7', 'POST', 'GET, HEAD, DELETE'],
    ['/things/7', 'OPTIONS', 'GET, HEAD, DELETE'],
    ['/things/7', 'PROPFIND', 'GET, HEAD, DELETE'],
    ['/json', 'GET', 'POST'],
    ['/json', 'HEAD', 'POST'],
  ])('of a known path %s with method %s are 405 with Allow', async (path, method, allow) => {
    const answer = await setup().app.request(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD') expect(await answer.json()).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED' });
  });

  test('of a refusal carry its words and headers', async () => {
    const answer = await setup().app.request('/refuse');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('3');
    expect(await answer.json()).toMatchObject({ error: 'Wait.', code: 'RATE_LIMITED' });
  });

  test.each(['/break', '/break-oddly'])('of our own making (%s) say nothing and are logged', async (path) => {
    const { app, lines } = setup();
    const answer = await app.request(path);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ code: 'INTERNAL', error: expect.not.stringContaining('hunter2') });
    const [failure, access] = lines();
    expect(failure).toMatchObject({
      level: 'error',
      requestId: '00000000-0000-7000-8000-000000000001',
      msg: 'request failed',
    });
    if (path === '/break') expect(failure?.err).toMatchObject({ stack: expect.stringContaining('app.test.ts') });
    expect(access).toMatchObject({ status: 500, path });
  });
});

describe('log and metrics', () => {
  test('tell every request by its own method and path, however often its route was asked before', async () => {
    const { app, lines } = setup();
    for (const path of ['/things/1', '/things/2', '/who', '/who']) await app.request(path);
    await app.request('/who', { method: 'HEAD' });
    expect(lines().map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...['GET /things/1', 'GET /things/2', 'GET /who', 'GET /who', 'HEAD /who'],
    ]);
  });

  test('hold the path without its query, never bodies or headers', async () => {
    const { app, lines, text } = setup();
    const secret = 'swordfish';
    const init = { method: 'POST', body: JSON.stringify({ secret }), headers: { 'X-Internal-Auth-Key': secret } };
    await app.request(`/json?k=${secret}`, init, { peer: '192.0.2.1' });
    expect(lines()).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/json',
        status: 200,
        ms: 0,
        clientAddress: '192.0.2.1',
        service: 'gateway',
      }),
    ]);
    expect(text()).not.toContain(secret);
  });

  test('count by route pattern, and strangers under one name', async () => {
    const { app, metrics } = setup();
    for (const path of ['/things/1', '/things/2', '/nowhere', '/else', '/refuse']) await app.request(path);
    await app.request('/things/1', { method: 'BREW' });
    const text = await metrics.registry.metrics();
    const counts = text.split('\n').filter((line) => line.startsWith('http_requests_total{'));
    expect(counts).toEqual([
      'http_requests_total{service="gateway",route="/things/:id",method="GET",status="200"} 2',
      'http_requests_total{service="gateway",route="unmatched",method="GET",status="404"} 2',
      'http_requests_total{service="gateway",route="/refuse",method="GET",status="429"} 1',
      'http_requests_total{service="gateway",route="unmatched",method="OTHER",status="405"} 1',
    ]);
  });
});

describe('bodies', () => {
  const post = (path: string, body: string | ReadableStream, headers = {}) =>
    setup().app.request(path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

  test('are JSON whatever the content type says', async () => {
    const answer = await post('/json', '{"a":1}', { 'Content-Type': 'text/plain' });
    expect(await answer.json()).toEqual({ got: { a: 1 } });
  });

  test('may be asked for twice', async () => {
    expect(await (await post('/twice', '1')).json()).toEqual([1, 1]);
  });

  test('that are not JSON are 400 with the place of the fault', async () => {
    const answer = await post('/json', '{"a":NaN}');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'INVALID_JSON', error: expect.stringContaining('column 6') });
  });

  test('may be as large as the limit and no larger', async () => {
    expect((await post('/small', '1234')).status).toBe(200);
    const tooLarge = await post('/small', '12345');
    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      error: expect.stringContaining('4 bytes'),
    });
    expect((await post('/json', JSON.stringify('x'.repeat(1022)))).status).toBe(200);
    expect((await post('/json', JSON.stringify('x'.repeat(1023)))).status).toBe(413);
    expect((await post('/small', '1', { 'Content-Length': '5' })).status).toBe(413);
  });

  test('without a declared length are not read past the limit', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(3));
      },
    });
    expect((await post('/small', endless)).status).toBe(413);
    expect(pulled).toBeLessThan(10);
  });

  test('of the wrong shape are refused with all their faults at once', async () => {
    const answer = await post('/valid', '{"symbol":"LONG","quantity":"1"}');
    expect(answer.status).toBe(400);
    const faults = [
      'symbol: is too long, send at most 3 characters',
      'quantity: is a number in quotes, drop the quotes in the alert template',
    ];
    expect(await answer.json()).toMatchObject({ error: faults.join('; '), faults });
  });

  test('of the right shape come back typed', async () => {
    expect(await (await post('/valid', '{"symbol":"BTC","quantity":2,"more":1}')).json()).toEqual({
      symbol: 'BTC',
      quantity: 2,
    });
  });
});
