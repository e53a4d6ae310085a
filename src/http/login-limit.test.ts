// The limit on logins: ten wrong ones a minute from an address, sixty from all, and the owner is not kept out by others.

import { describe, expect, test } from 'vitest';
import { createLoginLimit } from './login-limit.ts';

function open(known: readonly string[] = []) {
  const clock = { nowMs: 0 };
  const limit = createLoginLimit({
    monotonicMs: () => clock.nowMs,
    isKnown: async (address) => known.includes(address),
  });
  const isAllowed = async (address: string) => (await limit.attempt(address)).allowed;
  const wrongOnes = async (count: number, address: (number: number) => string) => {
    let allowed = 0;
    for (let number = 0; number < count; number++) if (await isAllowed(address(number))) allowed += 1;
    return allowed;
  };
  return { clock, limit, isAllowed, wrongOnes };
}

describe('an address', () => {
  test('has ten tries, and another one after six seconds', async () => {
    const { clock, limit, wrongOnes } = open();
    expect(await wrongOnes(1000, () => '203.0.113.7')).toBe(10);
    expect(await limit.attempt('203.0.113.7')).toEqual({ allowed: false, retryAfterSeconds: 6 });
    clock.nowMs += 6000;
    expect(await wrongOnes(10, () => '203.0.113.7')).toBe(1);
  });

  test('is not charged for a right one', async () => {
    const { limit, wrongOnes } = open();
    for (let times = 0; times < 100; times++) {
      const attempt = await limit.attempt('203.0.113.7');
      expect(attempt.allowed).toBe(true);
      if (attempt.allowed) attempt.wasRight();
    }
    expect(await wrongOnes(1000, () => '203.0.113.7')).toBe(10);
  });

  test('of IPv6 is a whole line: its owner has all that begin with the same 64 bits', async () => {
    const { wrongOnes } = open();
    expect(await wrongOnes(100, (number) => `2001:db8:0:1::${number.toString(16)}`)).toBe(10);
    expect(await wrongOnes(100, (number) => `2001:db8:0:2::${number.toString(16)}`)).toBe(10);
  });
});

describe('all of them together', () => {
  test('have sixty tries a minute', async () => {
    const { clock, wrongOnes, limit } = open();
    expect(await wrongOnes(1000, (number) => `198.51.100.${number % 250}`)).toBe(60);
    expect(await limit.attempt('203.0.113.7')).toEqual({ allowed: false, retryAfterSeconds: 1 });
    clock.nowMs += 60_000;
    expect(await wrongOnes(1000, (number) => `198.51.100.${number % 250}`)).toBe(60);
  });

  test('keep nobody out who has logged in there before, though his session is gone; that no try was made proves nothing', async () => {
    const { limit, wrongOnes } = open();
    const come = async (address: string) => {
      const attempt = await limit.attempt(address);
      return attempt.allowed ? attempt : expect.fail('not allowed');
    };
    expect((await come('203.0.113.7')).isKnown).toBe(false);
    (await come('203.0.113.7')).wasRight();
    (await come('203.0.113.8')).giveBack();
    (await come('2001:db8:0:1::1')).wasRight();
    await wrongOnes(1000, (number) => `198.51.100.${number % 250}`);
    expect((await come('203.0.113.7')).isKnown).toBe(true);
    expect((await come('2001:db8:0:1::2')).isKnown).toBe(true);
    expect((await limit.attempt('203.0.113.8')).allowed).toBe(false);
  });

  test('keep nobody out whose address is known, and he keeps his own limit', async () => {
    const { wrongOnes } = open(['203.0.113.7']);
    await wrongOnes(1000, (number) => `198.51.100.${number % 250}`);
    expect(await wrongOnes(1000, () => '203.0.113.7')).toBe(10);
  });
});
