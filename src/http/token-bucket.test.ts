// Token buckets: the promise they make, their edges, and their headers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTokenBuckets, rateLimitHeaders } from './token-bucket.ts';

function setup(capacity: number, refillPerMinute: number, maxKeys = 100) {
  const clock = { ms: 0 };
  const buckets = createTokenBuckets({ capacity, refillPerMinute, nowMs: () => clock.ms, maxKeys });
  return { clock, buckets };
}

describe('a token bucket', () => {
  test('never admits more than its capacity plus the refill in any window', () => {
    const steps = fc.array(fc.nat(3000), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 600 }), steps, (capacity, rate, waits) => {
        const { clock, buckets } = setup(capacity, rate);
        const admitted: number[] = [];
        for (const wait of waits) {
          clock.ms += wait;
          if (buckets.take('k').allowed) admitted.push(clock.ms);
        }
        for (const [first, fromMs] of admitted.entries()) {
          for (let last = first; last < admitted.length; last += 1) {
            const elapsedMs = (admitted[last] ?? 0) - fromMs;
            expect(last - first + 1).toBeLessThanOrEqual(capacity + (elapsedMs * rate) / 60_000 + 1e-6);
          }
        }
      }),
    );
  });

  test('keeps its word: after retryAfterSeconds a token is there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 600 }), (capacity, rate) => {
        const { clock, buckets } = setup(capacity, rate);
        for (let i = 0; i < capacity; i += 1) expect(buckets.take('k').allowed).toBe(true);
        const refused = buckets.take('k');
        expect(refused.allowed).toBe(false);
        clock.ms += refused.retryAfterSeconds * 1000;
        expect(buckets.take('k').allowed).toBe(true);
      }),
    );
  });

  test('counts down, refuses at zero, and refills at the given rate', () => {
    const { clock, buckets } = setup(2, 60);
    expect(buckets.take('k')).toEqual({ allowed: true, remaining: 1, limit: 2, retryAfterSeconds: 0, resetSeconds: 1 });
    expect(buckets.take('k')).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 2 });
    expect(buckets.take('k')).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 1 });
    clock.ms = 999;
    expect(buckets.take('k').allowed).toBe(false);
    clock.ms = 1000;
    expect(buckets.take('k').allowed).toBe(true);
  });

  test('keeps keys apart, and a look takes nothing', () => {
    const { buckets } = setup(1, 1);
    expect(buckets.peek('a')).toMatchObject({ allowed: true, remaining: 1 });
    expect(buckets.peek('a').allowed).toBe(true);
    expect(buckets.take('a').allowed).toBe(true);
    expect(buckets.peek('a').allowed).toBe(false);
    expect(buckets.take('b').allowed).toBe(true);
  });

  test('gives nothing for a clock that runs backwards', () => {
    const { clock, buckets } = setup(1, 60);
    clock.ms = 10_000;
    buckets.take('k');
    clock.ms = 0;
    expect(buckets.take('k').allowed).toBe(false);
    clock.ms = 10_999;
    expect(buckets.take('k').allowed).toBe(false);
    clock.ms = 11_000;
    expect(buckets.take('k').allowed).toBe(true);
  });

  test.each([
    [0, 60],
    [60, 0],
  ])('is off with capacity %i and refill %i', (capacity, refill) => {
    const { buckets } = setup(capacity, refill);
    for (let i = 0; i < 1000; i += 1) expect(buckets.take('k').allowed).toBe(true);
    expect(buckets.size).toBe(0);
    expect(rateLimitHeaders(buckets.take('k'), 'x', 60)).toEqual({});
  });

  test('takes new limits at run time without handing out what was used', () => {
    const { clock, buckets } = setup(5, 60);
    for (let i = 0; i < 5; i += 1) buckets.take('k');
    buckets.configure({ capacity: 10, refillPerMinute: 120 });
    expect(buckets.take('k').allowed).toBe(false);
    clock.ms = 500;
    expect(buckets.take('k')).toMatchObject({ allowed: true, limit: 10 });
    buckets.configure({ capacity: 1, refillPerMinute: 1 });
    expect(buckets.take('new')).toMatchObject({ allowed: true, remaining: 0 });
    buckets.configure({ capacity: 0, refillPerMinute: 0 });
    expect(buckets.take('k').allowed).toBe(true);
  });

  test('holds no more keys than it may, and forgets full and old ones first', () => {
    const { clock, buckets } = setup(2, 60, 3);
    buckets.take('old');
    buckets.take('old');
    clock.ms = 100;
    buckets.take('b');
    buckets.take('c');
    buckets.take('old');
    buckets.take('d');
    expect(buckets.size).toBe(3);
    expect(buckets.peek('old').allowed).toBe(false);
    for (let i = 0; i < 1000; i += 1) buckets.take(`k${i}`);
    expect(buckets.size).toBe(3);
  });

  test.each([
    { capacity: -1, refillPerMinute: 1 },
    { capacity: 1.5, refillPerMinute: 1 },
    { capacity: 1, refillPerMinute: Number.NaN },
    { capacity: 1, refillPerMinute: -1 },
  ])('refuses the limits %o', (limits) => {
    expect(() => createTokenBuckets({ ...limits, nowMs: () => 0, maxKeys: 1 })).toThrow(/0 turns it off/);
    expect(() => setup(1, 1).buckets.configure(limits)).toThrow(/0 turns it off/);
  });

  test('refuses a memory of no keys', () => {
    expect(() => setup(1, 1, 0)).toThrow(/maxKeys/);
  });
});

test('the headers follow the structured fields of the draft', () => {
  const { buckets } = setup(2, 60);
  expect(rateLimitHeaders(buckets.take('k'), 'webhook', 60)).toEqual({
    ratelimit: '"webhook";r=1;t=1',
    'ratelimit-policy': '"webhook";q=2;w=60',
  });
  buckets.take('k');
  expect(rateLimitHeaders(buckets.take('k'), 'webhook', 60)).toEqual({
    ratelimit: '"webhook";r=0;t=1',
    'ratelimit-policy': '"webhook";q=2;w=60',
    'retry-after': '1',
  });
});
