// Requests over a real socket: whatever is sent gets one answer in shape, one line in the log and one count.
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from './answer.ts';
import { createAddressList } from './client-address.ts';
import type { AnswerCall, Endpoint } from './endpoint.ts';
import { Refusal } from './errors.ts';
import { parseJsonBody } from './json-body.ts';
import { mountEndpoints } from './mount-endpoints.ts';
import { nodeListener } from './node-listener.ts';
import { type Listening, listen } from './server.ts';
import { createFixture, type Fixture } from './testing/app-fixture.ts';
import { rawClient } from './testing/raw-client.ts';

const LIMIT = 64;

/** Does whatever the body tells it to. */
const obedient: AnswerCall = ({ body, requestId, clientAddress, headers }) => {
  const parsed = parseJsonBody(body);
  if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
  const { value } = parsed;
  const cookie = headers('Cookie');
  const answer: Answer = { status: 200, body: { success: true, requestId, clientAddress, value, cookie } };
  if (value === 'async') return wait(5).then(() => answer);
  if (value === 'slow') return wait(100).then(() => answer);
  if (value === 'reject') return Promise.reject(new Error('broken'));
  if (value === 'refuse') throw new Refusal('RATE_LIMITED', undefined, { headers: { 'Retry-After': '3', Allow: 'x' } });
  if (value === 'circle') return { status: 200, body: { big: 1n } };
  if (value === 'headers') return { ...answer, status: 202, headers: { 'X-Zebra': 'z', 'Cache-Control': 'private' } };
  if (value === 'bad header') return { ...answer, headers: { 'X-Bad': 'a\nb' } };
  if (value === 'bad name') return { ...answer, headers: { 'X Bad': 'a' } };
  if (value === 'server header') return { ...answer, headers: { 'Transfer-Encoding': 'chunked' } };
  if (value === 'close') return { ...answer, headers: { Connection: 'close' } };
  if (value === 'no body') return { ...answer, status: 204 };
  return answer;
};

let fixture: Fixture;
let server: Listening;
beforeAll(async () => {
  fixture = createFixture({ trustedProxies: createAddressList(['127.0.0.1']) });
  const about = { door: 'public', summary: 'x', tags: ['x'], responses: {} } as const;
  const endpoints: readonly Endpoint[] = [
    { ...about, method: 'post', path: '/webhook', bodyLimitBytes: LIMIT, answer: obedient },
    { ...about, method: 'get', path: '/other', handler: (c) => c.json({ other: true }) },
  ];
  mountEndpoints(fixture.app, endpoints, { internal: () => {} });
  server = await listen({ listener: nodeListener(fixture.app), host: '127.0.0.1', port: 0 });
});
afterAll(() => server.stop(0));

function post(body: string, headers = '', path = '/webhook'): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

async function exchange(request: string): Promise<string> {
  const client = rawClient(server.port);
  client.send(request);
  return client.closed();
}

test('a plain success has the headers of an API answer', async () => {
  const answer = await exchange(post('{"a":1}'));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  for (const line of ['cache-control: no-store', 'x-content-type-options: nosniff', 'content-type: application/json'])
    expect(answer).toContain(`${line}\r\n`);
  expect(answer).toContain('"clientAddress":"127.0.0.1","value":{"a":1}}');
});

test.each([
  ['"async"', 200],
  ['"reject"', 500],
  ['"refuse"', 429],
  ['"circle"', 500],
  ['"headers"', 202],
  ['"bad header"', 500],
  ['"bad name"', 500],
  ['"server header"', 500],
  ['"close"', 200],
  ['"no body"', 500],
  ['"é漢😀"', 200],
  ['null', 200],
  ['', 400],
  ['NaN', 400],
  ['{"a":1,"a":2}', 400],
])('the body %s is answered %i', async (body, status) => {
  const answer = await exchange(post(body));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*x-request-id: `, 's'));
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  expect(head).toContain(`content-length: ${Buffer.byteLength(text)}`);
  expect(JSON.parse(text)).toMatchObject({ success: status < 400 });
});

test('forwarded addresses, repeated headers and query strings', async () => {
  expect(await exchange(post('1', 'X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 192.0.2.5\r\n'))).toContain(
    '"192.0.2.5"',
  );
  expect(await exchange(post('1', 'Cookie: a=1\r\nCookie: b=2\r\n'))).toContain('a=1; b=2');
  expect(await exchange(post('1', '', '/webhook?key=x'))).toContain('200 OK');
});

test.each([
  ['/webhook/', 404],
  ['/webhookx', 404],
  ['/WEBHOOK', 404],
  ['/other', 405],
  ['http://localhost/webhook', 200],
  ['//webhook', 404],
])('the path %s is answered %i', async (path, status) => {
  expect(await exchange(post('1', '', path))).toContain(`HTTP/1.1 ${status} `);
});

test('other methods get 405 with Allow, a malformed host 404', async () => {
  const get = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await exchange(get('/webhook', 'localhost'))).toMatch(/^HTTP\/1\.1 405 .*allow: POST\r\n/s);
  expect(await exchange(get('/other', 'a b'))).toMatch(/^HTTP\/1\.1 404 .*"code":"NOT_FOUND"/s);
});

describe('a body', () => {
  const chunked = (body: string) =>
    `POST /webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${[...body].map((char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`;

  test('is taken at its limit and refused past it, declared or chunked', async () => {
    const exact = JSON.stringify('x'.repeat(LIMIT - 2));
    const over = JSON.stringify('x'.repeat(LIMIT - 1));
    for (const send of [post, chunked]) {
      expect(await exchange(send(exact))).toContain('200 OK');
      expect(await exchange(send(over))).toMatch(/^HTTP\/1\.1 413 .*64 bytes/s);
    }
  });

  test('without end is cut off with 413', async () => {
    const client = rawClient(server.port);
    client.send('POST /webhook HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `100000\r\n${'x'.repeat(0x10_0000)}\r\n`;
    for (let i = 0; i < 64 && client.socket.writable; i += 1) {
      client.send(chunk);
      await wait(1);
    }
    const answer = await client.closed();
    // The reset may outrun the answer; where one arrives it is this one.
    if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 413 .*connection: close/s);
    expect(fixture.lines().at(-1)).toMatchObject({ status: 413 });
  });

  test('is asked for with 100-continue, unless it is too large as declared', async () => {
    const head = (length: number) =>
      `POST /webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const client = rawClient(server.port);
    client.send(head(1));
    expect(await client.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('7');
    expect(await client.closed()).toContain('"value":7');
    expect(await exchange(head(LIMIT + 1))).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('may be anything at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 70 }), async (body) => {
        expect(await exchange(post(body))).toMatch(/^HTTP\/1\.1 (200|400|413) .*\r\n\r\n\{.*\}$/s);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a client that vanishes is logged as 499', () => {
  async function vanishing(request: string): Promise<Record<string, unknown>> {
    const before = fixture.lines().length;
    const client = rawClient(server.port);
    client.send(request);
    await wait(20);
    client.socket.destroy();
    while (fixture.lines().length === before) await wait(5);
    return fixture.lines()[before] ?? {};
  }

  test('inside its body', async () => {
    const half = 'POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"a"';
    expect(await vanishing(half)).toMatchObject({ status: 499, path: '/webhook' });
  });

  test('while its answer is being made', async () => {
    expect(await vanishing(post('"slow"'))).toMatchObject({ status: 499, path: '/webhook' });
  });
});

test('many requests on one connection are answered in their order', async () => {
  const keepAlive = (body: string) => post(body).replace('Connection: close\r\n', '');
  const answer = await exchange(keepAlive('1') + keepAlive('"async"') + keepAlive('2') + post('3'));
  expect([...answer.matchAll(/"value":("\w+"|\d)/g)].map(([, value]) => value)).toEqual(['1', '"async"', '2', '3']);
});

test('everything above is counted by route, method and status', async () => {
  const text = await fixture.metrics.registry.metrics();
  for (const status of [200, 202, 400, 413, 429, 499, 500])
    expect(text).toContain(`route="/webhook",method="POST",status="${status}"`);
});
