// Signing in at a code host, through the front door, against a server that speaks GitHub's and GitLab's documented forms.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDeviceFlow } from '../../src/adapters/oauth/device-flow.ts';
import type { DeviceFlow } from '../../src/library/device-flow.ts';
import { codeOf, openScriptsApp, type ScriptsApp, type Sent } from '../../src/services/scripts/testing/scripts-app.ts';
import { CLIENT_IDS, type CodeHostServer, DEVICE_CODES, openCodeHost, TOKENS } from '../support/code-host-server.ts';

const START = '/api/git/oauth/device/start';
const POLL = '/api/git/oauth/device/poll';
/** A host that answers gets all the time it needs; one that never does is not waited for long. */
const PATIENCE_MS = 10_000;
const SHORT_PATIENCE_MS = 300;
const HOSTS = ['github', 'gitlab'] as const;

let host: CodeHostServer;
let flow: DeviceFlow;
let hurried: DeviceFlow;
let app: ScriptsApp;
beforeAll(async () => {
  host = await openCodeHost();
  flow = createDeviceFlow({ bases: host.bases, timeoutMs: PATIENCE_MS });
  hurried = createDeviceFlow({ bases: host.bases, timeoutMs: SHORT_PATIENCE_MS });
});
afterAll(() => host.close());
beforeEach(() => {
  host.decide('pending');
  host.misbehave(undefined);
  host.asked.length = 0;
  app = openScriptsApp({ deviceFlow: flow, oauthClientIds: CLIENT_IDS });
});

const start = (body: unknown): Promise<Sent> => app.send('POST', START, { body });
const poll = (provider: 'github' | 'gitlab', more: object = {}): Promise<Sent> =>
  app.send('POST', POLL, { body: { provider, device_code: DEVICE_CODES[provider], ...more } });

describe('start', () => {
  test('at GitHub answers what the user is shown', async () => {
    const sent = await start({ provider: 'github' });
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        status: 'success',
        provider: 'github',
        device_code: DEVICE_CODES.github,
        user_code: 'WDJB-MJHT',
        verification_uri: 'https://github.com/login/device',
        expires_in: 900,
        interval: 5,
      },
    ]);
    expect(sent.headers.get('cache-control')).toBe('no-store');
    const [asked] = host.asked;
    expect([asked?.path, asked?.form.toString()]).toEqual([
      '/login/device/code',
      `client_id=${CLIENT_IDS.github}&scope=repo+read%3Auser`,
    ]);
  });

  test('at GitLab answers the page with the code filled in too', async () => {
    const sent = await start({ provider: 'gitlab', scope: 'read_repository write_repository' });
    expect(sent.body).toMatchObject({ status: 'success', provider: 'gitlab', expires_in: 300, interval: 5 });
    expect(sent.text).toContain(
      '"verification_uri_complete":"https://gitlab.example.com/oauth/device?user_code=0A44L90H"',
    );
    expect(host.asked[0]?.path).toBe('/oauth/authorize_device');
    expect(host.asked[0]?.form.get('scope')).toBe('read_repository write_repository');
  });

  test.each(HOSTS)('uses the operator’s client id for %s before the caller’s', async (provider) => {
    await start({ provider, clientId: 'of-the-caller' });
    expect(host.asked[0]?.form.get('client_id')).toBe(CLIENT_IDS[provider]);
    await poll(provider, { clientId: 'of-the-caller' });
    expect(host.asked[1]?.form.get('client_id')).toBe(CLIENT_IDS[provider]);
  });

  test.each([undefined, ''])('uses the caller’s where the operator has set %j, and needs one of both', async (none) => {
    app = openScriptsApp({ deviceFlow: flow, oauthClientIds: { github: none } });
    const without = await start({ provider: 'github' });
    expect([codeOf(without), without.body.message]).toEqual([
      '400 NO_CLIENT_ID',
      expect.stringContaining('GITHUB_OAUTH_CLIENT_ID'),
    ]);
    expect(codeOf(await poll('github'))).toBe('400 NO_CLIENT_ID');
    expect(host.asked).toEqual([]);
    expect(codeOf(await start({ provider: 'github', clientId: CLIENT_IDS.github }))).toBe('200 success');
  });

  test.each<[unknown, string]>([
    ['{', '400 INVALID_BODY'],
    [{}, '400 MISSING_FIELD'],
    [{ provider: 'bitbucket' }, '400 INVALID_FIELD'],
    [{ provider: '__proto__' }, '400 INVALID_FIELD'],
    [{ provider: 'github', clientId: 5 }, '400 INVALID_FIELD'],
    [{ provider: 'github', clientId: '' }, '400 INVALID_FIELD'],
    [{ provider: 'github', clientId: 'a b' }, '400 INVALID_FIELD'],
    [{ provider: 'github', scope: 'repo&x=1' }, '400 INVALID_FIELD'],
    [{ provider: 'github', baseUrl: 'http://127.0.0.1' }, '400 UNKNOWN_FIELDS'],
  ])('refuses %j before anybody is asked', async (body, code) => {
    expect(codeOf(await start(body))).toBe(code);
    expect(host.asked).toEqual([]);
  });

  test.each(HOSTS)('with a client id that %s does not know is its refusal, in words', async (provider) => {
    app = openScriptsApp({ deviceFlow: flow, oauthClientIds: { [provider]: 'wrong' } });
    const sent = await start({ provider });
    expect([codeOf(sent), sent.body.message]).toEqual(['502 OAUTH_UPSTREAM', expect.stringContaining('client id')]);
  });
});

describe('poll', () => {
  test.each(HOSTS)('at %s passes each state on in one shape', async (provider) => {
    const waiting = await poll(provider);
    expect([waiting.status, waiting.body]).toEqual([
      200,
      { status: 'pending', error: 'authorization_pending', error_description: expect.any(String), provider },
    ]);
    host.decide('slow_down');
    expect((await poll(provider)).body).toMatchObject({ status: 'pending', error: 'slow_down', interval: 10 });
    for (const state of ['expired_token', 'access_denied'] as const) {
      host.decide(state);
      const ended = await poll(provider);
      expect([ended.status, ended.body]).toEqual([
        200,
        { status: 'failed', error: state, error_description: expect.stringContaining('start again'), provider },
      ]);
    }
    host.decide('granted');
    const granted = await poll(provider);
    expect(granted.body).toMatchObject({ status: 'success', provider, access_token: TOKENS[provider] });
    const { form } = host.asked.at(-1) ?? {};
    expect(form?.get('device_code')).toBe(DEVICE_CODES[provider]);
    expect(form?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:device_code');
  });

  test('passes on what comes with a token, and nothing we do not know', async () => {
    host.decide('granted');
    expect((await poll('gitlab')).body).toEqual({
      status: 'success',
      provider: 'gitlab',
      access_token: TOKENS.gitlab,
      token_type: 'Bearer',
      scope: 'api',
      expires_in: 7200,
      refresh_token: 'glrt-refresh',
    });
  });

  test('tokens and codes are in no log', async () => {
    host.decide('granted');
    await poll('github');
    host.misbehave((response) => response.writeHead(500).end(TOKENS.github));
    await poll('github');
    expect(app.text()).toContain(POLL);
    for (const secret of [TOKENS.github, DEVICE_CODES.github]) expect(app.text()).not.toContain(secret);
  });

  test.each(HOSTS)('with a code that %s never gave out says to start again', async (provider) => {
    const sent = await poll(provider, { device_code: 'never-given' });
    expect([codeOf(sent), sent.body.message]).toEqual(['400 INVALID_FIELD', expect.stringContaining('start again')]);
  });

  test.each<[object, string]>([
    [{ device_code: undefined }, '400 MISSING_FIELD'],
    [{ device_code: '' }, '400 INVALID_FIELD'],
    [{ device_code: 'a b' }, '400 INVALID_FIELD'],
    [{ device_code: 'x'.repeat(1025) }, '400 INVALID_FIELD'],
    [{ device_code: 7 }, '400 INVALID_FIELD'],
    [{ token: 'x' }, '400 UNKNOWN_FIELDS'],
  ])('refuses %j', async (more, code) => {
    expect(codeOf(await poll('github', more))).toBe(code);
    expect(host.asked).toEqual([]);
  });
});

describe('a code host that is out of order', () => {
  const json = (body: unknown) => JSON.stringify(body);
  const expectOutOfOrder = async (): Promise<void> => {
    for (const sent of [await start({ provider: 'github' }), await poll('gitlab')]) {
      expect([sent.status, sent.body]).toEqual([
        502,
        { status: 'error', code: 'OAUTH_UPSTREAM', message: expect.stringContaining('code host') },
      ]);
      expect(sent.text).not.toContain('sec');
    }
  };

  test.each<[string, Parameters<CodeHostServer['misbehave']>[0]]>([
    ['never answers', () => undefined],
    ['stops in the middle', (response) => void response.writeHead(200).write('{"device_code":')],
  ])('and %s is 502, in our words', async (_name, how) => {
    app = openScriptsApp({ deviceFlow: hurried, oauthClientIds: CLIENT_IDS });
    host.misbehave(how);
    await expectOutOfOrder();
  });

  test.each<[string, Parameters<CodeHostServer['misbehave']>[0]]>([
    ['hangs up', (response) => void response.destroy()],
    ['answers 500', (response) => void response.writeHead(500).end(json({ device_code: 'x' }))],
    ['answers 503 with a page', (response) => void response.writeHead(503).end('<html>secret</html>')],
    ['answers 429', (response) => void response.writeHead(429).end(json({ error: 'slow_down' }))],
    ['answers a page', (response) => void response.end('<html>secret</html>')],
    ['answers nothing', (response) => void response.end()],
    ['answers null', (response) => void response.end('null')],
    ['answers a list', (response) => void response.end('[]')],
    ['answers without the fields', (response) => void response.end('{}')],
    ['answers fields of the wrong kind', (response) => void response.end(json({ device_code: 1, access_token: {} }))],
    ['answers with a word of a kind we do not know', (response) => void response.end(json({ error: 'sec ret' }))],
    ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
    ['answers endlessly', (response) => void response.end(`{"x":"${'x'.repeat(100_000)}"}`)],
    [
      'sends the browser to a piece of script',
      (response) =>
        void response.end(json({ device_code: 'a', user_code: 'b', verification_uri: 'javascript:secret' })),
    ],
  ])('and %s is 502, in our words', async (_name, how) => {
    host.misbehave(how);
    await expectOutOfOrder();
  });

  test('and is not there at all is 502', async () => {
    const gone = await openCodeHost();
    await gone.close();
    app = openScriptsApp({ deviceFlow: createDeviceFlow({ bases: gone.bases }), oauthClientIds: CLIENT_IDS });
    expect(codeOf(await start({ provider: 'github' }))).toBe('502 OAUTH_UPSTREAM');
  });

  test('holds no more than 32 calls at once, and serves again afterwards', async () => {
    app = openScriptsApp({ deviceFlow: hurried, oauthClientIds: CLIENT_IDS });
    host.misbehave(() => undefined);
    const calls = Array.from({ length: 40 }, (_, n) =>
      app.send('POST', START, { body: { provider: 'github' }, peer: `203.0.113.${n}` }),
    );
    const messages = (await Promise.all(calls)).map(({ body }) => body.message);
    expect(messages.filter((message) => message.includes('too many sign-ins'))).toHaveLength(8);
    host.misbehave(undefined);
    await expect.poll(async () => codeOf(await start({ provider: 'github' }))).toBe('200 success');
  });

  test('fills in what RFC 8628 leaves out, and bounds what is absurd', async () => {
    const fields = { device_code: 'a', user_code: 'b', verification_uri: 'https://host.example/device' };
    host.misbehave((response) => response.end(json(fields)));
    expect((await start({ provider: 'github' })).body).toMatchObject({ expires_in: 900, interval: 5 });
    host.misbehave((response) => response.end(json({ ...fields, expires_in: 1e12, interval: 0.5 })));
    expect((await start({ provider: 'github' })).body).toMatchObject({ expires_in: 86_400, interval: 5 });
  });
});

describe('the limits', () => {
  test.each([
    [START, 8, '"oauth-start"', { provider: 'github' }],
    [POLL, 60, '"oauth-poll"', { provider: 'github', device_code: DEVICE_CODES.github }],
  ])('%s: %i a minute and address, counted whatever is sent', async (path, most, policy, good) => {
    const ask = (body: unknown, peer = '203.0.113.1') => app.send('POST', path, { body, peer });
    for (let n = 0; n < most - 1; n += 1) expect((await ask(n % 2 === 0 ? good : '{')).status).not.toBe(429);
    expect((await ask(good)).headers.get('ratelimit')).toBe(`${policy};r=0;t=60`);
    const refused = await ask(good);
    expect(codeOf(refused)).toBe('429 RATE_LIMIT');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('ratelimit-policy')).toBe(`${policy};q=${most};w=60`);
    expect((await ask(good, '203.0.113.2')).status).toBe(200);
    app.clock.nowMs += 60_000;
    expect((await ask(good)).status).toBe(200);
  });

  test('of the two routes are apart', async () => {
    for (let n = 0; n < 9; n += 1) await start({ provider: 'github' });
    expect((await poll('github')).status).toBe(200);
  });
});
