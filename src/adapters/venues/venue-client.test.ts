// What becomes of a request: granted, refused by code, not sent, or unknown; over real sockets.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeSelfSigned } from '../../../tests/support/self-signed.ts';
import { foregroundTimers } from '../../timing/timers.ts';
import type { LeaseEnd } from '../../trading/leases.ts';
import { fieldsOf } from '../read-json.ts';
import { retryAfterMs } from '../read-response.ts';
import { RequestLimits } from './request-limits.ts';
import { type VenueCall, VenueRefusal } from './venue-call.ts';
import { VenueClient, type VenueClientOptions, type VenueDialect } from './venue-client.ts';

const CLOCK: VenueCall = { method: 'GET', section: 'public', path: 'time', cost: {} };
const CALL: VenueCall = { method: 'POST', section: 'private', path: 'order', cost: { weight: 1 } };
const AHEAD_MS = 5_000;
const KEY = 'key-of-the-account';

const DIALECT: VenueDialect = {
  ...{
    title: 'Binance',
    ccxtClass: 'binanceusdm',
    baseUrls: { live: '' },
    streamUrls: { live: '' },
    streamPath: '',
    sectionUrls: () => ({}),
    limits: [],
    receiveWindowMs: 5_000,
  },
  clock: { call: CLOCK, read: (body) => Number(fieldsOf(body).time) },
  refusalOf({ body }) {
    const { code } = fieldsOf(body);
    if (code === 'clock') return new VenueRefusal('clock', 'clock', 'too late');
    if (code === 'busy') return new VenueRefusal('busy', 'busy', 'too many');
    if (code === 'maybe') return new VenueRefusal('unclear', 'maybe', 'nobody knows');
    return code === undefined ? undefined : new VenueRefusal('other', String(code), `no (${String(code)})`);
  },
  pauseMsAfter: ({ headers }, venueNowMs) => retryAfterMs(headers, venueNowMs),
  learnLimits: ({ headers }, limits) => limits.learn('weight', Number(headers.get('x-used') ?? Number.NaN)),
};

type Reply = (response: ServerResponse, request: IncomingMessage) => void;
let server: Server;
let url: string;
let replies: Reply[];
/** Of the clock. */
let times: Reply[];
/** Offsets that requests were signed with, by path. */
let signed: { readonly path: string; readonly offsetMs: number }[];
let client: VenueClient;

const say =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

beforeEach(async () => {
  [replies, times, signed] = [[], [], []];
  server = createServer((request, response) => {
    if (request.url === '/time') return (times.shift() ?? say(200, { time: Date.now() + AHEAD_MS }))(response, request);
    (replies.shift() ?? say(200, { fine: true }))(response, request);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = open(url);
});

afterEach(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

function open(
  baseUrl: string,
  timeoutMs = 3_000,
  fetch = globalThis.fetch,
  changes: Partial<VenueClientOptions> = {},
): VenueClient {
  const limits = new RequestLimits({
    ...{ title: 'Binance', limits: [{ name: 'weight', most: 10, windowMs: 60_000 }], maxWaitMs: 500 },
    ...{ monotonicMs: Date.now, timers: foregroundTimers },
  });
  return new VenueClient({
    ...{ dialect: DIALECT, limits, timeoutMs, nowMs: Date.now, fetch },
    signer: {
      apiKey: KEY,
      sign({ path, method }, venueNowMs) {
        signed.push({ path, offsetMs: venueNowMs - Date.now() });
        return { url: `${baseUrl}/${path}`, method, headers: {}, ...(method === 'POST' && { body: 'x=1' }) };
      },
    },
    ...changes,
  });
}

test('what is granted comes with its numbers as texts', async () => {
  replies.push(say(200, '{"orderId":8389765906012345678}'));
  expect(await client.send(CALL)).toEqual({ orderId: '8389765906012345678' });
});

describe('the venue’s clock', () => {
  test('is read before the first request, once, and every request is signed by it', async () => {
    await Promise.all([client.send(CALL), client.send(CALL)]);
    await client.send(CALL);
    expect(signed.filter(({ path }) => path === 'time')).toHaveLength(1);
    for (const { path, offsetMs } of signed)
      if (path === 'order') expect(Math.abs(offsetMs - AHEAD_MS)).toBeLessThan(1_000);
  });

  test('is read again when the venue says that ours is wrong, and the request is sent once more', async () => {
    await client.send(CALL);
    replies.push(say(400, { code: 'clock' }));
    expect(await client.send(CALL)).toEqual({ fine: true });
    expect(signed.map(({ path }) => path)).toEqual(['time', 'order', 'order', 'time', 'order']);
  });

  test('one that does not tell the time is none: nothing was sent, and it is asked again', async () => {
    times.push(say(200, {}));
    await expect(client.send(CALL)).rejects.toMatchObject({
      failure: 'not-sent',
      message: 'Binance does not tell its time; nothing was sent',
    });
    expect(await client.send(CALL)).toEqual({ fine: true });
    times.push(say(200, {}));
    replies.push(say(400, { code: 'clock' }));
    await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
    expect(await client.send(CALL)).toEqual({ fine: true });
    expect(signed.every(({ offsetMs }) => Number.isFinite(offsetMs))).toBe(true);
  });

  test('a second refusal for it is told: nothing was done', async () => {
    replies.push(say(400, { code: 'clock' }), say(400, { code: 'clock' }));
    await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
    expect(replies).toEqual([]);
  });
});

describe('a failure is', () => {
  test('not sent, nor counted by the limits, where its time had passed', async () => {
    const late = { ...CALL, cost: { weight: 10 }, notAfterMs: 0 };
    const failure = { failure: 'not-sent', message: expect.stringMatching(/grown too old/) };
    await expect(client.send(late)).rejects.toMatchObject(failure);
    await client.send(CALL);
    expect(signed.filter(({ path }) => path === 'order')).toHaveLength(1);
  });

  test('not sent where its time passes while it waits for its turn, which it waits for no longer than that', async () => {
    let nowMs = Date.now();
    let atMostMs: number | undefined;
    const limits = {
      ...{ learn() {}, pause() {} },
      async take(_: object, asked: { readonly atMostMs?: number }) {
        atMostMs = asked.atMostMs;
        nowMs += 1_001;
        return () => {};
      },
    } as unknown as RequestLimits;
    const late = open(url, 3_000, globalThis.fetch, { limits, nowMs: () => nowMs });
    await late.readClock();
    const failure = { failure: 'not-sent', message: expect.stringMatching(/grown too old/) };
    await expect(late.send({ ...CALL, notAfterMs: nowMs + 1_000 })).rejects.toMatchObject(failure);
    expect([atMostMs, signed.filter(({ path }) => path === 'order')]).toEqual([1_000, []]);
  });

  test('the venue’s own word, by its code', async () => {
    replies.push(say(400, { code: '-2019' }));
    await expect(client.send(CALL)).rejects.toMatchObject({
      failure: 'rejected',
      code: '-2019',
      message: 'no (-2019)',
    });
  });

  test('not sent where nobody listens, or where there is no such host', async () => {
    const nobody = createServer();
    await new Promise<void>((done) => void nobody.listen(0, '127.0.0.1', done));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((done) => nobody.close(done));
    await expect(open(`http://127.0.0.1:${port}`).send(CALL)).rejects.toMatchObject({
      failure: 'not-sent',
      message: 'Binance cannot be reached: it takes no connections (ECONNREFUSED)',
    });
    await expect(open('http://no-such-host.invalid').send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
  });

  test('not sent where the certificate is nobody’s that is trusted', async () => {
    const { certificate: cert, privateKey: key } = makeSelfSigned();
    const stranger = createTlsServer({ cert, key }, (_, response) => void response.end('{}'));
    await new Promise<void>((done) => void stranger.listen(0, '127.0.0.1', done));
    const { port } = stranger.address() as AddressInfo;
    const sent = open(`https://127.0.0.1:${port}`).send(CALL);
    await expect(sent).rejects.toMatchObject({ failure: 'not-sent', message: expect.stringContaining('certificate') });
    await new Promise((done) => stranger.close(done));
  });

  describe.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
    ...[
      'EADDRNOTAVAIL',
      'UND_ERR_CONNECT_TIMEOUT',
      'ETIMEDOUT',
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'CERT_REVOKED',
    ],
    ...['CERT_UNTRUSTED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT'],
    ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('%s', (code) => {
    const failing = (cause: Error): VenueClient =>
      open(url, 300, async (target) => {
        if (String(target).endsWith('/time')) return Response.json({ time: Date.now() });
        throw new TypeError('fetch failed', { cause });
      });

    test('not sent where no connection came about, of one address or of several', async () => {
      const one = Object.assign(new Error(code), { code, syscall: 'connect' });
      const several = Object.assign(new AggregateError([one, one]), { code });
      for (const cause of [one, several])
        await expect(failing(cause).send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
    });

    test('unknown where a connection ended that was there', async () => {
      for (const syscall of ['read', 'write']) {
        const cause = Object.assign(new Error(code), { code, syscall });
        await expect(failing(cause).send(CALL)).rejects.toMatchObject({ failure: 'unknown' });
      }
    });
  });

  test.each<[string, Reply]>([
    ['a connection that breaks off before the answer', (response) => void response.destroy()],
    [
      'one that breaks off in the middle of the answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    ['silence', () => {}],
    ['an answer that is no JSON', say(200, '<html>')],
    ['trouble of the venue’s own', say(502, 'bad gateway')],
    ['a code that says that nobody knows', say(400, { code: 'maybe' })],
  ])('unknown after %s', async (_, reply) => {
    replies.push(reply);
    await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'unknown' });
    expect(signed.filter(({ path }) => path === 'order')).toHaveLength(1);
  });

  // Without the venue's own code a server before it may have said so, after the venue has taken the order.
  test.each<[failure: string, told: string, Reply]>([
    ['unknown', '429', say(429, {}, { 'retry-after': '7' })],
    ['unknown', '418', say(418, {}, { 'retry-after': '7' })],
    ['unknown', '403', say(403, {}, { 'retry-after': '7' })],
    ['not-sent', '429 and a code', say(429, { code: 'busy' }, { 'retry-after': '7' })],
    ['not-sent', 'a code', say(400, { code: 'busy' }, { 'retry-after': '7' })],
  ])(
    '%s after too many requests, told by %s; then nothing is sent for as long as the venue wants',
    async (failure, _, reply) => {
      replies.push(reply);
      await expect(client.send(CALL)).rejects.toMatchObject({
        failure,
        message: 'Binance asks for fewer requests for 7 s',
      });
      await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
      expect(signed.filter(({ path }) => path === 'order')).toHaveLength(1);
    },
  );
});

test.each([202, 404, 408, 499, 500])(
  'an order that is answered with HTTP %d and no reason may be there',
  async (status) => {
    replies.push(say(status, {}));
    await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'unknown' });
  },
);

test('the venue’s own count of its limits is obeyed', async () => {
  replies.push(say(200, {}, { 'x-used': '10' }));
  await client.send(CALL);
  await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
});

describe('what is told of a failure holds nothing of the signed request', () => {
  const SIGNATURE = 'f'.repeat(64);
  const failing = (error: Error): VenueClient =>
    open(url, 300, async (target) => {
      if (String(target).endsWith('/time')) return Response.json({ time: Date.now() });
      throw error;
    });

  test.each<[string, Error]>([
    ['an address', new TypeError(`Failed to parse URL from http://venue.test/order?x=1&signature=${SIGNATURE}`)],
    ['a header', new TypeError(`Headers.append: "${KEY}\n" is an invalid header value.`)],
    ['a signature', new TypeError(`what is ${SIGNATURE}?`)],
  ])('where the words repeat %s', async (_, error) => {
    const told = await failing(error)
      .send(CALL)
      .catch((failure: unknown) => failure);
    expect(told).toMatchObject({ failure: 'unknown' });
    const { message, stack, cause } = told as Error;
    expect(cause).toBeUndefined();
    for (const secret of [KEY, SIGNATURE, 'signature=']) expect(`${message} ${stack}`).not.toContain(secret);
  });

  test('where the venue repeats the key', async () => {
    replies.push(say(400, { code: `${KEY} has no money` }));
    await expect(client.send(CALL)).rejects.toThrow('no (… has no money)');
  });
});

test('a redirect is not followed: a signed request goes to nobody else', async () => {
  replies.push(say(302, '', { location: `${url}/elsewhere` }));
  await expect(client.send(CALL)).rejects.toMatchObject({ failure: 'unknown' });
});

describe('where another process may take over', () => {
  const READ: VenueCall = { method: 'GET', section: 'private', path: 'positions', cost: { weight: 1 } };
  const NOTHING_LEFT = {
    failure: 'not-sent',
    message: expect.stringContaining('another process may be about to take over'),
  };

  function openUnderLease(changes: Partial<VenueClientOptions> = {}) {
    const end = Promise.withResolvers<LeaseEnd>();
    const lease = { leftMs: 4_000, remainingMs: () => lease.leftMs, ended: end.promise };
    return { lease, end, held: open(url, 3_000, globalThis.fetch, { lease, ...changes }) };
  }

  test('a request that was in time to wait for its turn, and gets it too late, does not leave', async () => {
    const turn = Promise.withResolvers<() => void>();
    const limits = { take: () => turn.promise, learn() {}, pause() {} } as unknown as RequestLimits;
    const { lease, held } = openUnderLease({ limits });
    const sent = held.send(CALL);
    lease.leftMs = 1_000;
    turn.resolve(() => {});
    await expect(sent).rejects.toMatchObject(NOTHING_LEFT);
    expect(signed.filter(({ path }) => path === 'order')).toEqual([]);
  });

  test.each(['POST', 'PUT', 'DELETE'] as const)('no %s leaves in the last second, and questions do', async (method) => {
    const { lease, held } = openUnderLease();
    lease.leftMs = 1_000;
    await expect(held.send({ ...CALL, method })).rejects.toMatchObject(NOTHING_LEFT);
    await expect(held.urgent.send({ ...CALL, method })).rejects.toMatchObject(NOTHING_LEFT);
    expect(await held.send(READ)).toEqual({ fine: true });
    lease.leftMs = 1_001;
    expect(await held.send(CALL)).toEqual({ fine: true });
  });

  // Its own clock may have stood still with its machine, and then it does not know that it is too late.
  test('what the venue has refused for its time is not signed again, and the clock is read all the same', async () => {
    const { held } = openUnderLease();
    await held.send(CALL);
    replies.push(say(400, { code: 'clock' }));
    await expect(held.send(CALL)).rejects.toMatchObject({ failure: 'not-sent' });
    expect(signed.map(({ path }) => path)).toEqual(['time', 'order', 'order', 'time']);
    replies.push(say(400, { code: 'clock' }));
    expect(await held.send(READ)).toEqual({ fine: true });
  });

  test.each(['lost', 'taken'] as const)(
    'all that is under way is cut off when the lease is %s, and nothing follows',
    async (how) => {
      const { lease, end, held } = openUnderLease();
      await held.send(CALL);
      const arrived = Promise.withResolvers<void>();
      replies.push(() => arrived.resolve());
      const sent = held.send(CALL);
      await arrived.promise;
      lease.leftMs = 0;
      end.resolve(how);
      await expect(sent).rejects.toMatchObject({ failure: 'unknown', message: expect.stringContaining('aborted') });
      await expect(held.send(READ)).rejects.toMatchObject({ failure: 'unknown' });
      await expect(held.send(CALL)).rejects.toMatchObject(NOTHING_LEFT);
      expect(signed.filter(({ path }) => path === 'order')).toHaveLength(2);
    },
  );

  test('one that was given back cuts nothing off: whoever gave it back has closed before', async () => {
    const { end, held } = openUnderLease();
    end.resolve('released');
    expect(await held.send(READ)).toEqual({ fine: true });
  });
});
