// Analysis keys through their front door: minting, validating, usage, revocation, and a quota no burst can overrun.

import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AdmittedCall, createAnalysisKeys, type RefusedCall } from './analysis-keys.ts';
import { openMemoryAnalysisKeys } from './testing/memory-analysis-keys.ts';
import { callLimitOf, TIERS, type Tier } from './tiers.ts';
import type { UsageReset } from './usage.ts';

const NOVEMBER_MS = Date.parse('2026-11-15T10:00:00.900Z');
const DECEMBER_S = Date.parse('2026-12-01T00:00:00Z') / 1000;

function setUp({ usageReset = 'monthly' as UsageReset, store = openMemoryAnalysisKeys() } = {}) {
  const clock = { nowMs: NOVEMBER_MS };
  const keys = createAnalysisKeys({ store, nowMs: () => clock.nowMs, randomBytes, usageReset });
  /** A key with that many calls left in this period. */
  const mintWith = async (left: number, tier: Tier = 'hobby') => {
    const { apiKey, key } = await keys.mint(tier);
    const callsUsed = (callLimitOf(tier) ?? 1e6) - left;
    store.keys.set(key.keyHash, { ...key, callsUsed, lastUsedS: Math.floor(clock.nowMs / 1000) });
    return { apiKey, key, used: () => (store.keys.get(key.keyHash)?.callsUsed ?? 0) - callsUsed };
  };
  return { keys, store, clock, mintWith };
}

const isAdmitted = (end: AdmittedCall | RefusedCall): end is AdmittedCall => end.ok;
async function admitted(end: Promise<AdmittedCall | RefusedCall>): Promise<AdmittedCall> {
  const call = await end;
  if (!call.ok) throw new Error(call.code);
  return call;
}

describe('a new key', () => {
  test('is pyn_ and 43 url-safe characters made of the bytes handed in', async () => {
    const bytes = (size: number) => new Uint8Array(size).fill(255);
    const store = openMemoryAnalysisKeys();
    const keys = createAnalysisKeys({ store, nowMs: () => 1999, randomBytes: bytes, usageReset: 'never' });
    const { apiKey, key } = await keys.mint('team');
    expect(apiKey).toBe(`pyn_${'_'.repeat(42)}8`);
    const keyHash = createHash('sha256').update(apiKey).digest('hex');
    const expected = {
      keyId: keyHash.slice(0, 12),
      keyHash,
      tier: 'team',
      callsUsed: 0,
      createdAtS: 1,
      lastUsedS: null,
    };
    expect(key).toEqual(expected);
    expect([...store.keys.values()]).toEqual([expected]);
  });

  test.each(TIERS)('of tier %s is valid, active and not rate-limited, and validating changes nothing', async (tier) => {
    const { keys, store } = setUp();
    const { apiKey, key } = await keys.mint(tier);
    const before = structuredClone([...store.keys]);
    for (let i = 0; i < 3; i += 1)
      expect(await keys.validate(apiKey)).toMatchObject({
        keyId: key.keyId,
        tier,
        rateLimited: false,
        tierInfo: { tier, calls_used: 0, reset_at: DECEMBER_S },
      });
    expect(await keys.usage(apiKey)).toMatchObject({ rateLimited: false, usage: { last_used: null } });
    expect([...store.keys]).toEqual(before);
  });
});

describe('anything else', () => {
  test('is no key: cut, longer, in capitals, the hash, the id, empty, huge', async () => {
    const { keys } = setUp();
    const { apiKey, key } = await keys.mint('pro');
    const wrong = [
      ...['', ' ', 'pyn_', apiKey.slice(0, -1), `${apiKey}x`, ` ${apiKey}`, `${apiKey}\n`, apiKey.toUpperCase()],
      ...[key.keyHash, key.keyId, apiKey.slice(4), `pyn_${'x'.repeat(253)}`, 'pyn_'.padEnd(1e6, 'x')],
    ];
    for (const text of wrong) {
      expect(await keys.validate(text)).toBeUndefined();
      expect(await keys.usage(text)).toBeUndefined();
      expect(await keys.admit(text)).toMatchObject({ ok: false, status: 401, code: 'UNAUTHORIZED' });
    }
    expect(await keys.admit(undefined)).toMatchObject({ ok: false, code: 'UNAUTHORIZED' });
  });

  test('of any shape is refused and counted nowhere', async () => {
    const { keys, store } = setUp();
    await keys.mint('pro');
    const before = structuredClone([...store.keys]);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), async (text) => {
        expect((await keys.admit(text)).ok).toBe(false);
        expect((await keys.admit(`pyn_${text}`)).ok).toBe(false);
      }),
    );
    expect([...store.keys]).toEqual(before);
  });
});

describe('a call', () => {
  test('is counted when it is done, with its time, and only once', async () => {
    const { keys, clock } = setUp();
    const { apiKey } = await keys.mint('hobby');
    const call = await admitted(keys.admit(apiKey));
    expect((await keys.usage(apiKey))?.usage.calls_used).toBe(0);
    clock.nowMs += 2000;
    expect(await call.done('counted')).toBe(true);
    expect(await call.done('counted')).toBe(true);
    expect(await call.done('not-counted')).toBe(true);
    const usage = { calls_used: 1, calls_remaining: 4999, last_used: Math.floor(clock.nowMs / 1000) };
    expect((await keys.usage(apiKey))?.usage).toMatchObject(usage);
  });

  test('that is not counted leaves no trace and gives its place back', async () => {
    const { keys, mintWith } = setUp();
    const { apiKey, used } = await mintWith(1);
    for (let i = 0; i < 5; i += 1) expect(await (await admitted(keys.admit(apiKey))).done('not-counted')).toBe(false);
    expect(used()).toBe(0);
    expect((await keys.admit(apiKey)).ok).toBe(true);
  });

  test.each([
    [0, false],
    [1, true],
    [-1, false],
  ])('with %i calls left is admitted: %s', async (left, ok) => {
    for (const tier of ['hobby', 'pro', 'team'] as const) {
      const { keys, mintWith } = setUp();
      const { apiKey } = await mintWith(left, tier);
      const end = await keys.admit(apiKey);
      expect(end.ok).toBe(ok);
      expect((await keys.validate(apiKey))?.rateLimited).toBe(!ok);
      if (!end.ok) expect(end).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    }
  });

  test.each(['free', 'enterprise'] as const)('of tier %s is always admitted and counted all the same', async (tier) => {
    const { keys, mintWith } = setUp();
    const { apiKey, used } = await mintWith(0, tier);
    await Promise.all(Array.from({ length: 10 }, async () => (await admitted(keys.admit(apiKey))).done('counted')));
    expect(used()).toBe(10);
    expect(await keys.validate(apiKey)).toMatchObject({ tierInfo: { calls_remaining: 'unlimited' } });
  });

  test('at the limit is told when to come again, or that it never can', async () => {
    const monthly = setUp();
    const { apiKey } = await monthly.mintWith(0);
    const left = DECEMBER_S - Math.floor(NOVEMBER_MS / 1000);
    expect(await monthly.keys.admit(apiKey)).toMatchObject({ code: 'RATE_LIMITED', retryAfterS: left });
    const never = setUp({ usageReset: 'never' });
    const refusal = await never.keys.admit((await never.mintWith(0)).apiKey);
    expect(refusal).not.toHaveProperty('retryAfterS');
    expect(refusal).toMatchObject({ message: expect.stringContaining('ask for a higher tier') });
  });

  test('whose count cannot be stored says so, and its place is free again', async () => {
    const memory = openMemoryAnalysisKeys();
    let broken = true;
    const store = {
      ...memory,
      count: async (...args: Parameters<typeof memory.count>) => {
        if (broken) throw new Error('disk full');
        return memory.count(...args);
      },
    };
    const { keys, mintWith } = setUp({ store });
    const { apiKey, used } = await mintWith(1);
    const [first, second] = [await admitted(keys.admit(apiKey)), await keys.admit(apiKey)];
    expect(second.ok).toBe(false);
    await expect(first.done('counted')).rejects.toThrow('disk full');
    broken = false;
    expect(await (await admitted(keys.admit(apiKey))).done('counted')).toBe(true);
    expect(used()).toBe(1);
  });

  test('is refused when the store cannot be asked, and that is forgotten afterwards', async () => {
    const memory = openMemoryAnalysisKeys();
    let broken = false;
    const store = {
      ...memory,
      find: async (keyHash: string) => {
        if (broken) throw new Error('gone');
        return memory.find(keyHash);
      },
    };
    const { keys, mintWith } = setUp({ store });
    const { apiKey } = await mintWith(1);
    broken = true;
    await expect(keys.admit(apiKey)).rejects.toThrow('gone');
    broken = false;
    expect((await keys.admit(apiKey)).ok).toBe(true);
  });
});

describe('a burst', () => {
  test.each([0, 1, 2, 99, 100, 101])('of a hundred at %i calls left admits no more and no fewer', async (left) => {
    const { keys, mintWith } = setUp();
    const { apiKey, used } = await mintWith(left);
    const ends = await Promise.all(Array.from({ length: 100 }, () => keys.admit(apiKey)));
    const calls = ends.filter(isAdmitted);
    expect(calls).toHaveLength(Math.min(100, left));
    await Promise.all(calls.map((call) => call.done('counted')));
    expect(used()).toBe(Math.min(100, left));
  });

  test('does not take from another key', async () => {
    const { keys, mintWith } = setUp();
    const [one, other] = [await mintWith(1), await mintWith(1)];
    const ends = await Promise.all([one, one, other, other].map(({ apiKey }) => keys.admit(apiKey)));
    expect(ends.map(({ ok }) => ok)).toEqual([true, false, true, false]);
  });

  test('never overruns and never gives a unit away, however the store and the handlers dawdle', async () => {
    const call = fc.record({ startsAt: fc.nat(12), runs: fc.nat(12), counts: fc.boolean() });
    const story = fc.record({
      left: fc.nat(6),
      calls: fc.array(call, { minLength: 1, maxLength: 14 }),
      pauses: fc.array(fc.nat(4), { minLength: 1, maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ left, calls, pauses }) => {
        const turns = async (count: number) => {
          for (let i = 0; i < count; i += 1) await Promise.resolve();
        };
        let at = 0;
        const store = openMemoryAnalysisKeys(() => turns(pauses[at++ % pauses.length] as number));
        const { keys, mintWith } = setUp({ store });
        const { apiKey, used } = await mintWith(left);
        let open = 0;
        let counted = 0;
        let refusedWithRoom = 0;
        await Promise.all(
          calls.map(async ({ startsAt, runs, counts }) => {
            await turns(startsAt * 3);
            const end = await keys.admit(apiKey);
            if (!end.ok) {
              // Whoever was refused saw every unit taken by a counted call or one in flight.
              if (counted + open < left) refusedWithRoom += 1;
              return;
            }
            open += 1;
            expect(counted + open).toBeLessThanOrEqual(left);
            await turns(runs * 3);
            open -= 1;
            if (counts) counted += 1;
            expect(await end.done(counts ? 'counted' : 'not-counted')).toBe(counts);
          }),
        );
        expect(used()).toBe(counted);
        if (calls.every(({ counts }) => counts)) expect(refusedWithRoom).toBe(0);
        expect(counted).toBeLessThanOrEqual(left);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a new month', () => {
  test('starts the calls again, also for a key at its limit', async () => {
    const { keys, clock, mintWith } = setUp();
    const { apiKey } = await mintWith(0);
    clock.nowMs = DECEMBER_S * 1000 - 1;
    expect((await keys.admit(apiKey)).ok).toBe(false);
    clock.nowMs = DECEMBER_S * 1000;
    expect(await (await admitted(keys.admit(apiKey))).done('counted')).toBe(true);
    expect((await keys.usage(apiKey))?.usage).toMatchObject({ calls_used: 1, calls_remaining: 4999 });
  });

  test('does not with USAGE_RESET=never', async () => {
    const { keys, clock, mintWith } = setUp({ usageReset: 'never' });
    const { apiKey } = await mintWith(0);
    clock.nowMs = DECEMBER_S * 1000;
    expect((await keys.admit(apiKey)).ok).toBe(false);
    expect((await keys.validate(apiKey))?.tierInfo).toMatchObject({ calls_used: 5000, reset_at: null });
  });

  test('counts a call that began in the old one, and in-flight calls do not lose the new limit', async () => {
    const { keys, clock, mintWith } = setUp();
    const { apiKey, key } = await mintWith(1);
    const old = await admitted(keys.admit(apiKey));
    clock.nowMs = DECEMBER_S * 1000;
    const young = await admitted(keys.admit(apiKey));
    await Promise.all([old.done('counted'), young.done('counted')]);
    expect((await keys.usage(apiKey))?.usage.calls_used).toBe(2);
    expect((await keys.list(1))[0]?.keyId).toBe(key.keyId);
  });

  test('a clock set back starts nothing, and one that ran ahead mends itself', async () => {
    const { keys, clock, mintWith } = setUp();
    const { apiKey } = await mintWith(2);
    clock.nowMs -= 40 * 86_400_000;
    expect((await keys.usage(apiKey))?.usage.calls_remaining).toBe(2);
    await (await admitted(keys.admit(apiKey))).done('counted');
    clock.nowMs += 40 * 86_400_000;
    clock.nowMs += 5 * 365 * 86_400_000;
    await (await admitted(keys.admit(apiKey))).done('counted');
    clock.nowMs = NOVEMBER_MS;
    await (await admitted(keys.admit(apiKey))).done('counted');
    clock.nowMs = DECEMBER_S * 1000;
    expect((await keys.usage(apiKey))?.usage.calls_used).toBe(0);
  });
});

describe('revocation', () => {
  test('by the key or by its id ends it at once; a call in flight then counts nothing', async () => {
    const { keys, store } = setUp();
    const [one, other] = [await keys.mint('pro'), await keys.mint('pro')];
    const call = await admitted(keys.admit(one.apiKey));
    expect(await keys.revoke(one.apiKey)).toEqual(one.key);
    expect(await call.done('counted')).toBe(false);
    expect(await keys.revoke(other.key.keyId)).toEqual(other.key);
    for (const { apiKey } of [one, other]) {
      expect(await keys.validate(apiKey)).toBeUndefined();
      expect(await keys.admit(apiKey)).toMatchObject({ code: 'UNAUTHORIZED' });
      expect(await keys.revoke(apiKey)).toBeUndefined();
    }
    expect(store.keys.size).toBe(0);
  });

  test('of what is neither does nothing', async () => {
    const { keys, store } = setUp();
    const { key } = await keys.mint('pro');
    for (const text of ['', key.keyHash, key.keyId.slice(0, 11), `${key.keyId}0`, ` ${key.keyId}`, 'pyn_x'])
      expect(await keys.revoke(text)).toBeUndefined();
    expect(store.keys.size).toBe(1);
  });
});
