// One-time codes: the vectors of the RFCs, the steps that count, and each code once.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newRecoveryCodes, recoveryDigest } from './recovery-codes.ts';
import { base32, newTotpSecret, otpauthAddress, stepOfCode, totpCode } from './totp.ts';

/** The secret of RFC 6238's table, "12345678901234567890". */
const SECRET = base32(Buffer.from('12345678901234567890'));

describe('codes', () => {
  test('base32 is that of RFC 4648', () => {
    expect(['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
      ...['MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'],
    ]);
  });

  // RFC 6238 lists eight digits; six are their end.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %d it is %s', (seconds, code) => {
    expect(totpCode(SECRET, seconds * 1000)).toBe(code);
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  const NOW = 1_700_000_010_000;
  const at = (steps: number) => totpCode(SECRET, NOW + steps * 30_000);

  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('one of %d steps from now counts: %s', (steps, counts) => {
    expect(stepOfCode(SECRET, at(steps), NOW) !== undefined).toBe(counts);
  });

  test('each counts once, and so do those before it', () => {
    const step = stepOfCode(SECRET, at(0), NOW) as number;
    expect(stepOfCode(SECRET, at(0), NOW, step)).toBeUndefined();
    expect(stepOfCode(SECRET, at(-1), NOW, step)).toBeUndefined();
    expect(stepOfCode(SECRET, at(1), NOW, step)).toBe(step + 1);
  });

  test.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦'])('%j is none', (code) => {
    expect(stepOfCode(SECRET, code, NOW)).toBeUndefined();
  });

  test('may be typed as the app shows it, with a blank', () => {
    const code = at(0);
    expect(stepOfCode(SECRET, `${code.slice(0, 3)} ${code.slice(3)}`, NOW)).toBeDefined();
  });
});

test('a secret has 160 bits, and its address is what authenticator apps read', () => {
  const secret = newTotpSecret(randomBytes);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  const address = new URL(otpauthAddress(secret, 'trade.example.com:8787'));
  expect(address.href).toMatch(/^otpauth:\/\/totp\/Signalbox%3Atrade\.example\.com%3A8787\?/);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    secret,
    issuer: 'Signalbox',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('recovery codes are ten different ones, and may be typed in any spelling', () => {
  const codes = newRecoveryCodes(randomBytes);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  const [code = ''] = codes;
  const digest = recoveryDigest(code);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(recoveryDigest(code.toLowerCase().replaceAll('-', ' '))).toBe(digest);
  for (const none of ['', '123456', code.slice(1), `${code}A`]) expect(recoveryDigest(none)).toBeUndefined();
});
