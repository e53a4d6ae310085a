// The limit on logins: ten wrong ones a minute from an address, sixty from all, and the owner is not kept out by others.

import { describe, expect, test } from 'vitest';
import { createLoginLimit } from './login-limit.ts';

function open(known: readonly string[] = []) {
  const clock = { nowMs: 0 };
  const limit = createLoginLimit({ monotonicMs: () => clock.nowMs, isKnown: (address) => known.includes(address) });
  const isAllowed = (address: string) => limit.attempt(address).allowed;
  const wrongOnes = (count: number, address: (number: number) => string) =>
    Array.from({ length: count }, (_, number) => isAllowed(address(number))).filter(Boolean).length;
  return { clock, limit, isAllowed, wrongOnes };
}

describe('an address', () => {
  test('has ten tries, and another one after six seconds', () => {
    const { clock, limit, wrongOnes } = open();
    expect(wrongOnes(1000, () => '203.0.113.7')).toBe(10);
    expect(limit.attempt('203.0.113.7')).toEqual({ allowed: false, retryAfterSeconds: 6 });
    clock.nowMs += 6000;
    expect(wrongOnes(10, () => '203.0.113.7')).toBe(1);
  });

  test('is not charged for a right one', () => {
    const { limit, wrongOnes } = open();
    for (let times = 0; times < 100; times++) {
      const attempt = limit.attempt('203.0.113.7');
      expect(attempt.allowed).toBe(true);
      if (attempt.allowed) attempt.wasRight();
    }
    expect(wrongOnes(1000, () => '203.0.113.7')).toBe(10);
  });

  test('of IPv6 is a whole line: its owner has all that begin with the same 64 bits', () => {
    const { wrongOnes } = open();
    expect(wrongOnes(100, (number) => `2001:db8:0:1::${number.toString(16)}`)).toBe(10);
    expect(wrongOnes(100, (number) => `2001:db8:0:2::${number.toString(16)}`)).toBe(10);
  });
});

describe('all of them together', () => {
  test('have sixty tries a minute', () => {
    const { clock, wrongOnes, limit } = open();
    expect(wrongOnes(1000, (number) => `198.51.100.${number % 250}`)).toBe(60);
    expect(limit.attempt('203.0.113.7')).toEqual({ allowed: false, retryAfterSeconds: 1 });
    clock.nowMs += 60_000;
    expect(wrongOnes(1000, (number) => `198.51.100.${number % 250}`)).toBe(60);
  });

  test('keep nobody out who has logged in there before, though his session is gone; that no try was made proves nothing', () => {
    const { limit, wrongOnes } = open();
    const come = (address: string) => {
      const attempt = limit.attempt(address);
      return attempt.allowed ? attempt : expect.fail('not allowed');
    };
    expect(come('203.0.113.7').isKnown).toBe(false);
    come('203.0.113.7').wasRight();
    come('203.0.113.8').giveBack();
    come('2001:db8:0:1::1').wasRight();
    wrongOnes(1000, (number) => `198.51.100.${number % 250}`);
    expect(come('203.0.113.7').isKnown).toBe(true);
    expect(come('2001:db8:0:1::2').isKnown).toBe(true);
    expect(limit.attempt('203.0.113.8').allowed).toBe(false);
  });

  test('keep nobody out whose address is known, and he keeps his own limit', () => {
    const { wrongOnes } = open(['203.0.113.7']);
    wrongOnes(1000, (number) => `198.51.100.${number % 250}`);
    expect(wrongOnes(1000, () => '203.0.113.7')).toBe(10);
  });
});
