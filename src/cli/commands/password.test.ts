// `signalbox password` and `signalbox sessions`: what they ask, do and say.

import { describe, expect, test } from 'vitest';
import type { OpenedAccess } from '../host.ts';
import { ok, run } from '../testing/fake-host.ts';

const PASSWORD = 'tall green river stones';

function access({ isSet = false, hasTotp = false } = {}) {
  const done: string[] = [];
  const opened: OpenedAccess = {
    isPasswordSet: async () => isSet,
    async setPassword(password) {
      if (password.length < 12) throw new Error('the password has 5 characters; take at least 12');
      done.push(`set ${password}`);
    },
    async removePassword() {
      done.push('remove');
      return isSet;
    },
    async removeTotp() {
      done.push('totp-off');
      return hasTotp;
    },
    where: 'data folder data',
    async close() {
      done.push('close');
    },
  };
  return { access: opened, done };
}

describe('password', () => {
  test('is typed twice, and never shown', async () => {
    const given = access();
    const ran = await run(['password'], { ...given, typed: [PASSWORD, PASSWORD] });
    expect(ran).toMatchObject({ code: 0, out: 'The password is set. Log in with it in the dashboard.' });
    expect(given.done).toEqual([`set ${PASSWORD}`, 'close']);
    expect(ran.out + ran.err).not.toContain(PASSWORD);
  });

  test('that is typed in two ways is not set', async () => {
    const given = access();
    const ran = await run(['password'], { ...given, typed: [PASSWORD, 'tall green river stone'] });
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('not the same') });
    expect(given.done).toEqual(['close']);
  });

  test('may be piped in, as one line', async () => {
    const given = access({ isSet: true });
    const ran = await run(['password', '--json'], { ...given, input: `${PASSWORD}\r\nnot this\n` });
    expect(JSON.parse(ran.out)).toEqual({ success: true, result: { passwordSet: true } });
    expect(given.done).toEqual([`set ${PASSWORD}`, 'close']);
    const changed = await run(['password'], { ...access({ isSet: true }), input: PASSWORD });
    expect(changed.out).toContain('Every session has ended');
  });

  test.each(['', '\n'])('that is missing (%j) is asked for', async (input) => {
    const given = access();
    const ran = await run(['password'], { ...given, input });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('Pipe one line in') });
  });

  test('that is too weak is refused with the remedy', async () => {
    const ran = await run(['password'], { ...access(), input: 'short' });
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('at least 12') });
  });

  test('--remove asks first, and says what ends', async () => {
    const given = access({ isSet: true });
    expect(await run(['password', '--remove'], { ...given, input: 'no\n' })).toMatchObject({ code: 1, out: '' });
    expect(given.done).toEqual(['close']);
    expect((await run(['password', '--remove'], { ...given, input: 'yes\n' })).out).toContain(
      'every session has ended',
    );
    expect((await run(['password', '--remove', '--yes'], given)).code).toBe(0);
    const none = await run(['password', '--remove', '--yes'], access());
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No password is set') });
  });

  test('--totp-off is the way back without the app', async () => {
    const ran = await run(['password', '--totp-off', '--yes'], access({ isSet: true, hasTotp: true }));
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('password alone') });
    expect(await run(['password', '--totp-off'], { ...access(), input: '' })).toMatchObject({ code: 1 });
    expect(await run(['password', '--totp-off', '--yes'], access())).toMatchObject({ code: 1, out: '' });
  });

  test.each([
    [['password', PASSWORD], 'one word too many'],
    [['password', '--remove', '--totp-off'], 'only one of'],
    [['password', '--yes'], '--yes belongs to'],
    [['password', '--url', 'http://x'], 'on that machine'],
    [['password', '--token', 'x'], 'on that machine'],
  ])('%j is no way to say it', async (argv, words) => {
    const given = access();
    expect(await run(argv, given)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words) });
    expect(given.done).toEqual([]);
  });
});

const SESSION = {
  sessionId: '0f5396c6beea',
  ...{ current: false, createdAt: 1_700_000_000_000, lastUsedAt: 1_700_000_060_000, endsAt: 1_700_600_000_000 },
  ...{ address: '203.0.113.7', userAgent: 'Firefox\u001b[31m' },
};

describe('sessions', () => {
  test('are listed', async () => {
    const ran = await run(['sessions'], ok([SESSION]));
    expect(ran.calls).toEqual([{ method: 'GET', path: '/sessions' }]);
    expect(ran.out).toContain('0f5396c6beea');
    expect(ran.out).toContain('203.0.113.7');
    expect(ran.out).not.toContain('\u001b');
    expect((await run(['sessions'], ok([]))).out).toBe('Nobody is logged in.');
  });

  test('are revoked one by one, or all', async () => {
    const one = await run(['sessions', 'revoke', '0f5396c6beea'], ok(SESSION));
    expect(one.calls).toEqual([{ method: 'DELETE', path: '/sessions/0f5396c6beea' }]);
    expect(one.out).toBe('Ended session 0f5396c6beea (203.0.113.7). Its browser has to log in again.');
    const all = await run(['sessions', 'revoke', '--all'], ok([SESSION, SESSION]));
    expect(all.calls).toEqual([{ method: 'DELETE', path: '/sessions' }]);
    expect(all.out).toBe('Ended 2 sessions.');
    expect((await run(['sessions', 'revoke', '--all'], ok([SESSION]))).out).toBe('Ended 1 session.');
  });

  test.each([
    [['sessions', 'remove'], 'revoke'],
    [['sessions', 'revoke'], 'session id is missing'],
    [['sessions', '--all'], '--all belongs to'],
    [['sessions', 'revoke', 'x', '--all'], 'one word too many'],
  ])('%j is no way to say it', async (argv, words) => {
    expect(await run(argv)).toMatchObject({ code: 2, calls: [], err: expect.stringContaining(words) });
  });
});
