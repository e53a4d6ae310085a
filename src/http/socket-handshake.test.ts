// The handshake of a WebSocket: who is let in, and how everybody else is refused.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { mountEndpoints } from './mount-endpoints.ts';
import { SOCKET_ERRORS, socketEndpoint } from './socket-handshake.ts';
import { createFixture } from './testing/app-fixture.ts';
import { rawClient } from './testing/raw-client.ts';
import { echoRoute, openSockets, until } from './testing/socket-fixture.ts';

const HANDSHAKE: Readonly<Record<string, string>> = {
  Host: 'localhost',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

type Headers = Record<string, string | undefined>;

function handshake(target: string, headers: Headers = {}, method = 'GET'): string {
  const fields = Object.entries({ ...HANDSHAKE, ...headers });
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

async function ask(opened: Awaited<ReturnType<typeof openSockets>>, text: string) {
  const client = rawClient(opened.server.port);
  client.send(text);
  const received = await client.until(/\r\n\r\n/);
  const isOpen = received.startsWith('HTTP/1.1 101');
  const whole = isOpen ? received : await client.closed();
  const [head = '', body = ''] = whole.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body, client };
}

async function refused(text: string, options: Parameters<typeof openSockets>[0] = {}) {
  const opened = await openSockets(options);
  const answer = await ask(opened, text);
  const answered = JSON.parse(answer.body) as Record<string, unknown>;
  await opened.server.stop(0);
  return { ...answer, answered, opened };
}

describe('a handshake', () => {
  test('opens the socket at the path of a route, with its query and headers', async () => {
    const echo = echoRoute();
    const opened = await openSockets({ routes: [echo.route] });
    const client = await opened.connect('/echo?symbol=BTC%2FUSDT&interval=1m', { 'X-Own': 'yes' });
    const [call] = echo.calls;
    expect(call?.query.get('symbol')).toBe('BTC/USDT');
    expect(call?.header('x-own')).toBe('yes');
    expect(call?.clientAddress).toBe('127.0.0.1');
    expect(call?.requestId).toBe('id-1');
    client.ws.close();
    await client.ended;
    await opened.server.stop(0);
  });

  test('works with a text that comes along with it', async () => {
    const opened = await openSockets();
    // The text "hi", masked with zeros.
    const text = '\x81\x82\0\0\0\0hi';
    const client = rawClient(opened.server.port);
    client.socket.write(Buffer.from(handshake('/echo') + text, 'latin1'));
    expect(await client.until(/hi$/)).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    client.socket.destroy();
    await opened.server.stop(1000);
  });

  test('works on a connection that served a plain request before', async () => {
    const opened = await openSockets();
    const client = rawClient(opened.server.port);
    client.send('GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until(/plain/);
    client.send(handshake('/echo'));
    expect(await client.until(/101 Switching Protocols/)).toContain('101 Switching Protocols');
    client.socket.destroy();
    await opened.server.stop(1000);
  });

  test('behind a request that is still being answered harms nobody else', async () => {
    const opened = await openSockets();
    const client = rawClient(opened.server.port);
    client.send(`GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n${handshake('/echo')}`);
    await client.until(/101/);
    const other = await opened.connect();
    other.ws.send('fine');
    expect(await other.next()).toBe('fine');
    client.socket.destroy();
    await opened.server.stop(1000);
  });

  test('with a body, which it cannot have, ends in a refusal or a closed socket', async () => {
    const opened = await openSockets({ limits: { closeTimeoutMs: 50 } });
    const client = rawClient(opened.server.port);
    client.send(`${handshake('/echo', { 'Content-Length': '5' })}hello`);
    await client.closed();
    await until(() => opened.sockets.size === 0);
    await opened.server.stop(1000);
  });

  test('outlives the time limits of plain requests', async () => {
    const opened = await openSockets({ headersTimeoutMs: 40, stalledTimeoutMs: 40 });
    const client = await opened.connect();
    await wait(200);
    client.ws.send('still here');
    expect(await client.next()).toBe('still here');
    await opened.server.stop(1000);
  });

  test('that stops in the middle is refused by those time limits', async () => {
    const opened = await openSockets({ headersTimeoutMs: 40 });
    const client = rawClient(opened.server.port);
    client.send('GET /echo HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
    expect(await client.closed()).toContain('408 Request Timeout');
    await opened.server.stop(1000);
  });

  test('answers no extension and no subprotocol', async () => {
    const opened = await openSockets();
    const headers = { 'Sec-WebSocket-Extensions': 'permessage-deflate', 'Sec-WebSocket-Protocol': 'chat, other' };
    const { head, client } = await ask(opened, handshake('/echo', headers));
    expect(head).toContain('101 Switching Protocols');
    expect(head.toLowerCase()).not.toMatch(/extensions|protocol:/);
    client.socket.destroy();
    await opened.server.stop(1000);
  });

  test.each([
    undefined,
    'http://localhost:5173',
    'https://127.0.0.1',
    'http://[::1]:3000',
    'https://charts.example.com',
  ])('with the origin %s is taken', async (Origin) => {
    const opened = await openSockets({ origins: ['https://charts.example.com'] });
    const { status, client } = await ask(opened, handshake('/echo', { Origin }));
    expect(status).toBe(101);
    client.socket.destroy();
    await opened.server.stop(1000);
  });
});

describe('a page of our own', () => {
  test.each(['192.168.1.5:8787', 'box.lan', '[fd00::5]:8787'])('connects without being listed: %s', async (Host) => {
    const opened = await openSockets();
    const answer = await ask(opened, handshake('/echo', { Host, Origin: `http://${Host}` }));
    expect(answer.status).toBe(101);
    answer.client.socket.destroy();
    await opened.server.stop(1000);
  });

  test.each([
    ['another port', { Host: '192.168.1.5:8787', Origin: 'http://192.168.1.5:3000' }],
    ['another site, so the browser', { Host: 'box.lan', Origin: 'http://box.lan', 'Sec-Fetch-Site': 'cross-site' }],
    ['a name that somebody lets lead here', { Host: 'evil.example:8787', Origin: 'http://evil.example:8787' }],
  ])('is none of %s', async (_, headers) => {
    const { status, answered } = await refused(handshake('/echo', headers));
    expect([status, answered.code]).toEqual([403, 'FOREIGN_ORIGIN']);
  });
});

describe('a refusal', () => {
  test('is plain HTTP in the error shape, with the id, and closes', async () => {
    const { status, head, answered } = await refused(handshake('/nowhere'));
    expect(status).toBe(404);
    expect(head).toContain('HTTP/1.1 404 Not Found\r\n');
    expect(head).toContain('content-type: application/json');
    expect(head).toContain('connection: close');
    expect(head).toContain('x-request-id: id-1');
    expect(head).toContain('x-content-type-options: nosniff');
    expect(answered).toEqual({
      status: 'error',
      code: 'NOT_FOUND',
      message: 'no WebSocket is served at this path; /docs lists every endpoint',
    });
  });

  test.each(['/', '/echo/', '//echo', '/ECHO', '/echo%20', '/%65cho', 'http://localhost/echo', '*'])(
    'comes for every other path: %s',
    async (target) => {
      expect((await refused(handshake(target))).answered).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  test.each(['POST', 'PUT', 'HEAD', 'OPTIONS'])('comes for the method %s', async (method) => {
    const { status, head, answered } = await refused(handshake('/echo', {}, method));
    expect(status).toBe(405);
    expect(head).toContain('allow: GET');
    expect(answered).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  test.each([undefined, '8', '12', '14', '013', '13, 8', 'x'])('comes for the version %s', async (version) => {
    const { status, head, answered } = await refused(handshake('/echo', { 'Sec-WebSocket-Version': version }));
    expect(status).toBe(426);
    expect(head).toContain('sec-websocket-version: 13');
    expect(head).toContain('upgrade: websocket');
    expect(answered).toMatchObject({ code: 'UPGRADE_REQUIRED' });
  });

  test.each([undefined, '', 'short', 'dGhlIHNhbXBsZSBub25jZQ=', `${'A'.repeat(24)}==`])(
    'comes for the key %s',
    async (key) => {
      const { status, answered } = await refused(handshake('/echo', { 'Sec-WebSocket-Key': key }));
      expect(status).toBe(400);
      expect(answered).toMatchObject({ code: 'BAD_HANDSHAKE' });
    },
  );

  test.each(['a, a', 'a b', ',', '"x"'])('comes for the subprotocols %j, in shape too', async (protocols) => {
    const { status, head, answered } = await refused(handshake('/echo', { 'Sec-WebSocket-Protocol': protocols }));
    expect(status).toBe(400);
    expect(head).toContain('content-type: application/json');
    expect(answered).toMatchObject({ code: 'BAD_HANDSHAKE' });
  });

  test.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://localhost, https://evil.example',
    'https://charts.example.com.evil.example',
  ])('comes for the origin %s', async (Origin) => {
    const { status, answered } = await refused(handshake('/echo', { Origin }), {
      origins: ['https://charts.example.com'],
    });
    expect(status).toBe(403);
    expect(answered).toEqual({
      status: 'error',
      code: 'FOREIGN_ORIGIN',
      message: SOCKET_ERRORS.FOREIGN_ORIGIN.message,
    });
  });

  test('of version 8 cannot be used to bring an origin under its old name', async () => {
    const headers = { 'Sec-WebSocket-Version': '8', 'Sec-WebSocket-Origin': 'https://evil.example' };
    expect((await refused(handshake('/echo', headers))).status).toBe(426);
  });

  test('stands in the log and in the metrics, without the query', async () => {
    const { opened } = await refused(handshake('/nowhere?api_key=pyn_0123456789abcdef&key=hunter2'));
    expect(opened.lines()).toMatchObject([
      { service: 'sockets', method: 'GET', path: '/nowhere', status: 404, requestId: 'id-1', msg: 'request' },
    ]);
    expect(opened.text()).not.toMatch(/hunter2|pyn_0|api_key/);
    const metrics = await opened.scrape();
    expect(metrics).toContain('sockets_refused_total{code="NOT_FOUND"} 1');
    expect(metrics).toContain('route="unmatched"');
    expect(metrics).not.toContain('nowhere');
  });

  test('does not mind a client that is gone before it is told', async () => {
    const opened = await openSockets();
    for (let i = 0; i < 20; i += 1) {
      const client = rawClient(opened.server.port);
      client.socket.write(handshake('/nowhere'), () => client.socket.resetAndDestroy());
      await client.closed();
    }
    const { status } = await ask(opened, handshake('/nowhere'));
    expect(status).toBe(404);
    await opened.server.stop(1000);
  });
});

describe('the number of sockets', () => {
  test('is limited: one more is refused with 503 until one closes', async () => {
    const opened = await openSockets({ limits: { maxSockets: 2 } });
    const first = await opened.connect();
    const second = await opened.connect();
    const { status, head, body } = await ask(opened, handshake('/echo'));
    expect(status).toBe(503);
    expect(head).toContain('retry-after: 5');
    expect(JSON.parse(body)).toMatchObject({ code: 'SOCKETS_FULL' });
    expect(opened.sockets.size).toBe(2);
    first.ws.close();
    await until(() => opened.sockets.size === 1);
    const third = await opened.connect();
    expect(opened.sockets.size).toBe(2);
    second.ws.terminate();
    third.ws.terminate();
    await opened.server.stop(1000);
    expect(opened.sockets.size).toBe(0);
  });

  test('is limited per address, and the address is the client behind a trusted proxy', async () => {
    const opened = await openSockets({ limits: { maxSocketsPerAddress: 1 } });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const one = await opened.connect('/echo', from('192.0.2.1'));
    const { status, head, body } = await ask(opened, handshake('/echo', from('192.0.2.1')));
    expect(status).toBe(429);
    expect(head).toContain('retry-after: 30');
    expect(JSON.parse(body)).toMatchObject({ code: 'TOO_MANY_SOCKETS' });
    const other = await opened.connect('/echo', from('192.0.2.2'));
    one.ws.close();
    await until(() => opened.sockets.size === 1);
    const again = await opened.connect('/echo', from('192.0.2.1'));
    for (const client of [other, again]) client.ws.terminate();
    await opened.server.stop(1000);
  });

  test('has no limit per address for this machine itself', async () => {
    const opened = await openSockets({ limits: { maxSocketsPerAddress: 1 } });
    const clients = await Promise.all(Array.from({ length: 5 }, () => opened.connect()));
    expect(opened.sockets.size).toBe(5);
    for (const { ws } of clients) ws.terminate();
    await opened.server.stop(1000);
  });
});

test('a plain GET where a WebSocket is served is told so: 426, in shape', async () => {
  const { app } = createFixture();
  mountEndpoints(app, [socketEndpoint({ path: '/ws/run', summary: 'x', tags: [] })], { internal: () => {} });
  const answer = await app.request('/ws/run');
  expect(answer.status).toBe(426);
  expect(answer.headers.get('upgrade')).toBe('websocket');
  expect(answer.headers.get('sec-websocket-version')).toBe('13');
  expect(await answer.json()).toEqual({
    status: 'error',
    code: 'UPGRADE_REQUIRED',
    message: 'a WebSocket is served here; connect with version 13 of its protocol',
  });
  expect((await app.request('/ws/run', { method: 'POST' })).status).toBe(405);
});

test('the guide lists every refusal with its status', () => {
  const guide = readFileSync(new URL('../../docs/guides/web-pages.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, Number(status)]);
  expect(rows).toEqual(Object.entries(SOCKET_ERRORS).map(([code, { status }]) => [code, status]));
});
