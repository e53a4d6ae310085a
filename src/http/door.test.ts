// The two roads of node to a door: the same bytes, the same log, the same metrics, whatever is sent.
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawClient } from './raw-client.ts';
import { LIMIT_BYTES as LIMIT, openRoad, type RoadServer as Road, traces, withoutDate } from './road-fixture.ts';

let fast: Road;
let plain: Road;

beforeAll(async () => {
  [fast, plain] = await Promise.all([openRoad('node'), openRoad('hono')]);
});

afterAll(async () => {
  await Promise.all([fast.server.stop(0), plain.server.stop(0)]);
});

function post(body: string, headers = '', path = '/webhook'): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

async function exchange(road: Road, request: string): Promise<string> {
  const client = rawClient(road.server.port);
  client.send(request);
  return withoutDate(await client.closed());
}

async function onBoth(request: string): Promise<string> {
  const [quick, ordinary] = await Promise.all([exchange(fast, request), exchange(plain, request)]);
  expect(quick).toBe(ordinary);
  return quick;
}

async function compareTraces() {
  const [quick, ordinary] = await Promise.all([traces(fast), traces(plain)]);
  expect(quick).toEqual(ordinary);
  return quick;
}

describe('both roads answer alike', () => {
  test('a plain success', async () => {
    const answer = await onBoth(post('{"a":1}'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\ncache-control: no-store\r\n/);
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(answer).toContain('"clientAddress":"127.0.0.1","value":{"a":1}}');
  });

  test.each([
    '"async"',
    '"reject"',
    '"refuse"',
    '"circle"',
    '"headers"',
    '"bad header"',
    '"bad name"',
    '"server header"',
    '"close"',
    '"no body"',
    '"é漢😀"',
    'null',
    '',
    'NaN',
    '{"a":1,"a":2}',
  ])('the body %s', async (body) => {
    expect(await onBoth(post(body))).toMatch(/^HTTP\/1\.1 \d{3} .*x-request-id: /s);
  });

  test('forwarded addresses, repeated headers and query strings', async () => {
    expect(await onBoth(post('1', 'X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 192.0.2.5\r\n'))).toContain(
      '"192.0.2.5"',
    );
    expect(await onBoth(post('1', 'Cookie: a=1\r\nCookie: b=2\r\n'))).toContain('a=1; b=2');
    expect(await onBoth(post('1', '', '/webhook?key=x'))).toContain('200 OK');
  });

  test.each(['/webhook/', '/webhookx', '/WEBHOOK', '/other', 'http://localhost/webhook', '//webhook', '/%77ebhook'])(
    'the path %s',
    async (path) => {
      expect(await onBoth(post('1', '', path))).toMatch(/^HTTP\/1\.1 (200|404|405) /);
    },
  );

  test('other methods, with Allow', async () => {
    const get = 'GET /webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await onBoth(get)).toMatch(/^HTTP\/1\.1 405 .*allow: POST\r\n/s);
  });

  test('a malformed host that forms no URL', async () => {
    const get = 'GET /other HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n';
    expect(await onBoth(get)).toMatch(/^HTTP\/1\.1 404 .*"code":"NOT_FOUND"/s);
  });

  test('bodies at the limit and past it, declared and chunked', async () => {
    const exact = JSON.stringify('x'.repeat(LIMIT - 2));
    const over = JSON.stringify('x'.repeat(LIMIT - 1));
    expect(await onBoth(post(exact))).toContain('200 OK');
    expect(await onBoth(post(over))).toMatch(/^HTTP\/1\.1 413 .*64 bytes/s);
    const chunked = (body: string) =>
      `POST /webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${[...body].map((char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`;
    expect(await onBoth(chunked(exact))).toContain('200 OK');
    expect(await onBoth(chunked(over))).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('an endless chunked body is cut off with 413', async () => {
    const endless = async (road: Road) => {
      const client = rawClient(road.server.port);
      client.send('POST /webhook HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `100000\r\n${'x'.repeat(0x10_0000)}\r\n`;
      for (let i = 0; i < 64 && client.socket.writable; i += 1) {
        client.send(chunk);
        await wait(1);
      }
      return withoutDate(await client.closed());
    };
    const [quick, ordinary] = await Promise.all([endless(fast), endless(plain)]);
    // The reset may outrun the answer; where one arrives it is this one.
    for (const answer of [quick, ordinary])
      if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 413 .*connection: close/s);
    const { log } = await compareTraces();
    expect(log.at(-1)).toMatchObject({ status: 413 });
  });

  test('Expect: 100-continue, wanted and unwanted', async () => {
    const head = (length: number) =>
      `POST /webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const polite = async (road: Road) => {
      const client = rawClient(road.server.port);
      client.send(head(1));
      expect(await client.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      client.send('7');
      return withoutDate(await client.closed());
    };
    const [quick, ordinary] = [await polite(fast), await polite(plain)];
    expect(quick).toBe(ordinary);
    expect(quick).toContain('"value":7');
    expect(await onBoth(head(LIMIT + 1))).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a client that hangs up inside its body', async () => {
    const hangUp = async (road: Road) => {
      const before = road.lines().length;
      const client = rawClient(road.server.port);
      client.send('POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"a"');
      await wait(20);
      client.socket.destroy();
      while (road.lines().length === before) await wait(5);
    };
    await Promise.all([hangUp(fast), hangUp(plain)]);
    const { log } = await compareTraces();
    expect(log.at(-1)).toMatchObject({ status: 499, path: '/webhook', failed: false });
  });

  test('anything at all in the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 70 }), async (body) => {
        await onBoth(post(body));
      }),
      { numRuns: 60 },
    );
  });

  test('many requests on one connection', async () => {
    const keepAlive = (body: string) => post(body).replace('Connection: close\r\n', '');
    const answer = await onBoth(keepAlive('1') + keepAlive('"async"') + keepAlive('2') + post('3'));
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
  });

  test('and leave the same log and the same metrics', async () => {
    const { log, counts } = await compareTraces();
    expect(log.length).toBeGreaterThan(50);
    expect(counts).toContainEqual(expect.stringContaining('route="/webhook",method="POST",status="413"'));
  });
});

test('a door answers through app.request too', async () => {
  const answer = await plain.app.request('/webhook', { method: 'POST', body: '1' }, { peer: '192.0.2.1' });
  expect(await answer.json()).toMatchObject({ success: true, clientAddress: '192.0.2.1', value: 1 });
});
