// The admin gate: three forms, none while there is no token, and only the forms that a service allows.
import { describe, expect, it, test } from 'vitest';
import { ADMIN_FORMS, type AdminForm, createAdminGate } from './admin-gate.ts';
import { createGuessLimit } from './guess-limit.ts';

const TOKEN = 'correct horse+battery/staple=';

function check(headers: Record<string, string>, forms: readonly AdminForm[] = ADMIN_FORMS, token?: string) {
  return createAdminGate({ token: token ?? TOKEN, keysOf: '--analysis' }).check(
    (name) => headers[name.toLowerCase()],
    forms,
  );
}

describe('the admin gate', () => {
  it.each([
    [{ 'x-admin-token': TOKEN }],
    [{ authorization: `Bearer ${TOKEN}` }],
    [{ authorization: `bearer   ${TOKEN}  ` }],
    [{ authorization: `AdminToken ${TOKEN}` }],
    [{ authorization: `ADMINTOKEN ${TOKEN}` }],
    [{ 'x-admin-token': TOKEN, authorization: 'Bearer something else' }],
    [{ 'x-admin-token': '', authorization: `Bearer ${TOKEN}` }],
  ])('opens for %j', async (headers) => {
    expect(await check(headers)).toEqual({ ok: true });
  });

  it.each<[Record<string, string>]>([
    [{ 'x-admin-token': `${TOKEN}x` }],
    [{ 'x-admin-token': TOKEN.slice(1) }],
    [{ 'x-admin-token': TOKEN.toUpperCase() }],
    [{ 'x-admin-token': `${TOKEN}, ${TOKEN}` }],
    [{ 'x-admin-token': 'wrong', authorization: `Bearer ${TOKEN}` }],
    [{ authorization: `Bearer ${TOKEN}x` }],
    [{ authorization: `AdminToken x${TOKEN}` }],
  ])('stays shut for the wrong token in %j, with the remedy and without the token', async (headers) => {
    const verdict = await check(headers);
    expect(verdict).toMatchObject({ ok: false, message: expect.stringMatching(/^Wrong admin token\. Send .*X-Admin/) });
    expect(JSON.stringify(verdict)).not.toContain(TOKEN);
  });

  it.each<[Record<string, string>]>([
    [{}],
    [{ 'x-admin-token': '' }],
    [{ authorization: TOKEN }],
    [{ authorization: 'Bearer ' }],
    [{ authorization: `Basic ${TOKEN}` }],
    [{ authorization: `ApiKey ${TOKEN}` }],
  ])('says that %j holds no token', async (headers) => {
    expect(await check(headers)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^No admin token\. Send /),
    });
  });

  it('takes only the forms that are allowed', async () => {
    const only: readonly AdminForm[] = ['x-admin-token'];
    expect((await check({ 'x-admin-token': TOKEN }, only)).ok).toBe(true);
    for (const authorization of [`Bearer ${TOKEN}`, `AdminToken ${TOKEN}`]) {
      expect(await check({ authorization }, only)).toEqual({
        ok: false,
        message: 'No admin token. Send ADMIN_TOKEN as X-Admin-Token.',
      });
    }
    expect((await check({ 'x-admin-token': TOKEN }, ['bearer'])).ok).toBe(false);
  });

  it.each([undefined, ''])('lets nobody through while the token is %j, and says how to set one', async (token) => {
    const gate = createAdminGate({ token, keysOf: '--scripts' });
    for (const headers of [{}, { 'x-admin-token': '' }, { authorization: 'Bearer ' }] as Record<string, string>[]) {
      expect(await gate.check((name) => headers[name], ADMIN_FORMS)).toEqual({
        ok: false,
        message:
          'Making keys is turned off here. Make them on the machine itself with "signalbox keys create --scripts", or set ADMIN_TOKEN, start again, and send the token.',
      });
    }
  });

  it('stays quick over a header of ten thousand blanks', async () => {
    expect((await check({ authorization: `Bearer x${' '.repeat(10_000)}x${' '.repeat(5_000)}` })).ok).toBe(false);
    expect((await check({ authorization: `Bearer ${' '.repeat(16_000)}` })).ok).toBe(false);
  });
});

test('guessing it is slowed per address, and the right one passes beside the guesses', async () => {
  const turns: (() => void)[] = [];
  const sleep = () => new Promise<void>((resolve) => turns.push(resolve));
  const gate = createAdminGate({
    token: 'good',
    keysOf: '--analysis',
    guesses: createGuessLimit({ monotonicMs: () => 0, sleep }),
  });
  const check = (token: string, address: string) => gate.check(() => token, ['x-admin-token'], address);
  for (let i = 0; i < 30; i += 1) expect((await check('bad', 'a')).ok).toBe(false);
  expect(turns).toHaveLength(0);
  const right = check('good', 'a');
  expect((await check('good', 'b')).ok).toBe(true);
  for (let i = 1; i < 100; i += 1) void check('bad', 'a');
  expect(turns).toHaveLength(100);
  turns[0]?.();
  expect(await right).toEqual({ ok: true });
});
