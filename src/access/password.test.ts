// The owner's password: what may be one, how it is kept, and that looking at none costs the same.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, Passwords, passwordFault } from './password.ts';

const QUICK = { n: 16, r: 1, p: 1 };
const passwords = new Passwords({ randomBytes, cost: QUICK });

describe('a new password', () => {
  test.each([
    ['', `at least ${MIN_PASSWORD_CHARS}`],
    ['short words', `at least ${MIN_PASSWORD_CHARS}`],
    ['🚂'.repeat(MIN_PASSWORD_CHARS - 1), `at least ${MIN_PASSWORD_CHARS}`],
    ['aaaaaaaaaaaaaaaa', 'four words'],
    ['abc'.repeat(MAX_PASSWORD_CHARS), 'shorten'],
  ])('%j is refused with the remedy, and not repeated', (password, remedy) => {
    const fault = passwordFault(password);
    expect(fault).toContain(remedy);
    if (password !== '') expect(fault).not.toContain(password);
  });

  test.each(['four words in a row', 'Größe🚂-und-mehr', 'x y z w '.repeat(32)])('%j will do', (password) => {
    expect(passwordFault(password)).toBeUndefined();
  });
});

describe('a hash', () => {
  test('lets in the same password and no other', async () => {
    const hash = await passwords.hash('four words in a row');
    expect(await passwords.isRight('four words in a row', hash)).toBe(true);
    for (const wrong of ['', 'four words in a ro', 'four words in a row ', 'Four words in a row'])
      expect(await passwords.isRight(wrong, hash)).toBe(false);
  });

  test('is another one each time, and holds neither the password nor a hint of it', async () => {
    const [one, other] = [await passwords.hash('four words in a row'), await passwords.hash('four words in a row')];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^scrypt\$16\$1\$1\$[\w-]{22}\$[\w-]{43}$/);
  });

  test('goes by its own parameters, whatever those of new ones are', async () => {
    const hash = await new Passwords({ randomBytes, cost: { n: 32, r: 2, p: 2 } }).hash('four words in a row');
    expect(await passwords.isRight('four words in a row', hash)).toBe(true);
    expect(await passwords.isRight('four words in a row', hash.replace('$32$', '$16$'))).toBe(false);
  });

  test('takes letters for the same that only look so: é of one piece or of two', async () => {
    const hash = await passwords.hash('caf\u00e9 and more words');
    expect(await passwords.isRight('cafe\u0301 and more words', hash)).toBe(true);
  });

  test('that somebody has damaged is told with the remedy', async () => {
    await expect(passwords.isRight('x', 'scrypt$16')).rejects.toThrow('signalbox password');
  });

  test('by default costs 32 MiB and three rounds over them', async () => {
    expect(await new Passwords({ randomBytes }).hash('four words in a row')).toMatch(/^scrypt\$32768\$8\$3\$/);
  });
});

describe('where no password is set', () => {
  test('every password is wrong, that of the decoy too', async () => {
    expect(await passwords.isRight('', undefined)).toBe(false);
    expect(await passwords.isRight('four words in a row', undefined)).toBe(false);
  });

  test('the same work is done: one hash with the parameters of a new password', async () => {
    // Parameters that scrypt refuses show that it was asked.
    const impossible = new Passwords({ randomBytes, cost: { n: 3, r: 1, p: 1 } });
    await expect(impossible.isRight('four words in a row', undefined)).rejects.toThrow();
  });
});

test('a flood is worked off one by one, and what comes behind too many is turned away at once', async () => {
  const asked = Array.from({ length: 60 }, () => passwords.isRight('four words in a row', undefined));
  const outcomes = await Promise.allSettled(asked);
  const turnedAway = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(turnedAway).toHaveLength(19);
  for (const { reason } of turnedAway) expect(reason).toMatchObject({ code: 'BUSY' });
  // Nothing is left over from it.
  expect(await passwords.isRight('x', undefined)).toBe(false);
});

test('a flood of strangers keeps the owner waiting for nobody', async () => {
  const cost = { n: 2 ** 12, r: 8, p: 1 };
  const busy = new Passwords({ randomBytes, cost });
  let done = 0;
  const flood = Array.from({ length: 60 }, () =>
    busy
      .isRight('a guess', undefined, 'stranger')
      .then(() => (done += 1))
      .catch(() => {}),
  );
  expect(await busy.isRight('four words in a row', await busy.hash('four words in a row'))).toBe(true);
  expect(done).toBeLessThan(30);
  await Promise.all(flood);
  expect(done).toBe(41);
});
