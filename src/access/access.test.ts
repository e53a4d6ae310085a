// Access: logging in, the password and its change, one-time codes, and what of all that is written down.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Access } from './access.ts';
import { Passwords } from './password.ts';
import { memoryAccessStore } from './testing/memory-access-store.ts';
import { totpCode } from './totp.ts';

const PASSWORD = 'four words in a row';
const ORIGIN = { address: '203.0.113.7', userAgent: 'Firefox' };
const passwords = new Passwords({ randomBytes, cost: { n: 16, r: 1, p: 1 } });

async function open({ isSet = true } = {}) {
  const store = memoryAccessStore();
  const clock = { nowMs: 1_700_000_000_000 };
  const access = new Access({ store, nowMs: () => clock.nowMs, randomBytes, passwords, onTrouble: () => {} });
  if (isSet) await access.setPassword(PASSWORD, 'cli');
  const login = (given = PASSWORD, code?: string) =>
    access.login({ password: given, code, origin: ORIGIN, actor: 'api 203.0.113.7' });
  const isIn = async (opened: Awaited<ReturnType<typeof login>>) =>
    (await access.sessions.use(opened.cookie.value, { address: 'x', mayRotate: true })) !== undefined;
  const withTotp = async () => {
    const { secret } = await access.beginTotp(PASSWORD, 'here');
    const codes = await access.confirmTotp(totpCode(secret, clock.nowMs), 'owner');
    clock.nowMs += 30_000;
    return { secret, codes, code: () => totpCode(secret, clock.nowMs) };
  };
  return { store, clock, access, login, isIn, withTotp };
}

const failsWith = (code: string, words = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(words) });

describe('a login', () => {
  test('opens a session for the right password alone', async () => {
    const { login, isIn, access } = await open();
    expect(await isIn(await login())).toBe(true);
    for (const wrong of ['', 'four words', `${PASSWORD} `])
      await expect(login(wrong)).rejects.toEqual(failsWith('LOGIN_FAILED'));
    expect(await access.sessions.list()).toHaveLength(1);
  });

  test('is refused in the same words where no password is set', async () => {
    const [none, one] = [await open({ isSet: false }), await open()];
    const words = async (wanted: Promise<unknown>) => wanted.catch((error: Error) => error.message);
    expect(await words(none.login())).toBe(await words(one.login('wrong, all of it')));
    expect(await none.access.isPasswordSet()).toBe(false);
  });

  test('and another at the same time are two sessions', async () => {
    const { login, isIn } = await open();
    const [one, other] = await Promise.all([login(), login()]);
    expect(one.id).not.toBe(other.id);
    expect([await isIn(one), await isIn(other)]).toEqual([true, true]);
  });

  test('with a password that is changed while its hash is made is refused', async () => {
    const { login, access, store } = await open();
    const underWay = login();
    // By another process, which waits for no turn.
    await store.change((rows) => rows.putPassword({ hash: 'another' }));
    await expect(underWay).rejects.toEqual(failsWith('LOGIN_FAILED'));
    expect(await access.sessions.list()).toEqual([]);
  });
});

describe('the password', () => {
  test('is set first by whoever may, and changed by whoever knows it; other sessions end', async () => {
    const { access, login, isIn } = await open({ isSet: false });
    await access.changePassword({ password: PASSWORD, actor: 'api' });
    const [one, other] = [await login(), await login()];
    const change = { password: 'four other words here', sessionId: one.id, actor: 'api' };
    await expect(access.changePassword(change)).rejects.toEqual(failsWith('LOGIN_FAILED', 'signalbox password'));
    await expect(access.changePassword({ ...change, current: 'wrong' })).rejects.toEqual(failsWith('LOGIN_FAILED'));
    expect([await isIn(one), await isIn(other)]).toEqual([true, true]);
    await access.changePassword({ ...change, current: PASSWORD });
    expect([await isIn(one), await isIn(other)]).toEqual([true, false]);
    await expect(login()).rejects.toEqual(failsWith('LOGIN_FAILED'));
    expect(await isIn(await login('four other words here'))).toBe(true);
  });

  test('that is too short is refused, and the old one stays', async () => {
    const { access, login } = await open();
    const change = { password: 'short', current: PASSWORD, actor: 'api' };
    await expect(access.changePassword(change)).rejects.toEqual(failsWith('PASSWORD_TOO_WEAK', 'at least 12'));
    await login();
  });

  test('set for the first time by two at once is that of one of them', async () => {
    const { access, login } = await open({ isSet: false });
    const set = (password: string) => access.changePassword({ password, actor: 'api' });
    const outcomes = await Promise.allSettled([set(PASSWORD), set('four other words here')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await login();
  });

  test('is removed with all sessions and codes by whoever has the data folder', async () => {
    const { access, login, isIn, withTotp } = await open();
    const { code } = await withTotp();
    const opened = await login(PASSWORD, code());
    expect(await access.removePassword('cli')).toBe(true);
    expect(await access.removePassword('cli')).toBe(false);
    expect([await isIn(opened), await access.isPasswordSet(), await access.isCodeNeeded()]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('one-time codes', () => {
  test('are asked for once the first was shown', async () => {
    const { access, login, clock } = await open();
    const { secret } = await access.beginTotp(PASSWORD, 'here');
    await login();
    await expect(access.confirmTotp('000000', 'owner')).rejects.toThrow('clocks');
    expect(await access.isCodeNeeded()).toBe(false);
    await access.confirmTotp(totpCode(secret, clock.nowMs), 'owner');
    expect(await access.isCodeNeeded()).toBe(true);
    await expect(login()).rejects.toEqual(failsWith('CODE_NEEDED'));
    clock.nowMs += 30_000;
    await login(PASSWORD, totpCode(secret, clock.nowMs));
  });

  test('count once: not in a second login, and not in one at the same time', async () => {
    const { login, withTotp, clock } = await open();
    const { code } = await withTotp();
    const both = await Promise.allSettled([login(PASSWORD, code()), login(PASSWORD, code())]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(login(PASSWORD, code())).rejects.toEqual(failsWith('LOGIN_FAILED'));
    clock.nowMs += 30_000;
    await login(PASSWORD, code());
  });

  test('that are wrong are refused in the words of a wrong password, and use nothing up', async () => {
    const { login, withTotp } = await open();
    const { code } = await withTotp();
    const words = async (wanted: Promise<unknown>) => wanted.catch((error: Error) => error.message);
    expect(await words(login(PASSWORD, '000000'))).toBe(await words(login('wrong', code())));
    await login(PASSWORD, code());
  });

  test('a recovery code lets in once in place of one', async () => {
    const { login, withTotp, store } = await open();
    const { codes } = await withTotp();
    const [first = '', second = ''] = codes;
    await login(PASSWORD, first.toLowerCase());
    await expect(login(PASSWORD, first)).rejects.toEqual(failsWith('LOGIN_FAILED'));
    await login(PASSWORD, second);
    const left = store.state.audit.filter(({ setting }) => setting === 'totp').map(({ after }) => after);
    expect(left.slice(1)).toEqual(['{"recoveryCodesLeft":9}', '{"recoveryCodesLeft":8}']);
  });

  test('begin, are confirmed and end only in that order, with the password, and end with a code too', async () => {
    const { access, clock, withTotp, login } = await open();
    const end = (password: string, code?: string) => access.endTotp({ password, code, actor: 'owner' });
    await expect(access.confirmTotp('000000', 'owner')).rejects.toThrow('begin again');
    await expect(access.beginTotp('wrong', 'here')).rejects.toEqual(failsWith('LOGIN_FAILED'));
    await expect(end(PASSWORD)).rejects.toEqual(failsWith('TOTP_CONFLICT'));
    const { secret } = await access.beginTotp(PASSWORD, 'here');
    clock.nowMs += 10 * 60_000 + 1;
    await expect(access.confirmTotp(totpCode(secret, clock.nowMs), 'owner')).rejects.toThrow('begin again');
    const { codes } = await withTotp();
    await expect(access.beginTotp(PASSWORD, 'here')).rejects.toEqual(failsWith('TOTP_CONFLICT'));
    await expect(end(PASSWORD)).rejects.toEqual(failsWith('CODE_NEEDED'));
    await expect(end('wrong', codes[0])).rejects.toEqual(failsWith('LOGIN_FAILED'));
    await expect(end(PASSWORD, '000000')).rejects.toEqual(failsWith('LOGIN_FAILED'));
    expect(await access.isCodeNeeded()).toBe(true);
    await end(PASSWORD, codes[0]);
    await login();
  });

  test('need a password beside them', async () => {
    const { access } = await open({ isSet: false });
    await expect(access.beginTotp(PASSWORD, 'here')).rejects.toEqual(failsWith('NO_PASSWORD'));
  });

  test('stay when the password is changed, and end by the word of whoever has the data folder', async () => {
    const { access, withTotp } = await open();
    await withTotp();
    await access.setPassword('four other words here', 'cli');
    expect(await access.isCodeNeeded()).toBe(true);
    expect([await access.removeTotp('cli'), await access.removeTotp('cli')]).toEqual([true, false]);
  });
});

test('what is stored and audited holds no password, no code and no cookie', async () => {
  const { access, login, withTotp, store } = await open();
  const { codes, code } = await withTotp();
  const used = code();
  const { cookie } = await login(PASSWORD, used);
  await login(PASSWORD, codes[0]);
  await access.changePassword({ password: 'four other words here', current: PASSWORD, actor: 'api' });
  const disk = JSON.stringify(store.state);
  for (const secret of [PASSWORD, 'four other words here', ...codes, ...cookie.value.split('.')])
    expect(disk).not.toContain(secret);
  const audit = JSON.stringify(store.state.audit);
  for (const hidden of [store.state.password?.hash, store.state.password?.totp?.secret, used])
    expect(audit).not.toContain(hidden);
  expect(store.state.audit.map(({ setting, actor }) => `${setting} ${actor}`)).toEqual([
    'password cli',
    'totp owner',
    'session api 203.0.113.7',
    'totp api 203.0.113.7',
    'session api 203.0.113.7',
    'password api',
    'session api',
    'session api',
  ]);
});
