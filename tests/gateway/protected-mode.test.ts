// Who may enter the internal endpoints: the token, or without one only a direct client of this machine.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doorOf } from '../../src/http/endpoint.ts';
import { internalPrefixes } from '../../src/http/mount-endpoints.ts';
import { rawClient } from '../../src/http/testing/raw-client.ts';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { expectRefusal } from '../webhook/answers.ts';

const TOKEN = 'a-token-of-the-owner';
const FROM_AFAR = '198.51.100.1';
const LOCAL = { host: 'localhost:8787' };

const open = await openGateway();
const guarded = await openGateway({ internalToken: TOKEN });
const INTERNAL_PATHS = internalPrefixes(open.app.endpoints);
afterAll(async () => {
  await open.close();
  await guarded.close();
});

type Headers = Readonly<Record<string, string>>;

async function ask(
  gateway: TestGateway,
  path: string,
  headers: Headers,
  peer = '127.0.0.1',
  method = 'GET',
): Promise<Sent> {
  const response = await gateway.app.request(path, { method, headers }, { peer });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

function expectStranger(sent: Sent): void {
  expectRefusal(sent, 'UNAUTHORIZED');
  expect(sent.headers.get('www-authenticate')).toBe('Bearer');
  expect(sent.body.error).toContain('INTERNAL_TOKEN');
  expect(sent.body.error).toContain('X-Internal-Auth-Key');
}

const sees = async (gateway: TestGateway, path: string, headers: Headers, peer?: string) =>
  (await ask(gateway, path, headers, peer)).status !== 401;

/** Senders must reach what stands above it. */
const BELOW_A_PUBLIC_PATH = '/webhook/check';

describe('the list of internal paths', () => {
  it('follows from the table, and is the one of the contract (the wallet has its own tests)', () => {
    expect(INTERNAL_PATHS.toSorted()).toEqual([
      '/account',
      '/accounts',
      '/admin',
      '/agent',
      '/email-signal',
      '/equity',
      '/events',
      '/markets',
      '/orders',
      '/performance',
      '/positions',
      '/protections',
      '/query',
      '/reconciliation',
      '/refusals',
      '/sessions',
      '/signals',
      '/trades',
    ]);
  });

  it('covers exactly the endpoints behind the internal door, but for one below a path that is open to senders', () => {
    for (const endpoint of open.app.endpoints) {
      const { path } = endpoint;
      if (path === BELOW_A_PUBLIC_PATH) continue;
      // Anybody may log in at /session itself; what is below it has the door (tests/dashboard/access.test.ts).
      const covered = [...INTERNAL_PATHS, '/session/password', '/session/totp'].some(
        (prefix) => path === prefix || path.startsWith(`${prefix}/`),
      );
      expect([path, covered]).toEqual([path, doorOf(endpoint) === 'internal']);
    }
  });
});

it('the one below a path that is open to senders is guarded by its own gate', async () => {
  const endpoint = open.app.endpoints.find(({ path }) => path === BELOW_A_PUBLIC_PATH);
  expect(endpoint && doorOf(endpoint)).toBe('internal');
  expectStranger(await ask(guarded, BELOW_A_PUBLIC_PATH, {}, FROM_AFAR, 'POST'));
});

describe.each(INTERNAL_PATHS)('%s', (prefix) => {
  it('and everything below answers a stranger 401 before anything else, whatever the method', async () => {
    for (const path of [prefix, `${prefix}/`, `${prefix}/none`, `${prefix}/a/b`, `${prefix}?limit=0`]) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
        expectStranger(await ask(open, path, LOCAL, FROM_AFAR, method));
      expectStranger(await ask(guarded, path, LOCAL));
    }
    expect((await ask(open, prefix, LOCAL, FROM_AFAR, 'HEAD')).status).toBe(401);
  });

  it('does not read the body of a stranger', async () => {
    const body = 'x'.repeat(2 * 1024 * 1024);
    const init = { method: 'POST', headers: LOCAL, body };
    expect((await open.app.request(prefix, init, { peer: FROM_AFAR })).status).toBe(401);
  });

  it('is open to a direct client of this machine and to the token, and to nobody with less', async () => {
    expect(await sees(open, prefix, LOCAL)).toBe(true);
    expect(await sees(open, `${prefix}/none`, LOCAL)).toBe(true);
    expect(await sees(guarded, prefix, { 'x-internal-auth-key': TOKEN }, FROM_AFAR)).toBe(true);
    expect(await sees(guarded, prefix, { authorization: `Bearer ${TOKEN}` }, FROM_AFAR)).toBe(true);
    expect(await sees(guarded, prefix, { 'x-internal-auth-key': `${TOKEN}x` })).toBe(false);
  });

  it('cannot be reached by another spelling of its path', async () => {
    const escaped = `/%${prefix.charCodeAt(1).toString(16)}${prefix.slice(2)}`;
    for (const path of [`/${prefix}`, `/x/..${prefix}`, escaped, prefix.toUpperCase(), `${prefix}%2f`, `${prefix};x`])
      expect([401, 404]).toContain((await ask(open, path, LOCAL, FROM_AFAR)).status);
  });
});

describe('without a token', () => {
  it.each(['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::FFFF:7F00:1'])(
    'the peer %s is this machine',
    async (peer) => {
      expect(await sees(open, '/signals', LOCAL, peer)).toBe(true);
    },
  );

  it.each([
    '128.0.0.1',
    '126.255.255.255',
    '10.0.0.1',
    '192.168.1.5',
    '0.0.0.0',
    '::',
    '::2',
    '::ffff:128.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    'fe80::1%lo',
    'localhost',
    'unknown',
    '',
  ])('the peer %j is not', async (peer) => {
    expectStranger(await ask(open, '/signals', LOCAL, peer));
  });

  it('a connection that is already gone is a stranger', async () => {
    const response = await open.app.request('/signals', { headers: LOCAL });
    expect(response.status).toBe(401);
  });

  it.each([
    'localhost',
    'localhost:8787',
    'LocalHost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.0.0.1:65535',
    '127.3.2.1:8787',
    '[::1]',
    '[::1]:8787',
    '[0:0:0:0:0:0:0:1]:8787',
    '[::ffff:127.0.0.1]:8787',
  ])('the Host %s is a name of this machine', async (host) => {
    expect(await sees(open, '/signals', { host })).toBe(true);
  });

  it.each([
    'localhost.',
    'localhost.:8787',
    '127.0.0.1.',
    '127.0.0.1.:8787',
    '[::1].',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.01',
    '0.0.0.0',
    '[::]',
    '::1',
    '::1:8787',
    '[::1',
    '[::1%25lo]',
    '[::127.0.0.1]',
    '10.0.0.1:8787',
    '198.51.100.1',
    'evil.example',
    'evil.example:8787',
    'localhost.evil.example',
    'evil.localhost',
    'localhost.localdomain',
    'localhostx',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io',
    'evil.example#localhost',
    'localhost#evil.example',
    'user@localhost',
    'localhost@evil.example',
    'localhost:8787@evil.example',
    'localhost/',
    'localhost\\',
    'localhost:',
    'localhost:port',
    'localhost:123456',
    'localhost, evil.example',
    'localhost localhost',
    '',
  ])('the Host %j is not: a name that somebody else controls may lead here', async (host) => {
    expectStranger(await ask(open, '/signals', { host }));
  });

  it('a request without a Host is refused', async () => {
    expectStranger(await ask(open, '/signals', {}));
  });

  it.each([
    'X-Forwarded-For',
    'Forwarded',
    'X-Real-IP',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'Via',
    'X-Client-IP',
    'True-Client-IP',
    'CF-Connecting-IP',
  ])('%s shows that somebody stands in between', async (name) => {
    for (const value of ['127.0.0.1', 'localhost', 'for=127.0.0.1', '198.51.100.1', ''])
      expectStranger(await ask(open, '/signals', { ...LOCAL, [name]: value }));
  });

  it('a trusted proxy makes nobody local', async () => {
    const proxied = await openGateway({ trustedProxies: ['127.0.0.1'] });
    expectStranger(await ask(proxied, '/signals', { ...LOCAL, 'x-forwarded-for': '127.0.0.1' }));
    await proxied.close();
  });

  it.each([
    'http://localhost',
    'http://localhost:5173',
    'https://LOCALHOST:8787',
    'http://127.0.0.1:8787',
    'http://[::1]:8787',
  ])('a page from %s may ask', async (origin) => {
    expect(await sees(open, '/signals', { ...LOCAL, origin })).toBe(true);
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example:8787',
    'http://localhost.',
    'http://127.1',
    'http://localhost@evil.example',
    'http://localhost/page',
    'ftp://localhost',
    'file://',
    'chrome-extension://abcdefgh',
    'localhost',
    'null',
    'http://',
    '',
  ])('a page from %j may not', async (origin) => {
    expectStranger(await ask(open, '/signals', { ...LOCAL, origin }));
  });

  it.each(['same-origin', 'same-site', 'none'])('a browser that says %s may ask', async (site) => {
    expect(await sees(open, '/signals', { ...LOCAL, 'sec-fetch-site': site })).toBe(true);
  });

  it.each(['cross-site', 'Cross-Site', 'none, cross-site', 'nonsense', ''])(
    'a browser that says %j may not',
    async (site) => expectStranger(await ask(open, '/signals', { ...LOCAL, 'sec-fetch-site': site })),
  );

  it('a token that the server does not have opens nothing', async () => {
    expectStranger(await ask(open, '/signals', { ...LOCAL, 'x-internal-auth-key': TOKEN }, FROM_AFAR));
    expectStranger(await ask(open, '/signals', { ...LOCAL, authorization: 'Bearer ' }, FROM_AFAR));
  });
});

describe('with a token', () => {
  it.each<Headers>([
    { 'x-internal-auth-key': TOKEN },
    { 'X-INTERNAL-AUTH-KEY': TOKEN },
    { authorization: `Bearer ${TOKEN}` },
    { authorization: `bearer ${TOKEN}` },
    { authorization: `BEARER   ${TOKEN}` },
    { 'x-internal-auth-key': TOKEN, authorization: `Bearer ${TOKEN}` },
    { 'x-internal-auth-key': TOKEN, authorization: 'Bearer wrong' },
    { 'x-internal-auth-key': TOKEN, authorization: 'Basic dXNlcjpwYXNz' },
  ])('%j opens from anywhere, through proxies and pages too', async (headers) => {
    const around = { host: 'signals.example.com', origin: 'https://example.com', 'x-forwarded-for': FROM_AFAR };
    expect(await sees(guarded, '/signals', { ...around, ...headers }, FROM_AFAR)).toBe(true);
  });

  it.each<Headers>([
    {},
    { 'x-internal-auth-key': '' },
    { 'x-internal-auth-key': 'wrong' },
    { 'x-internal-auth-key': TOKEN.slice(0, -1) },
    { 'x-internal-auth-key': `${TOKEN}x` },
    { 'x-internal-auth-key': TOKEN.toUpperCase() },
    { 'x-internal-auth-key': `${TOKEN}, ${TOKEN}` },
    { 'x-internal-auth-key': `"${TOKEN}"` },
    { 'x-internal-auth-key': `Bearer ${TOKEN}` },
    { 'x-internal-auth-key': TOKEN.repeat(1000) },
    { 'x-internal-auth-key': 'wrong', authorization: `Bearer ${TOKEN}` },
    { 'x-internal-auth-key': '', authorization: `Bearer ${TOKEN}` },
    { authorization: TOKEN },
    { authorization: `Bearer${TOKEN}` },
    { authorization: `Bearer\t${TOKEN}` },
    { authorization: `Bearer ${TOKEN} ${TOKEN}` },
    { authorization: `Bearer ${TOKEN},` },
    { authorization: `Token ${TOKEN}` },
    { authorization: `Basic ${Buffer.from(`owner:${TOKEN}`).toString('base64')}` },
    { authorization: 'Bearer' },
    { authorization: '' },
    { authorization: `Bearer ${'x'.repeat(100_000)}` },
    { 'x-api-key': TOKEN },
    { cookie: `x-internal-auth-key=${TOKEN}` },
  ])('%j does not, not even on this machine, and the answer does not repeat it', async (headers) => {
    const sent = await ask(guarded, '/signals', { ...LOCAL, ...headers });
    expectStranger(sent);
    expect(JSON.stringify([sent.body, [...sent.headers]])).not.toContain(TOKEN);
  });

  it('it opens from nowhere but a header', async () => {
    for (const path of [`/signals?token=${TOKEN}`, `/signals?X-Internal-Auth-Key=${TOKEN}`, `/signals/${TOKEN}`])
      expectStranger(await ask(guarded, path, LOCAL));
  });

  it('neither a webhook key nor anything in the body is a token', async () => {
    const headers = { ...LOCAL, 'x-internal-auth-key': guarded.apiKey };
    expectStranger(await ask(guarded, '/signals', headers));
    const body = { symbol: 'BTCUSDT', signal_type: 'LONG', apiKey: guarded.apiKey, token: TOKEN };
    expectStranger(await guarded.request('POST', '/signals', body));
  });

  it('the webhook needs none', async () => {
    expect((await guarded.send({}, { peer: FROM_AFAR })).status).toBe(200);
  });
});

describe('over a real socket', () => {
  let program: RunningProcess;
  beforeAll(async () => {
    program = await startGatewayProcess();
  });
  afterAll(() => program.stop());

  const status = async (...lines: string[]): Promise<number> => {
    const client = rawClient(Number(new URL(program.url).port));
    client.send(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(await client.closed())?.[1]);
  };

  it('this machine is served', async () => {
    expect(await status('GET /signals HTTP/1.1', 'Host: localhost')).toBe(200);
    expect(
      await status('GET /signals HTTP/1.1', `Host: ${new URL(program.url).host}`, 'Origin: http://localhost:1'),
    ).toBe(200);
    expect((await fetch(`${program.url}/signals`)).status).toBe(200);
  });

  it.each([
    ['another name', 'GET /signals HTTP/1.1', 'Host: evil.example'],
    ['an address in the request line', 'GET http://localhost/signals HTTP/1.1', 'Host: evil.example'],
    ['a proxy', 'GET /signals HTTP/1.1', 'Host: localhost', 'x-FORWARDED-for: 127.0.0.1'],
    ['a page of another site', 'GET /signals HTTP/1.1', 'Host: localhost', 'Origin: https://evil.example'],
    ['a picture on a page of another site', 'GET /signals HTTP/1.1', 'Host: localhost', 'Sec-Fetch-Site: cross-site'],
    [
      'two Origins',
      'GET /signals HTTP/1.1',
      'Host: localhost',
      'Origin: http://localhost',
      'Origin: https://evil.example',
    ],
  ])('%s is not', async (_, ...lines) => {
    expect(await status(...lines)).toBe(401);
  });

  it.each([
    ['two Hosts', 'GET /signals HTTP/1.1', 'Host: localhost', 'Host: evil.example'],
    ['no Host in HTTP/1.1', 'GET /signals HTTP/1.1'],
    ['no Host in HTTP/1.0', 'GET /signals HTTP/1.0'],
  ])('%s is not let in either', async (_, ...lines) => {
    expect([400, 401, 404]).toContain(await status(...lines));
  });
});

describe('guessing the token over a real socket', () => {
  it('takes a second each after thirty wrong ones, and the right one opens beside them', async () => {
    const program = await startGatewayProcess({ env: { INTERNAL_TOKEN: TOKEN } });
    const ask = async (token: string) => {
      const startedMs = performance.now();
      const response = await fetch(`${program.url}/trades`, { headers: { 'x-internal-auth-key': token } });
      await response.arrayBuffer();
      return { status: response.status, tookMs: performance.now() - startedMs };
    };
    // At once, so that no time passes in which the address earns quick tries again.
    const wrong = Array.from({ length: 100 }, (_, i) => ask(`wrong ${i}`));
    const right = await ask(TOKEN);
    expect(right.status).toBe(200);
    const answers = await Promise.all(wrong);
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(401));
    expect(answers.filter(({ tookMs }) => tookMs >= 1000).length).toBeGreaterThanOrEqual(65);
    expect((await ask(TOKEN)).status).toBe(200);
    await program.stop();
  });
});
