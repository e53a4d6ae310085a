// Webhooks against real receivers on loopback, and the guard against addresses of our own network.

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { isPublicAddress } from './address-guard.ts';
import { readAllowEntry, readWebhookUrl } from './webhook-url.ts';
import { createWebhooks, type WebhookOptions } from './webhooks.ts';

const NOW_MS = 1_700_000_000_000;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Receiver {
  readonly port: number;
  readonly received: { headers: IncomingHttpHeaders; body: string; method: string; url: string }[];
}

async function openReceiver(answer: RequestListener = (_, response) => void response.end('ok')): Promise<Receiver> {
  const received: Receiver['received'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body, method: request.method ?? '', url: request.url ?? '' });
      answer(request, response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, received };
}

const webhooksTo = (port: number, more: Partial<WebhookOptions> = {}) =>
  createWebhooks({ allowed: [`127.0.0.1:${port}`], nowMs: () => NOW_MS, ...more });

const call = (port: number, more: object = {}) => ({
  url: `http://127.0.0.1:${port}/hook?x=1`,
  idempotencyKey: 'event-1',
  body: { message: 'Grüße' },
  ...more,
});

describe('a webhook', () => {
  test('is one POST of JSON with the key that lets the receiver drop repeats', async () => {
    const { port, received } = await openReceiver();
    expect(await webhooksTo(port).post(call(port))).toEqual({ status: 200 });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/hook?x=1', body: '{"message":"Grüße"}' });
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'event-1',
      'user-agent': 'Signalbox',
      host: `127.0.0.1:${port}`,
    });
    expect(received[0]?.headers['signalbox-signature']).toBeUndefined();
  });

  test.each([
    ['{"action":"LONG"}', 'application/json'],
    ['Grüße, close above 100', 'text/plain; charset=utf-8'],
    ['7', 'text/plain; charset=utf-8'],
  ])('with a text sends it as it is: %s', async (body, type) => {
    const { port, received } = await openReceiver();
    await webhooksTo(port).post(call(port, { body }));
    expect([received[0]?.body, received[0]?.headers['content-type']]).toEqual([body, type]);
  });

  test('with a secret is signed, together with the time', async () => {
    const { port, received } = await openReceiver();
    await webhooksTo(port).post(call(port, { secret: 'a-long-secret' }));
    const expected = createHmac('sha256', 'a-long-secret').update(`${NOW_MS}.${received[0]?.body}`).digest('hex');
    expect(received[0]?.headers['signalbox-signature']).toBe(`t=${NOW_MS},v1=${expected}`);
    expect(JSON.stringify(received)).not.toContain('a-long-secret');
  });

  test.each([200, 201, 202, 204, 299])('answered %d has arrived', async (status) => {
    const { port } = await openReceiver((_, response) => void response.writeHead(status).end());
    expect(await webhooksTo(port).post(call(port))).toEqual({ status });
  });

  test.each([408, 425, 429, 500, 502, 503, 504])('answered %d is worth another try', async (status) => {
    const { port } = await openReceiver((_, response) => void response.writeHead(status, { 'retry-after': '7' }).end());
    await expect(webhooksTo(port).post(call(port))).rejects.toMatchObject({
      message: `answered ${status}`,
      retryable: true,
      retryAfterMs: 7000,
    });
  });

  test.each([400, 401, 403, 404, 410, 422])('answered %d is hopeless', async (status) => {
    const { port } = await openReceiver((_, response) => void response.writeHead(status).end());
    await expect(webhooksTo(port).post(call(port))).rejects.toMatchObject({ retryable: false });
  });

  test.each([301, 302, 303, 307, 308])('answered %d is not followed', async (status) => {
    const other = await openReceiver();
    const location = `http://127.0.0.1:${other.port}/`;
    const { port } = await openReceiver((_, response) => void response.writeHead(status, { location }).end());
    await expect(webhooksTo(port).post(call(port))).rejects.toMatchObject({
      message: expect.stringContaining('redirects are not followed'),
      retryable: false,
    });
    expect(other.received).toEqual([]);
  });

  test('that is not answered in time is given up, whether nothing comes or the answer never ends', async () => {
    const { port } = await openReceiver(() => {});
    const refused = webhooksTo(port, { timeoutMs: 80 }).post(call(port));
    await expect(refused).rejects.toMatchObject({ message: 'no answer within 0.08 s', retryable: true });
    const slow = await openReceiver((_, response) => void response.writeHead(200).write('x'));
    expect(await webhooksTo(slow.port, { timeoutMs: 80 }).post(call(slow.port))).toEqual({ status: 200 });
  });

  test('whose answer is endless is read for 64 KiB and no more', async () => {
    let written = 0;
    const { port } = await openReceiver((_, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384;
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    expect(await webhooksTo(port).post(call(port))).toEqual({ status: 200 });
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  test('to a port that nobody listens at is worth another try', async () => {
    const { port } = await openReceiver();
    servers.pop()?.close();
    await expect(webhooksTo(port).post(call(port))).rejects.toMatchObject({
      message: 'could not be reached (ECONNREFUSED)',
      retryable: true,
    });
  });

  test.each([
    ['hangs up', ''],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['wants another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['sends hints and nothing else', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['sends headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`],
  ])('whose receiver %s is worth another try', async (_, bytes) => {
    const { port } = await openReceiver((request) => void request.socket.end(bytes));
    const refused = webhooksTo(port, { timeoutMs: 2000 }).post(call(port));
    await expect(refused).rejects.toMatchObject({ name: 'WebhookError', retryable: true });
  });
});

describe('the guard', () => {
  const closed = createWebhooks({ allowed: [], nowMs: () => NOW_MS });

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST:8787/',
    'http://a.localhost./',
    'http://intranet/',
    'http://metadata.google.internal/',
    'http://169.254.169.254/latest/meta-data',
    'http://168.63.129.16/',
    'http://10.1.2.3/',
    'http://172.31.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[2001:db8::1]/',
  ])('refuses %s before anything is resolved', async (url) => {
    expect(closed.faultOf(url)).toMatch(/not on the public internet.*DEPLOYMENT_WEBHOOK_ALLOW/);
    await expect(closed.post({ url, idempotencyKey: 'x', body: {} })).rejects.toMatchObject({ retryable: false });
  });

  test.each([
    ['ftp://example.com/', 'https or http'],
    ['file:///etc/passwd', 'https or http'],
    ['javascript:alert(1)', 'https or http'],
    ['https://user:word@example.com/', 'name or password'],
    ['https://user@example.com/', 'name or password'],
    ['example.com', 'no address'],
    ['', 'no address'],
    [`https://example.com/${'x'.repeat(2048)}`, 'longer than 2048'],
  ])('refuses %s in words', (url, words) => {
    expect(closed.faultOf(url)).toContain(words);
  });

  test.each(['https://example.com/hook', 'http://example.com:8080/', 'http://8.8.8.8/', 'https://[2606:4700::1111]/'])(
    'lets %s pass',
    (url) => {
      expect(closed.faultOf(url)).toBeUndefined();
    },
  );

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['fe80::1%eth0']],
    [['not an address']],
  ])('refuses a public name that resolves to %j, and connects to nothing', async (addresses) => {
    const { port, received } = await openReceiver();
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const webhooks = createWebhooks({ allowed: [], nowMs: () => NOW_MS, resolve });
    const url = `http://rebinding.example.com:${port}/`;
    await expect(webhooks.post({ url, idempotencyKey: 'x', body: {} })).rejects.toMatchObject({ retryable: false });
    expect(received).toEqual([]);
  });

  test('resolves a name once and connects to that very address', async () => {
    const { port, received } = await openReceiver();
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const webhooks = createWebhooks({ allowed: [`hook.example.com:${port}`], nowMs: () => NOW_MS, resolve });
    await webhooks.post({ url: `http://hook.example.com:${port}/`, idempotencyKey: 'x', body: {} });
    expect(asked).toBe(1);
    expect(received[0]?.headers.host).toBe(`hook.example.com:${port}`);
  });

  test('a name that cannot be resolved is worth another try, and one that takes too long is too', async () => {
    const failing = createWebhooks({
      allowed: [],
      nowMs: () => NOW_MS,
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    const call = { url: 'https://example.com/', idempotencyKey: 'x', body: {} };
    await expect(failing.post(call)).rejects.toMatchObject({
      message: 'could not be reached (ENOTFOUND)',
      retryable: true,
    });
    const stuck = createWebhooks({
      allowed: [],
      nowMs: () => NOW_MS,
      timeoutMs: 50,
      resolve: () => new Promise(() => {}),
    });
    await expect(stuck.post(call)).rejects.toMatchObject({ message: 'no answer within 0.05 s', retryable: true });
  });

  test('opens exactly the host and port that the operator names', () => {
    const allowed = new Set(['127.0.0.1:8787', '[::1]:9000', 'Gateway.lan:80'].map((entry) => readAllowEntry(entry)!));
    const isOpen = (url: string): boolean => typeof readWebhookUrl(url, allowed) !== 'string';
    expect(['http://127.0.0.1:8787/webhook', 'http://[::1]:9000/', 'http://gateway.lan/'].map(isOpen)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ['http://127.0.0.1:8788/', 'https://127.0.0.1/', 'http://127.0.0.2:8787/', 'https://gateway.lan/'].map(isOpen),
    ).toEqual([false, false, false, false]);
  });

  test.each(['127.0.0.1', '127.0.0.1:0', '127.0.0.1:70000', 'http://x:1', ':80', 'a b:80'])(
    'refuses %s as an entry of DEPLOYMENT_WEBHOOK_ALLOW',
    (entry) => {
      expect(readAllowEntry(entry)).toBeUndefined();
      expect(() => createWebhooks({ allowed: [entry], nowMs: () => NOW_MS })).toThrow('is no host:port');
    },
  );
});

describe('of all addresses', () => {
  const byte = fc.nat(255);
  const inPrivate = fc.oneof(
    fc.tuple(fc.constant(10), byte, byte, byte),
    fc.tuple(fc.constant(127), byte, byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
    fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
  );

  test('private ones are refused however they are written', () => {
    fc.assert(
      fc.property(inPrivate, ([a, b, c, d]) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        expect(isPublicAddress(`${a}.${b}.${c}.${d}`)).toBe(false);
        expect(isPublicAddress(`::ffff:${a}.${b}.${c}.${d}`)).toBe(false);
        for (const host of [number, `0x${number.toString(16)}`, `${a}.${(b * 256 + c) * 256 + d}`])
          expect(readWebhookUrl(`http://${host}/`, new Set())).toContain('not on the public internet');
      }),
      { numRuns: 300 },
    );
  });

  test('whatever text there is, the guard decides and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.ipV4(), fc.ipV6()), (text) => {
        expect(typeof isPublicAddress(text)).toBe('boolean');
        expect(['string', 'object']).toContain(typeof readWebhookUrl(text, new Set()));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '11.0.0.0',
    '169.253.0.1',
    '2a00::1',
  ])('%s, just outside, is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
