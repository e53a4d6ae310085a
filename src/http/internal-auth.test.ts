// The internal gate: the token, and protected mode while there is none.
import { describe, expect, test } from 'vitest';
import { createGuessLimit } from './guess-limit.ts';
import { createInternalGate, type GateRequest } from './internal-auth.ts';

const LOCAL = { host: 'localhost:8787' };

function check(
  gate: ReturnType<typeof createInternalGate>,
  peer: string | undefined,
  headers: Record<string, string | undefined>,
) {
  return gate.check({ peer, header: (name) => headers[name] });
}

describe('with a token', () => {
  const gate = createInternalGate({ token: 'correct horse' });

  test.each([{ 'x-internal-auth-key': 'correct horse' }])(
    'the right token passes from anywhere: %o',
    async (headers) => {
      expect((await check(gate, '203.0.113.7', headers)).ok).toBe(true);
    },
  );

  test('a bearer token passes, whatever the case of the word', async () => {
    const spaceless = createInternalGate({ token: 'abc' });
    expect((await check(spaceless, '203.0.113.7', { authorization: 'Bearer abc' })).ok).toBe(true);
    expect((await check(spaceless, '203.0.113.7', { authorization: 'bearer  abc' })).ok).toBe(true);
  });

  test.each([
    {},
    { 'x-internal-auth-key': '' },
    { 'x-internal-auth-key': 'correct hors' },
    { 'x-internal-auth-key': 'correct horse ' },
    { authorization: 'Basic correct' },
    { authorization: 'Bearer' },
    { authorization: 'correct horse' },
  ])('anything else is refused, even from this machine: %o', async (headers) => {
    const verdict = await check(gate, '127.0.0.1', { ...LOCAL, ...headers });
    expect(verdict).toMatchObject({ ok: false, message: expect.stringContaining('INTERNAL_TOKEN') });
    expect(JSON.stringify(verdict)).not.toContain('correct');
  });
});

describe('without a token', () => {
  const gate = createInternalGate({});

  test.each([
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', 'LOCALHOST:8787'],
    ['127.9.9.9', '127.0.0.1:8787'],
    ['::1', '[::1]:8787'],
    ['::1', '[::1]'],
    ['::ffff:127.0.0.1', 'localhost:1'],
  ])('a direct client on this machine passes: %s, Host %s', async (peer, host) => {
    expect((await check(gate, peer, { host })).ok).toBe(true);
  });

  test.each([
    ['203.0.113.7', LOCAL],
    ['::ffff:203.0.113.7', LOCAL],
    ['128.0.0.1', LOCAL],
    ['::127.0.0.1', LOCAL],
    [undefined, LOCAL],
    ['127.0.0.1', {}],
    ['127.0.0.1', { host: 'evil.example' }],
    ['127.0.0.1', { host: 'evil.example:8787' }],
    ['127.0.0.1', { host: 'localhost.evil.example' }],
    ['127.0.0.1', { host: '127.0.0.1.evil.example' }],
    ['127.0.0.1', { host: 'localhost:8787@evil.example' }],
    ['127.0.0.1', { host: '::1' }],
    ['127.0.0.1', { host: '127.1' }],
    ['127.0.0.1', { ...LOCAL, 'x-forwarded-for': '127.0.0.1' }],
    ['127.0.0.1', { ...LOCAL, forwarded: 'for=127.0.0.1' }],
    ['127.0.0.1', { ...LOCAL, 'x-real-ip': '' }],
    ['127.0.0.1', { ...LOCAL, 'x-forwarded-host': 'localhost' }],
    ['127.0.0.1', { ...LOCAL, origin: 'https://evil.example' }],
    ['127.0.0.1', { ...LOCAL, origin: 'null' }],
    ['127.0.0.1', { ...LOCAL, origin: 'http://localhost.evil.example' }],
    ['127.0.0.1', { ...LOCAL, 'x-forwarded-proto': 'https' }],
    ['127.0.0.1', { ...LOCAL, 'x-forwarded-server': 'localhost' }],
    ['127.0.0.1', { ...LOCAL, 'x-forwarded-port': '443' }],
    ['127.0.0.1', { ...LOCAL, via: '1.1 proxy' }],
    ['127.0.0.1', { ...LOCAL, 'x-client-ip': '127.0.0.1' }],
    ['127.0.0.1', { ...LOCAL, 'true-client-ip': '127.0.0.1' }],
    ['127.0.0.1', { ...LOCAL, 'cf-connecting-ip': '127.0.0.1' }],
    ['127.0.0.1', { ...LOCAL, 'sec-fetch-site': 'cross-site' }],
    ['127.0.0.1', { ...LOCAL, 'sec-fetch-site': 'same-origin, cross-site' }],
    ['127.0.0.1', { ...LOCAL, 'sec-fetch-site': '' }],
  ])('peer %s with %o is refused with the remedy', async (peer, headers) => {
    expect(await check(gate, peer, headers)).toMatchObject({
      ok: false,
      message: expect.stringContaining('INTERNAL_TOKEN'),
    });
  });

  const asked = (headers: Record<string, string>, more: Partial<GateRequest>): GateRequest => ({
    ...{ peer: '127.0.0.1', ...more },
    header: (name) => ({ ...LOCAL, ...headers })[name],
  });
  const CHANGES: readonly Partial<GateRequest>[] = [
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => ({ method })),
    { method: 'GET', isHandshake: true },
  ];

  // A browser shows it no answer: there are no CORS headers here.
  test.each<Record<string, string>>([
    { origin: 'http://localhost:5173' },
    { origin: 'https://127.0.0.1' },
    { origin: 'http://[::1]:8787', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])('a page of this machine may ask: %o', async (headers) => {
    for (const method of ['GET', 'HEAD']) expect((await gate.check(asked(headers, { method }))).ok).toBe(true);
  });

  test.each<Record<string, string>>([
    { origin: 'http://localhost:3000' },
    { origin: 'http://127.0.0.1:8787' },
    { origin: 'http://localhost' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    { origin: 'http://127.0.0.1:8787', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ])('a page of another program of this machine changes nothing, and begins no WebSocket: %o', async (headers) => {
    for (const change of CHANGES)
      expect(await gate.check(asked(headers, change))).toMatchObject({
        ok: false,
        message: expect.stringMatching(/Another web (?:page|site).*INTERNAL_TOKEN/),
      });
  });

  test.each<Record<string, string>>([
    { origin: 'http://localhost:8787', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost:8787' },
    { 'sec-fetch-site': 'same-origin' },
    // A program that is no browser, with whatever it calls its body.
    {},
    { 'content-type': 'text/plain;charset=UTF-8' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ])('a page of our own and a program change what they like: %o', async (headers) => {
    for (const change of CHANGES) expect((await gate.check(asked(headers, change))).ok).toBe(true);
  });

  test('an empty token counts as none', async () => {
    expect(
      (await check(createInternalGate({ token: '' }), '127.0.0.1', { ...LOCAL, 'x-internal-auth-key': '' })).ok,
    ).toBe(true);
    expect((await check(createInternalGate({ token: '' }), '203.0.113.7', { 'x-internal-auth-key': '' })).ok).toBe(
      false,
    );
  });
});

describe('guessing the token', () => {
  const at = (token: string, clientAddress: string) => ({
    peer: '127.0.0.1',
    clientAddress,
    header: (name: string) => (name === 'x-internal-auth-key' ? token : undefined),
  });

  test('is slowed per address, and a missing token is no guess', async () => {
    let sleeps = 0;
    const sleep = async () => {
      sleeps += 1;
    };
    const gate = createInternalGate({ token: 'good', guesses: createGuessLimit({ monotonicMs: () => 0, sleep }) });
    const without = { peer: '127.0.0.1', clientAddress: 'a', header: () => undefined };
    for (let i = 0; i < 100; i += 1) expect((await gate.check(without)).ok).toBe(false);
    for (let i = 0; i < 30; i += 1) expect((await gate.check(at(`bad ${i}`, 'a'))).ok).toBe(false);
    expect((await gate.check(at('good', 'b'))).ok).toBe(true);
    expect(sleeps).toBe(0);
    expect((await gate.check(at('good', 'a'))).ok).toBe(true);
    expect((await gate.check(at('bad', 'a'))).ok).toBe(false);
    expect(sleeps).toBe(2);
  });
});

test.each([
  ['1.0', false],
  ['0.9', false],
  ['1.1', true],
  [undefined, true],
])('without a token HTTP/%s from this machine is served: %s', async (httpVersion, ok) => {
  const verdict = await createInternalGate({}).check({
    peer: '127.0.0.1',
    httpVersion,
    header: (name) => (name === 'host' ? 'localhost' : undefined),
  });
  expect(verdict.ok).toBe(ok);
  if (!verdict.ok) expect(verdict.message).toMatch(/Speak HTTP\/1\.1.*INTERNAL_TOKEN/);
});

describe('a session', () => {
  const HOST = 'box.lan:8787';
  const COOKIE = { host: HOST, cookie: 'signalbox_session_8787=good' };
  const from = (headers: Record<string, string>, more: Partial<Omit<GateRequest, 'header'>> = {}): GateRequest => ({
    peer: '203.0.113.7',
    method: 'GET',
    ...more,
    header: (name) => headers[name],
  });

  function gateWith(token?: string) {
    const uses: object[] = [];
    const watchers = new Set<(end: 'ended' | 'unknown') => void>();
    const gate = createInternalGate({ token });
    gate.admitSessions({
      async use(cookie, { address, mayRotate }) {
        uses.push({ cookie, address, mayRotate });
        if (cookie !== 'good') return undefined;
        return { id: 's1', ...(mayRotate && { cookie: { value: 'next', maxAgeSeconds: 60 } }) };
      },
      watch(sessionId, onEnd) {
        if (sessionId === 's1') watchers.add(onEnd);
        return () => void watchers.delete(onEnd);
      },
    });
    return { gate, uses, watchers };
  }

  test.each([undefined, 'abc'])('passes from anywhere, with the token %s or without', async (token) => {
    const { gate, uses } = gateWith(token);
    expect(await gate.check(from(COOKIE, { clientAddress: '198.51.100.1' }))).toEqual({
      ok: true,
      session: {
        id: 's1',
        whenEnded: expect.any(Function),
        setCookie: 'signalbox_session_8787=next; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
      },
    });
    expect(uses).toEqual([{ cookie: 'good', address: '198.51.100.1', mayRotate: true }]);
  });

  test('is not looked at where the caller passes anyhow, nor beside a token', async () => {
    const { gate, uses } = gateWith();
    const local = { ...COOKIE, host: 'localhost:8787' };
    expect(await gate.check(from(local, { peer: '127.0.0.1' }))).toEqual({ ok: true });
    const guarded = gateWith('abc');
    expect(await guarded.gate.check(from({ ...COOKIE, 'x-internal-auth-key': 'abc' }))).toEqual({ ok: true });
    expect((await guarded.gate.check(from({ ...COOKIE, 'x-internal-auth-key': 'x' }))).ok).toBe(false);
    expect((await guarded.gate.check(from({ ...COOKIE, authorization: 'Bearer x' }))).ok).toBe(false);
    expect([...uses, ...guarded.uses]).toEqual([]);
  });

  test.each([
    [{ host: HOST }, {}],
    [{ ...COOKIE, cookie: 'signalbox_session_8787=wrong' }, {}],
    [{ ...COOKIE, cookie: 'signalbox_session=good' }, {}],
    [{ ...COOKIE, 'sec-fetch-site': 'cross-site' }, {}],
    [COOKIE, { method: 'POST' }],
    [{ ...COOKIE, origin: 'https://evil.example' }, { method: 'POST' }],
    [COOKIE, { isHandshake: true }],
    [{ ...COOKIE, origin: 'https://evil.example' }, { isHandshake: true }],
  ])('is none with %o %o, and the refusal is that of before', async (headers, more) => {
    const { gate } = gateWith();
    expect(await gate.check(from(headers, more))).toEqual(await createInternalGate({}).check(from(headers, more)));
    expect(await gate.check(from(headers, more))).toMatchObject({ ok: false });
  });

  test('begins a WebSocket for a page of ours, whose answer brings no new cookie', async () => {
    const { gate, uses } = gateWith();
    const handshake = from({ ...COOKIE, origin: `http://${HOST}` }, { isHandshake: true });
    expect(await gate.check(handshake)).toEqual({ ok: true, session: { id: 's1', whenEnded: expect.any(Function) } });
    expect(uses).toMatchObject([{ mayRotate: false }]);
  });

  test('tells of its end whoever keeps something open for it, until he has left', async () => {
    const { gate, watchers } = gateWith();
    const verdict = await gate.check(from(COOKIE));
    const ends: string[] = [];
    const leave = verdict.ok ? verdict.session?.whenEnded((end) => void ends.push(end)) : undefined;
    for (const tell of watchers) tell('ended');
    expect(ends).toEqual(['ended']);
    leave?.();
    expect(watchers.size).toBe(0);
  });

  test('is unknown to a gate that was told of none, unless the process at the door vouches for it', async () => {
    const gate = createInternalGate({ token: 'abc' });
    expect((await gate.check(from(COOKIE))).ok).toBe(false);
    expect((await gate.check(from(COOKIE, { isVouched: false }))).ok).toBe(false);
    expect((await gate.check(from({}, { isVouched: true }))).ok).toBe(true);
  });
});
