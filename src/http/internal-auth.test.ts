// The internal gate: the token, and protected mode while there is none.
import { describe, expect, test } from 'vitest';
import { createGuessLimit } from './guess-limit.ts';
import { createInternalGate } from './internal-auth.ts';

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

  test.each([
    { origin: 'http://localhost:5173' },
    { origin: 'https://127.0.0.1' },
    { origin: 'http://[::1]:8787', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('a page of this machine passes: %o', async (headers) => {
    expect((await check(gate, '127.0.0.1', { ...LOCAL, ...headers })).ok).toBe(true);
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
