// Tiers, periods and the counting rule, at every boundary.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalysisKey } from './analysis-key-store.ts';
import { callLimitOf, callsRemaining, DEFAULT_TIER, isRateLimited, isTier, publishedLimit, TIERS } from './tiers.ts';
import { isKeyRateLimited, outcomeOf, tierInfo, usageBlock, usagePeriod } from './usage.ts';

const key = (changes: Partial<AnalysisKey>): AnalysisKey => ({
  keyId: 'a'.repeat(12),
  keyHash: 'a'.repeat(64),
  tier: 'hobby',
  callsUsed: 0,
  createdAtS: 5,
  lastUsedS: null,
  ...changes,
});
const seconds = (iso: string) => Date.parse(iso) / 1000;

describe('the tiers', () => {
  test('are five, with hobby by default, and nothing else is one', () => {
    expect(TIERS).toEqual(['free', 'hobby', 'pro', 'team', 'enterprise']);
    expect(DEFAULT_TIER).toBe('hobby');
    for (const tier of TIERS) expect(isTier(tier)).toBe(true);
    for (const other of ['', 'Free', 'gold', ' pro', 'toString', '__proto__', 0, null, undefined, ['pro']])
      expect(isTier(other)).toBe(false);
  });

  test.each([
    ['free', 0, undefined],
    ['hobby', 5000, 5000],
    ['pro', 50_000, 50_000],
    ['team', 200_000, 200_000],
    ['enterprise', 'unlimited', undefined],
  ] as const)('%s is published with %s calls and reckoned with %s', (tier, published, limit) => {
    expect(publishedLimit(tier)).toBe(published);
    expect(callLimitOf(tier)).toBe(limit);
  });

  test.each(['hobby', 'pro', 'team'] as const)('%s is rate-limited from its limit on, not before', (tier) => {
    const limit = callLimitOf(tier) as number;
    expect([limit - 1, limit, limit + 1].map((used) => isRateLimited(tier, used))).toEqual([false, true, true]);
    expect([0, limit - 1, limit, limit + 1].map((used) => callsRemaining(tier, used))).toEqual([limit, 1, 0, 0]);
  });

  test.each(['free', 'enterprise'] as const)('%s is never rate-limited', (tier) => {
    for (const used of [0, 1, 1e15]) {
      expect(isRateLimited(tier, used)).toBe(false);
      expect(callsRemaining(tier, used)).toBe('unlimited');
    }
  });
});

describe('the period', () => {
  test.each([
    ['2026-11-15T10:00:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
    ['2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ])('at %s began at %s and ends at %s', (now, since, reset) => {
    expect(usagePeriod(Date.parse(now), 'monthly')).toEqual({ sinceS: seconds(since), resetAtS: seconds(reset) });
  });

  test('never ends with USAGE_RESET=never', () => {
    expect(usagePeriod(Date.now(), 'never')).toEqual({ sinceS: 0, resetAtS: null });
  });

  test('holds its moment, and the next begins where it ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (nowMs) => {
        const { sinceS, resetAtS } = usagePeriod(nowMs, 'monthly');
        expect(sinceS * 1000).toBeLessThanOrEqual(nowMs);
        expect((resetAtS as number) * 1000).toBeGreaterThan(nowMs);
        expect(usagePeriod((resetAtS as number) * 1000, 'monthly').sinceS).toBe(resetAtS);
      }),
    );
  });
});

describe('what is shown', () => {
  const period = { sinceS: 100, resetAtS: 200 };

  test('the usage block has the fields of the contract', () => {
    expect(usageBlock(key({ callsUsed: 7, lastUsedS: 150 }), period)).toEqual({
      calls_used: 7,
      calls_limit: 5000,
      calls_remaining: 4993,
      created_at: 5,
      last_used: 150,
      reset_at: 200,
    });
    expect(usageBlock(key({}), { sinceS: 0, resetAtS: null })).toMatchObject({ last_used: null, reset_at: null });
  });

  test('calls of an earlier period are not shown, their last time is', () => {
    const old = key({ callsUsed: 5000, lastUsedS: 99 });
    expect(usageBlock(old, period)).toMatchObject({ calls_used: 0, calls_remaining: 5000, last_used: 99 });
    expect(isKeyRateLimited(old, period)).toBe(false);
    expect(isKeyRateLimited(key({ callsUsed: 5000, lastUsedS: 100 }), period)).toBe(true);
    expect(isKeyRateLimited(old, { sinceS: 0, resetAtS: null })).toBe(true);
  });

  test('is plain JSON for every tier, without a null that was a number', () => {
    for (const tier of TIERS) {
      const info = tierInfo(key({ tier, callsUsed: 3, lastUsedS: 150 }), period);
      expect(JSON.parse(JSON.stringify(info))).toEqual(info);
      expect(Object.values(info)).not.toContain(Number.POSITIVE_INFINITY);
      expect(info).toMatchObject({ tier, calls_used: 3, calls_limit: publishedLimit(tier), reset_at: 200 });
    }
  });
});

describe('the counting rule', () => {
  test.each([100, 200, 204, 302, 399])('a pair with %i is counted', (status) => {
    expect(outcomeOf({ form: 'pair', status })).toBe('counted');
  });
  test.each([400, 401, 404, 422, 429, 499, 500, 503])('a pair with %i is not', (status) => {
    expect(outcomeOf({ form: 'pair', status })).toBe('not-counted');
  });
  test('a bare response always is', () => {
    expect(outcomeOf({ form: 'bare' })).toBe('counted');
  });
});
