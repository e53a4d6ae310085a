// The owner's way in, at the front door: who enters how, what a session opens and what not, its cookie, other sites, and the limits.

import { describe, expect, it } from 'vitest';
import { totpCode } from '../../src/access/totp.ts';
import { doorOf } from '../../src/http/endpoint.ts';
import { StoredAccountFault } from '../../src/keys/stored-accounts.ts';
import type { openGateway, Sent, TestGateway } from '../support/gateway.ts';
import { expectRefusal, freshGateway } from '../webhook/answers.ts';
import { PASSWORD, setPassword } from './provoke.ts';

const TOKEN = 'a-token-of-the-owner';
const HOST = 'box.lan:8787';
const NAME = 'signalbox_session_8787';
const AFAR = '203.0.113.7';

/** What a browser sends of a page of ours, over a plain address. */
const PAGE = { host: HOST, origin: `http://${HOST}` };

const open = freshGateway;

async function withPassword(options: Parameters<typeof openGateway>[0] = {}): Promise<TestGateway> {
  const gateway = await open(options);
  const headers: Record<string, string> = { 'x-internal-auth-key': options.internalToken ?? '' };
  const { body } = await gateway.request('PUT', '/session/password', { password: PASSWORD }, { headers });
  expect(body).toMatchObject({ success: true, result: { passwordSet: true, codeNeeded: false } });
  return gateway;
}

interface From {
  readonly peer?: string;
  readonly headers?: Record<string, string>;
}
const login = (gateway: TestGateway, body: object = {}, { peer = AFAR, headers = {} }: From = {}): Promise<Sent> =>
  gateway.request('POST', '/session', { password: PASSWORD, ...body }, { peer, headers: { ...PAGE, ...headers } });

/** The cookie an answer sets, as a browser sends it back. */
const cookieOf = ({ headers }: Sent): string => headers.get('set-cookie')?.split(';')[0] ?? '';

/** A browser afar that is logged in. */
async function enter(gateway: TestGateway, peer = AFAR) {
  const sent = await login(gateway, {}, { peer });
  expect(sent.body).toMatchObject({ success: true });
  let cookie = cookieOf(sent);
  return {
    sessionId: sent.body.result.sessionId as string,
    cookie: () => cookie,
    async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Sent> {
      const answer = await gateway.request(method, path, body, { peer, headers: { ...PAGE, cookie, ...headers } });
      cookie = cookieOf(answer) || cookie;
      return answer;
    },
  };
}

describe('GET /session', () => {
  const entryOf = async (gateway: TestGateway, from: From) =>
    (await gateway.request('GET', '/session', undefined, from)).body.result;

  it('tells each caller how he enters, and a stranger nothing more', async () => {
    const gateway = await open();
    expect(await entryOf(gateway, {})).toEqual({ entry: 'open', passwordSet: false, codeNeeded: false });
    const afar = { peer: AFAR, headers: { host: HOST } };
    expect(await entryOf(gateway, afar)).toEqual({ entry: 'closed', passwordSet: false, codeNeeded: false });
    await setPassword(gateway);
    expect(await entryOf(gateway, afar)).toEqual({ entry: 'closed', passwordSet: true, codeNeeded: false });
    const owner = await enter(gateway);
    expect((await owner.ask('GET', '/session')).body.result.entry).toBe('session');
    expect(await entryOf(gateway, {})).toMatchObject({ entry: 'open' });
  });

  it('is closed on the same machine too where there is a token, and open with it', async () => {
    const gateway = await open({ internalToken: TOKEN });
    expect(await entryOf(gateway, {})).toMatchObject({ entry: 'closed' });
    expect(await entryOf(gateway, { headers: { 'x-internal-auth-key': TOKEN } })).toMatchObject({ entry: 'open' });
  });
});

describe('a session', () => {
  it('opens every internal endpoint, from another machine, without a token set', async () => {
    const gateway = await withPassword();
    const stranger = await gateway.request('GET', '/trades', undefined, { peer: AFAR, headers: PAGE });
    expectRefusal(stranger, 'UNAUTHORIZED');
    const owner = await enter(gateway);
    const inside = gateway.app.endpoints.filter((endpoint) => doorOf(endpoint) === 'internal');
    expect(inside.length).toBeGreaterThan(40);
    for (const { method, path } of inside.filter((endpoint) => endpoint.method === 'get')) {
      const { status } = await owner.ask('GET', path.replace(/\{\w+\}/g, 'x'));
      expect([method, path, status]).not.toEqual([method, path, 401]);
    }
    const switched = await owner.ask('PUT', '/admin/kill-switch', { active: true });
    expect(switched.body).toMatchObject({ success: true, result: { active: true } });
  });

  it('is asked for at every internal endpoint, by every method', async () => {
    const gateway = await withPassword();
    for (const { method, path } of gateway.app.endpoints.filter((endpoint) => doorOf(endpoint) === 'internal')) {
      const filled = path.replace(/\{\w+\}/g, 'x');
      const sent = await gateway.request(method.toUpperCase(), filled, undefined, { peer: AFAR, headers: PAGE });
      expect([method, path, sent.status, sent.body.code]).toEqual([method, path, 401, 'UNAUTHORIZED']);
    }
  });

  it('opens them where a token is set too, and the token goes on working', async () => {
    const gateway = await withPassword({ internalToken: TOKEN });
    const owner = await enter(gateway);
    expect((await owner.ask('GET', '/trades')).status).toBe(200);
    const byToken = { peer: AFAR, headers: { host: HOST, 'x-internal-auth-key': TOKEN } };
    expect((await gateway.request('DELETE', '/admin/symbol-map?symbol=X', undefined, byToken)).status).toBe(404);
  });

  it('does not help who shows a wrong token: he is judged by that', async () => {
    const gateway = await withPassword({ internalToken: TOKEN });
    const owner = await enter(gateway);
    expectRefusal(await owner.ask('GET', '/trades', undefined, { 'x-internal-auth-key': 'wrong' }), 'UNAUTHORIZED');
  });

  it('signals for nobody: the webhook asks for its key', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    expectRefusal(await owner.ask('POST', '/webhook', gateway.signal({ apiKey: 'x' })), 'AUTHENTICATION_FAILED');
  });

  it('is worth nothing before a password is set, nor after it is removed', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    await gateway.settings.access.change((rows) => rows.putPassword(undefined));
    expectRefusal(await owner.ask('GET', '/trades'), 'UNAUTHORIZED');
    expect((await owner.ask('GET', '/session')).body.result).toMatchObject({ entry: 'closed', passwordSet: false });
  });
});

describe('pages of other sites', () => {
  it('get nothing from a cookie that a browser sends along', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const foreign: readonly [string, string, Record<string, string>][] = [
      ['GET', '/trades', { 'sec-fetch-site': 'cross-site' }],
      ['GET', '/trades', { 'sec-fetch-site': 'same-site' }],
      ['GET', '/trades', { origin: 'https://evil.example' }],
      ['PUT', '/admin/kill-switch', { 'sec-fetch-site': 'cross-site' }],
      ['PUT', '/admin/kill-switch', { 'sec-fetch-site': 'none' }],
      ['PUT', '/admin/kill-switch', { origin: 'https://evil.example' }],
      ['PUT', '/admin/kill-switch', { origin: 'null' }],
      ['PUT', '/admin/kill-switch', { origin: 'http://box.lan' }],
    ];
    for (const [method, path, headers] of foreign)
      expectRefusal(
        await owner.ask(method, path, method === 'GET' ? undefined : { active: true }, headers),
        'UNAUTHORIZED',
      );
    const { body } = await owner.ask('GET', '/admin/kill-switch', undefined, { 'sec-fetch-site': 'same-origin' });
    expect(body.result.active).toBe(false);
  });

  it('nor does a change that says nothing of its page', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const bare = { peer: AFAR, headers: { host: HOST, cookie: owner.cookie() } };
    expectRefusal(await gateway.request('PUT', '/admin/kill-switch', { active: true }, bare), 'UNAUTHORIZED');
    expect((await gateway.request('GET', '/trades', undefined, bare)).status).toBe(200);
  });

  it('neither log the owner out, nor try passwords from his address', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
    for (const headers of foreign)
      expectRefusal(await owner.ask('DELETE', '/session', undefined, headers), 'FOREIGN_PAGE');
    const silent = { peer: AFAR, headers: { host: HOST, cookie: owner.cookie() } };
    expectRefusal(await gateway.request('DELETE', '/session', undefined, silent), 'FOREIGN_PAGE');
    for (let times = 0; times < 12; times++)
      expectRefusal(await login(gateway, {}, { headers: { 'sec-fetch-site': 'cross-site' } }), 'FOREIGN_PAGE');
    expect((await login(gateway)).status).toBe(200);
    expect((await owner.ask('GET', '/trades')).status).toBe(200);
  });

  it('nor under a name of their own that leads here (DNS rebinding); BASE_URL makes a name ours', async () => {
    const at = (host: string) => ({ headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' } });
    const gateway = await withPassword({ baseUrl: 'http://trade.example.com:8787' });
    for (let times = 0; times < 12; times++) {
      const sent = await login(gateway, { password: 'a guess' }, at('evil.example:8787'));
      expectRefusal(sent, 'FOREIGN_PAGE');
      expect(sent.body.error).toContain('BASE_URL');
    }
    // None of them was a try: the owner is not locked out.
    for (const host of ['trade.example.com:8787', '192.168.1.5:8787', 'box.lan:8787'])
      expect((await login(gateway, {}, at(host))).status).toBe(200);
    const program = { peer: AFAR, headers: { host: 'box.example.com' } };
    expect((await gateway.request('POST', '/session', { password: PASSWORD }, program)).status).toBe(200);
  });

  it('change nothing from another port of this machine, while no token is set', async () => {
    const gateway = await open();
    const local = { host: 'localhost:8787' };
    const set = (headers: Record<string, string>) =>
      gateway.request('PUT', '/admin/kill-switch', { active: true }, { headers: { ...local, ...headers } });
    const foreign: Record<string, string>[] = [
      { origin: 'http://localhost:3000' },
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
      { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site', 'content-type': 'application/json' },
    ];
    for (const headers of foreign) expectRefusal(await set(headers), 'UNAUTHORIZED');
    const isActive = async () => (await gateway.request('GET', '/admin/kill-switch')).body.result.active;
    expect(await isActive()).toBe(false);
    expect((await set({ origin: 'http://localhost:8787', 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect(await isActive()).toBe(true);
    expect((await set({ 'content-type': 'text/plain' })).status).toBe(200);
  });
});

describe('the cookie', () => {
  it('is for no script and no other site; over TLS it is Secure and has the prefix', async () => {
    const gateway = await withPassword({ baseUrl: 'https://trade.example.com', trustedProxies: ['10.0.0.1'] });
    const set = async (from: From) => (await login(gateway, {}, from)).headers.get('set-cookie');
    expect(await set({})).toMatch(
      new RegExp(`^${NAME}=[\\w-]{22}\\.[\\w-]{43}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict$`),
    );
    const tls = { host: 'trade.example.com', origin: 'https://trade.example.com' };
    expect(await set({ headers: tls })).toMatch(/^__Host-signalbox_session=.*; SameSite=Strict; Secure$/);
    const proxied = { ...PAGE, origin: `https://${HOST}`, 'x-forwarded-proto': 'https' };
    expect(await set({ peer: '10.0.0.1', headers: proxied })).toMatch(/^__Host-signalbox_session_8787=.*; Secure$/);
    expect(await set({ peer: '10.0.0.2', headers: proxied })).toMatch(new RegExp(`^${NAME}=`));
  });

  it('is replaced while it is used, whatever the answer is; parallel tabs and lost answers lose nothing', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const first = owner.cookie();
    expect((await owner.ask('GET', '/trades')).headers.get('set-cookie')).toBeNull();
    gateway.clock.offsetMs += 16 * 60_000;
    const bare = { peer: AFAR, headers: { ...PAGE, cookie: first } };
    const tabs = await Promise.all(
      ['/trades', '/nothing-at-all', '/trades?limit=0', '/admin/nothing', '/signals'].map((path) =>
        gateway.request('GET', path, undefined, bare),
      ),
    );
    expect(tabs.map(({ status }) => status)).toEqual([200, 404, 400, 404, 200]);
    const given = new Set(tabs.map(cookieOf).filter((cookie) => cookie !== ''));
    expect([...given]).toHaveLength(1);
    expect([...given][0]).not.toBe(first);
    // Those answers were lost; the next one brings it.
    expect((await owner.ask('GET', '/trades')).status).toBe(200);
    expect(owner.cookie()).toBe([...given][0]);
    expect((await owner.ask('GET', '/trades')).status).toBe(200);
    expect((await gateway.request('GET', '/trades', undefined, bare)).status).toBe(200);
    // Nobody honest has the old one any more: it was copied.
    gateway.clock.offsetMs += 61_000;
    expectRefusal(await gateway.request('GET', '/trades', undefined, bare), 'UNAUTHORIZED');
    expectRefusal(await owner.ask('GET', '/trades'), 'UNAUTHORIZED');
    const { body } = await gateway.request('GET', '/admin/audit');
    expect(body.result[0]).toMatchObject({ actor: `session ${AFAR}`, setting: 'session' });
    expect(JSON.stringify(body.result[0].after)).toContain('copied');
    gateway.clock.offsetMs = 0;
  });

  it('ends by logout, and is taken back', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const cookie = owner.cookie();
    const out = await owner.ask('DELETE', '/session');
    expect(out.body.result).toEqual({ ended: true });
    expect(out.headers.get('set-cookie')).toMatch(new RegExp(`^${NAME}=; Path=/; Max-Age=0`));
    const again = { peer: AFAR, headers: { ...PAGE, cookie } };
    expectRefusal(await gateway.request('GET', '/trades', undefined, again), 'UNAUTHORIZED');
    expect((await gateway.request('DELETE', '/session', undefined, again)).body.result).toEqual({ ended: false });
  });

  it('of before is of no use after another login from the same browser', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    await login(gateway, {}, { headers: { cookie: owner.cookie() } });
    expectRefusal(await owner.ask('GET', '/trades'), 'UNAUTHORIZED');
  });
});

it('credentials are taken only where TLS is certain: a Host that says so proves nothing', async () => {
  const add = () => Promise.reject(new StoredAccountFault('it is there already', 'conflict'));
  const gateway = await open({
    ...{ internalToken: TOKEN, baseUrl: 'https://trade.example.com', trustedProxies: ['10.0.0.1'] },
    knownAccounts: { add } as never,
  });
  const account = { exchange: 'binance', account: 'scalp', mode: 'live', apiKey: 'an-api-key', secret: 'a-secret' };
  const send = (peer: string, headers: Record<string, string> = {}) =>
    gateway.request('POST', '/admin/accounts', account, {
      ...{ peer, headers: { host: 'trade.example.com', 'x-internal-auth-key': TOKEN, ...headers } },
    });
  expectRefusal(await send(AFAR), 'INSECURE_CONNECTION');
  expectRefusal(await send(AFAR, { 'x-forwarded-proto': 'https' }), 'INSECURE_CONNECTION');
  expectRefusal(await send('127.0.0.1', { 'x-forwarded-proto': 'http' }), 'INSECURE_CONNECTION');
  for (const peer of ['10.0.0.1', '127.0.0.1']) expectRefusal(await send(peer), 'ACCOUNT_CONFLICT');
});

describe('sessions', () => {
  it('are listed with the one that asks, and revoked one by one or all others', async () => {
    const gateway = await withPassword();
    const [laptop, phone, tablet] = [await enter(gateway), await enter(gateway, '203.0.113.8'), await enter(gateway)];
    const list = async () => (await laptop.ask('GET', '/sessions')).body.result;
    expect(await list()).toHaveLength(3);
    expect((await list()).find(({ current }: { current: boolean }) => current)).toEqual({
      sessionId: laptop.sessionId,
      ...{ current: true, address: AFAR, userAgent: '' },
      ...{ createdAt: expect.any(Number), lastUsedAt: expect.any(Number), endsAt: expect.any(Number) },
    });
    expect((await laptop.ask('DELETE', `/sessions/${phone.sessionId}`)).body.result).toMatchObject({
      sessionId: phone.sessionId,
      address: '203.0.113.8',
    });
    expectRefusal(await phone.ask('GET', '/trades'), 'UNAUTHORIZED');
    expectRefusal(await laptop.ask('DELETE', `/sessions/${phone.sessionId}`), 'SESSION_NOT_FOUND');
    expect((await laptop.ask('DELETE', '/sessions')).body.result).toMatchObject([{ sessionId: tablet.sessionId }]);
    expect((await laptop.ask('GET', '/trades')).status).toBe(200);
    expect((await gateway.request('DELETE', '/sessions')).body.result).toHaveLength(1);
    expectRefusal(await laptop.ask('GET', '/trades'), 'UNAUTHORIZED');
  });

  it('that two logins open at once are two', async () => {
    const gateway = await withPassword();
    const [one, other] = await Promise.all([enter(gateway), enter(gateway)]);
    expect(one.sessionId).not.toBe(other.sessionId);
    for (const owner of [one, other]) expect((await owner.ask('GET', '/trades')).status).toBe(200);
  });
});

describe('the password', () => {
  it('is first set from the same machine or with the token, by nobody else', async () => {
    const gateway = await open();
    const set = (from: From) => gateway.request('PUT', '/session/password', { password: PASSWORD }, from);
    expectRefusal(await set({ peer: AFAR, headers: PAGE }), 'UNAUTHORIZED');
    expectRefusal(await set({ headers: { 'x-forwarded-for': '127.0.0.1' } }), 'UNAUTHORIZED');
    expectRefusal(await set({ headers: { 'sec-fetch-site': 'cross-site' } }), 'UNAUTHORIZED');
    expect((await set({})).body).toMatchObject({ success: true });
  });

  it('is changed with the present one, by whoever it is, and all other sessions end', async () => {
    const gateway = await withPassword();
    const [laptop, phone] = [await enter(gateway), await enter(gateway)];
    const change = { password: 'four other words here' };
    expectRefusal(await gateway.request('PUT', '/session/password', change), 'LOGIN_FAILED');
    expectRefusal(await laptop.ask('PUT', '/session/password', { ...change, current: 'wrong' }), 'LOGIN_FAILED');
    expect((await phone.ask('GET', '/trades')).status).toBe(200);
    expect((await laptop.ask('PUT', '/session/password', { ...change, current: PASSWORD })).status).toBe(200);
    expectRefusal(await phone.ask('GET', '/trades'), 'UNAUTHORIZED');
    expect((await laptop.ask('GET', '/trades')).status).toBe(200);
    expectRefusal(await login(gateway), 'LOGIN_FAILED');
    expect((await login(gateway, change)).status).toBe(200);
  });

  it('has a floor, told with the remedy', async () => {
    const sent = await (await open()).request('PUT', '/session/password', { password: 'eleven char' });
    expectRefusal(sent, 'PASSWORD_TOO_WEAK');
    expect(sent.body.error).toContain('at least 12');
  });
});

describe('one-time codes', () => {
  it('begin with a secret, are confirmed by a code, and are needed from then on', async () => {
    const gateway = await withPassword();
    const nowMs = () => Date.now() + gateway.clock.offsetMs;
    const started = (await gateway.request('POST', '/session/totp', { password: PASSWORD })).body.result;
    expect(started.address).toContain(`secret=${started.secret}`);
    expect((await login(gateway)).status).toBe(200);
    expectRefusal(await gateway.request('PUT', '/session/totp', { code: '000000' }), 'LOGIN_FAILED');
    const first = totpCode(started.secret, nowMs());
    const confirmed = await gateway.request('PUT', '/session/totp', { code: first });
    const codes: string[] = confirmed.body.result.recoveryCodes;
    expect(codes).toHaveLength(10);
    expectRefusal(await login(gateway), 'CODE_NEEDED');
    expectRefusal(await login(gateway, { code: '000000' }), 'LOGIN_FAILED');
    // The one that confirmed was used then.
    expectRefusal(await login(gateway, { code: first }), 'LOGIN_FAILED');
    gateway.clock.offsetMs += 60_000;
    const code = totpCode(started.secret, nowMs());
    expect((await login(gateway, { code })).status).toBe(200);
    expectRefusal(await login(gateway, { code }), 'LOGIN_FAILED');
    expect((await login(gateway, { code: codes[3] })).status).toBe(200);
    expectRefusal(await login(gateway, { code: codes[3] }), 'LOGIN_FAILED');
    expectRefusal(await gateway.request('POST', '/session/totp', { password: PASSWORD }), 'TOTP_CONFLICT');
    const end = (body: object) => gateway.request('DELETE', '/session/totp', { password: PASSWORD, ...body });
    // The password alone would do away with what is there for the day it is stolen.
    expectRefusal(await end({}), 'CODE_NEEDED');
    expectRefusal(await end({ password: 'wrong', code: codes[4] }), 'LOGIN_FAILED');
    for (const used of [code, codes[3], '000000']) expectRefusal(await end({ code: used }), 'LOGIN_FAILED');
    expectRefusal(await login(gateway), 'CODE_NEEDED');
    const ended = await end({ code: codes[4] });
    expect(ended.body.result).toEqual({ passwordSet: true, codeNeeded: false });
    expect((await login(gateway)).status).toBe(200);
    gateway.clock.offsetMs = 0;
  });
});

describe('a flood of logins', () => {
  it('is bounded for its address before a password is looked at, and keeps nobody else out', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const from = { peer: '198.51.100.1' };
    const wrongOnes = Array.from({ length: 200 }, () => login(gateway, { password: 'wrong' }, from));
    // Nor does a right one from there pass, until it has waited.
    const [right, ...flood] = (await Promise.all([...wrongOnes, login(gateway, {}, from)])).toReversed();
    const refused = flood.filter(({ status }) => status === 429);
    // On a slow machine the first may have earned another try before the last has come.
    expect(flood.length - refused.length).toBeGreaterThanOrEqual(10);
    expect(flood.length - refused.length).toBeLessThan(15);
    for (const sent of [right as Sent, ...refused]) expectRefusal(sent, 'TOO_MANY_LOGINS');
    expect(Number(right?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await login(gateway)).status).toBe(200);
    expect((await owner.ask('GET', '/trades')).status).toBe(200);
  });

  it('from many addresses keeps nobody out who has logged in from his before, though he is logged out', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    await owner.ask('DELETE', '/session');
    const flood = Array.from({ length: 120 }, (_, number) =>
      login(gateway, { password: 'wrong' }, { peer: `198.51.100.${number}` }),
    );
    const own = await login(gateway);
    expect(own.status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses).toContain(429);
  });

  it('counts wrong present passwords and codes too', async () => {
    const gateway = await withPassword();
    const tries = Array.from({ length: 15 }, () =>
      gateway.request('DELETE', '/session/totp', { password: 'wrong' }, { peer: '127.0.0.1' }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(10);
  });
});

describe('what is told and kept', () => {
  it('holds no password, code or cookie: not in answers, not in the audit, not on disk', async () => {
    const gateway = await withPassword();
    const owner = await enter(gateway);
    const wrong = 'a wrong password of mine';
    const answers = [
      await login(gateway, { password: wrong }),
      await login(gateway, { password: 12345678 }),
      await owner.ask('PUT', '/session/password', { password: 'short one', current: PASSWORD }),
      await owner.ask('GET', '/sessions'),
      await owner.ask('GET', '/admin/audit'),
      await owner.ask('DELETE', '/session'),
    ];
    const told = answers.map(({ body }) => JSON.stringify(body)).join();
    const kept = JSON.stringify([gateway.settings.access.password(), gateway.settings.access.sessions()]);
    const secret = owner.cookie().split('=')[1] ?? '';
    for (const hidden of [PASSWORD, wrong, '12345678', 'short one', ...secret.split('.').filter(Boolean)])
      expect(told + kept).not.toContain(hidden);
    const { body } = await gateway.request('GET', '/admin/audit');
    const lines = body.result.map(({ setting, before, after }: Record<string, unknown>) => [
      setting,
      before !== null,
      after !== null,
    ]);
    expect(lines.toReversed()).toEqual([
      ['password', false, true],
      ['session', false, true],
      ['login', false, true],
      ['session', true, false],
    ]);
  });

  it('tells the owner of failed logins: the first of an address at once, then an hour’s as one line', async () => {
    const gateway = await withPassword();
    const logins = async () =>
      (await gateway.request('GET', '/admin/audit')).body.result
        .filter(({ setting }: { setting: string }) => setting === 'login')
        .map(({ actor, before, after }: Record<string, unknown>) => [actor, before, after]);
    await login(gateway, { password: 'a wrong one' });
    expect(await logins()).toEqual([[`login ${AFAR}`, null, { refused: 1 }]]);
    const flood = Array.from({ length: 60 }, () => login(gateway, { password: 'a wrong one' }));
    expect((await Promise.all(flood)).map(({ status }) => status)).toContain(429);
    // Of IPv6 a whole network is one address: who has one has all of them.
    for (const host of ['1', '2']) await login(gateway, { password: 'a wrong one' }, { peer: `2001:db8::${host}` });
    expect(await logins()).toHaveLength(2);
    expect(JSON.stringify(await logins())).not.toContain('a wrong one');
  });
});

describe('the secret of the authenticator app', () => {
  const MASTER = 'the-master-key-of-the-owner';
  const turnOn = async (gateway: TestGateway) => {
    const { secret } = (await gateway.request('POST', '/session/totp', { password: PASSWORD })).body.result;
    const nowMs = () => Date.now() + gateway.clock.offsetMs;
    const confirmed = await gateway.request('PUT', '/session/totp', { code: totpCode(secret, nowMs()) });
    gateway.clock.offsetMs += 60_000;
    return { secret: secret as string, recovery: confirmed.body.result.recoveryCodes as string[], nowMs };
  };
  const stored = async ({ settings }: TestGateway): Promise<string> =>
    (await settings.access.password())?.totp?.secret ?? '';

  it('is sealed with the master key, and codes are checked as before', async () => {
    const gateway = await withPassword({ masterKey: MASTER });
    const { secret, nowMs } = await turnOn(gateway);
    expect(await stored(gateway)).toMatch(/^sealed1\./);
    expect((await login(gateway, { code: totpCode(secret, nowMs()) })).status).toBe(200);
  });

  it('stays in clear without one, as it was', async () => {
    const gateway = await withPassword();
    const { secret, nowMs } = await turnOn(gateway);
    expect(await stored(gateway)).toBe(secret);
    expect((await login(gateway, { code: totpCode(secret, nowMs()) })).status).toBe(200);
  });

  it.each([['another'], [undefined]])(
    'with %s master key codes are refused with the remedy, and a recovery code lets in',
    async (masterKey) => {
      const before = await withPassword({ masterKey: MASTER });
      const { secret, recovery, nowMs } = await turnOn(before);
      const { dataDir } = before;
      await before.close();
      const later = await open({ dataDir, ...(masterKey && { masterKey }) });
      const code = () => totpCode(secret, nowMs());
      const refused = await login(later, { code: code() });
      expectRefusal(refused, 'CODES_SEALED');
      for (const remedy of ['SIGNALBOX_MASTER_KEY', 'recovery code', 'password --totp-off'])
        expect(refused.body.error).toContain(remedy);
      // Nobody learns from it whether the password was right.
      const guessed = await login(later, { password: 'a wrong one', code: code() });
      expect(guessed.body.error).toBe(refused.body.error);
      expectRefusal(await login(later, { password: 'a wrong one', code: recovery[0] }), 'LOGIN_FAILED');
      expect((await login(later, { code: recovery[0] })).status).toBe(200);
      expect((await login(later, { code: recovery[0] })).status).toBe(401);
      const end = (body: object) => later.request('DELETE', '/session/totp', { password: PASSWORD, ...body });
      expectRefusal(await end({ code: code() }), 'CODES_SEALED');
      const ended = await end({ code: recovery[1] });
      expect(ended.body.result).toMatchObject({ codeNeeded: false });
    },
  );
});
