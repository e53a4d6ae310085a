// Every route: 405 with Allow, 404, and protected mode, each in the error shape.

import { afterAll, describe, expect, it } from 'vitest';
import { doorOf } from '../../src/http/endpoint.ts';
import { readTradingview } from '../../src/services/gateway/read-tradingview.ts';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { expectRefusal, freshGateway, KEY_1 } from '../webhook/answers.ts';

const TOKEN = 'a-token-of-the-owner';
const concrete = (path: string): string => path.replace(/\{[^}]+\}/g, KEY_1);
const open = await openGateway();
const guarded = await openGateway({ internalToken: TOKEN });
const { endpoints } = open.app;
const PATHS = [...new Set(endpoints.map(({ path }) => path))];
const INTERNAL = endpoints
  .filter((endpoint) => doorOf(endpoint) === 'internal')
  .map(({ method, path }) => [method.toUpperCase(), concrete(path)] as const);

afterAll(async () => {
  await open.close();
  await guarded.close();
});

/** Like the gateway's own helper, but the Host header may be left out or replaced. */
async function ask(
  gateway: TestGateway,
  method: string,
  path: string,
  headers: Record<string, string>,
  peer = '127.0.0.1',
): Promise<Sent> {
  const response = await gateway.app.request(path, { method, headers }, { peer });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

describe('a wrong method', () => {
  it.each(PATHS)('on %s is 405 and names the right ones', async (path) => {
    const methods = endpoints.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
    const allow = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
      .filter((method) => methods.includes(method))
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (methods.includes(method)) continue;
      const sent = await open.request(method, concrete(path));
      expectRefusal(sent, 'METHOD_NOT_ALLOWED');
      expect(sent.headers.get('allow')).toBe(allow.join(', '));
    }
  });
});

describe('an unknown path', () => {
  it.each([
    '/',
    '/nothing',
    '/webhook/',
    '/webhook/other',
    '/Webhook',
    '/trades/a/b',
    '/positions/1',
    '/admin',
    '/admin/x',
    '/.env',
    '/wp-login.php',
    '/%00',
    '/__proto__',
  ])('%s is 404, never HTML', async (path) => {
    for (const method of ['GET', 'POST']) expectRefusal(await open.request(method, path), 'NOT_FOUND');
  });
});

describe('without INTERNAL_TOKEN', () => {
  it.each(INTERNAL)('%s %s serves this machine', async (method, path) => {
    for (const peer of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
      for (const host of ['localhost', 'localhost:8787', '127.0.0.1:8787', '[::1]:8787'])
        expect((await ask(open, method, path, { host }, peer)).status).not.toBe(401);
  });

  it.each(INTERNAL)('%s %s serves nobody else, whatever they claim', async (method, path) => {
    const host = 'localhost';
    const refused: [Record<string, string>, string?][] = [
      [{ host }, '198.51.100.1'],
      [{ host }, '::ffff:198.51.100.1'],
      [{ host: 'signals.example.com' }],
      [{ host: '198.51.100.1:8787' }],
      [{ host: 'localhost.example.com' }],
      [{ host, origin: 'https://example.com' }],
      [{ host, origin: 'null' }],
      [{ host, 'sec-fetch-site': 'cross-site' }],
      [{ host, 'x-forwarded-for': '127.0.0.1' }],
      [{ host, forwarded: 'for=127.0.0.1' }],
      [{ host, 'x-real-ip': '127.0.0.1' }],
      [{ host, 'x-forwarded-host': 'localhost' }],
    ];
    for (const [headers, peer] of refused) {
      const sent = await ask(open, method, path, headers, peer);
      expectRefusal(sent, 'UNAUTHORIZED');
      expect(sent.body.error).toContain('INTERNAL_TOKEN');
      expect(sent.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('hides which internal paths exist', async () => {
    for (const path of ['/admin/none', '/trades/none']) {
      const sent = await ask(open, 'GET', path, { host: 'localhost' }, '198.51.100.1');
      expectRefusal(sent, 'UNAUTHORIZED');
    }
  });

  it('a web page of this machine may ask', async () => {
    const headers = { host: 'localhost:8787', origin: 'http://localhost:5173' };
    expect((await ask(open, 'GET', '/trades', headers)).status).toBe(200);
  });
});

describe('with INTERNAL_TOKEN', () => {
  const host = 'signals.example.com';

  it.each(INTERNAL)('%s %s opens to the token from anywhere', async (method, path) => {
    for (const headers of [
      { host, 'x-internal-auth-key': TOKEN },
      { host, authorization: `Bearer ${TOKEN}` },
      { host, authorization: `bearer ${TOKEN}`, 'x-forwarded-for': '198.51.100.1', origin: 'https://example.com' },
    ] as Record<string, string>[])
      expect((await ask(guarded, method, path, headers, '198.51.100.1')).status).not.toBe(401);
  });

  it.each(INTERNAL)('%s %s stays shut without it, also for this machine', async (method, path) => {
    const wrong: Record<string, string>[] = [
      {},
      { 'x-internal-auth-key': '' },
      { 'x-internal-auth-key': TOKEN.slice(0, -1) },
      { 'x-internal-auth-key': `${TOKEN}x` },
      { 'x-internal-auth-key': TOKEN.toUpperCase() },
      { authorization: TOKEN },
      { authorization: `Basic ${TOKEN}` },
      { authorization: 'Bearer wrong' },
      { cookie: `token=${TOKEN}` },
    ];
    for (const headers of wrong) {
      const sent = await ask(guarded, method, path, { host: 'localhost', ...headers });
      expectRefusal(sent, 'UNAUTHORIZED');
      expect(JSON.stringify(sent.body)).not.toContain(TOKEN);
    }
  });

  it('in the query it opens nothing', async () => {
    expectRefusal(await ask(guarded, 'GET', `/trades?token=${TOKEN}`, { host: 'localhost' }), 'UNAUTHORIZED');
  });

  it('POST /webhook needs no token', async () => {
    expect((await guarded.send({}, { peer: '198.51.100.1' })).status).toBe(200);
  });
});

describe('the token of one gateway', () => {
  it('does not open another', async () => {
    const other = await freshGateway({ internalToken: 'another-token-of-16' });
    expectRefusal(await ask(other, 'GET', '/trades', { 'x-internal-auth-key': TOKEN }), 'UNAUTHORIZED');
  });
});

describe('the examples of the API description', () => {
  const withBody = endpoints.filter(({ body }) => body !== undefined);

  it.each(withBody.map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint })))(
    'the one of $name is accepted, so that a copied curl line works',
    ({ endpoint: { body, bodyExample } }) => {
      expect(bodyExample).toBeDefined();
      expect(body?.safeParse(bodyExample)).toMatchObject({ success: true });
    },
  );

  it('the one for TradingView is read as the signal it looks like', () => {
    const example = endpoints.find(({ path }) => path === '/webhook/tradingview')?.bodyExample;
    const { order } = readTradingview(Buffer.from(JSON.stringify(example)));
    expect(order).toMatchObject({ exchange: 'binance', action: 'LONG', market: 'BTCUSDT' });
  });
});
