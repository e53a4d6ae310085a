// What every analysis key store must do: keep each key once and exactly, count calls without losing or inventing one, and end keys.

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { AnalysisKey, AnalysisKeyStore, CountedCall } from '../../src/keys/analysis-key-store.ts';
import { createAnalysisKeys } from '../../src/keys/analysis-keys.ts';
import { TIERS } from '../../src/keys/tiers.ts';

export interface OpenAnalysisKeyStore {
  readonly store: AnalysisKeyStore;
  /** Closes it and opens it again over the same place. */
  reopen(): Promise<AnalysisKeyStore>;
  /** Closes it and removes what it stored. */
  remove(): Promise<void>;
  /** A second store over another place that holds no more than that many keys. */
  openSmall(maxKeys: number): Promise<AnalysisKeyStore>;
}

const START_S = 1_790_000_000;

export const sampleKey = (number: number, changes: Partial<AnalysisKey> = {}): AnalysisKey => {
  const keyHash = number.toString(16).padStart(12, '0').padEnd(64, 'e');
  return {
    keyId: keyHash.slice(0, 12),
    keyHash,
    tier: 'hobby',
    callsUsed: 0,
    createdAtS: START_S + number,
    lastUsedS: null,
    ...changes,
  };
};

const call = (changes: Partial<CountedCall> = {}): CountedCall => ({
  atS: START_S,
  sinceS: 0,
  limit: 5000,
  ...changes,
});

export function describeAnalysisKeyStore(name: string, open: () => Promise<OpenAnalysisKeyStore>): void {
  describe(name, () => {
    let opened: OpenAnalysisKeyStore;
    let store: AnalysisKeyStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.remove());
    const used = async (key: AnalysisKey) => (await store.find(key.keyHash))?.callsUsed;

    test('is empty at first', async () => {
      expect(await store.list(10)).toEqual([]);
      expect(await store.find(sampleKey(1).keyHash)).toBeUndefined();
      await store.probe();
      expect(await store.list(10)).toEqual([]);
    });

    test('keeps keys of every tier exactly, fresh and used, over a restart', async () => {
      const keys = TIERS.flatMap((tier, at) => [
        sampleKey(2 * at, { tier }),
        sampleKey(2 * at + 1, { tier, callsUsed: Number.MAX_SAFE_INTEGER - at, lastUsedS: START_S + 99 }),
      ]);
      await Promise.all(keys.map((key) => store.add(key)));
      expect(await store.list(100)).toEqual(keys);
      store = await opened.reopen();
      expect(await store.list(100)).toEqual(keys);
      for (const key of keys) expect(await store.find(key.keyHash)).toEqual(key);
    });

    test('lists the oldest first, the same second by id, and no more than asked for', async () => {
      const keys = [sampleKey(3), sampleKey(1), sampleKey(2, { createdAtS: START_S + 1 })];
      for (const key of keys) await store.add(key);
      const ordered = [sampleKey(1), sampleKey(2, { createdAtS: START_S + 1 }), sampleKey(3)];
      expect(await store.list(10)).toEqual(ordered);
      expect(await store.list(2)).toEqual(ordered.slice(0, 2));
      expect(await store.list(0)).toEqual([]);
    });

    test.each([
      ['hash', { keyHash: sampleKey(1).keyHash }],
      ['id', { keyId: sampleKey(1).keyId }],
    ])('a second key with the same %s is refused, and the first stays', async (_, same) => {
      await store.add(sampleKey(1));
      await expect(store.add({ ...sampleKey(2), ...same })).rejects.toThrow(StorageError);
      expect(await store.list(10)).toEqual([sampleKey(1)]);
    });

    test('of two that add the same key at once one is refused', async () => {
      const ends = await Promise.allSettled([
        store.add(sampleKey(1)),
        store.add(sampleKey(1)),
        store.add(sampleKey(2)),
      ]);
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await store.list(10)).toEqual([sampleKey(1), sampleKey(2)]);
    });

    test('refuses a key too many with the remedy, and takes one again after a revocation', async () => {
      const small = await opened.openSmall(2);
      await small.add(sampleKey(1));
      await small.add(sampleKey(2));
      await expect(small.add(sampleKey(3))).rejects.toThrow(/holds 2 keys already; revoke some/);
      await small.revoke(sampleKey(1).keyId);
      await small.add(sampleKey(3));
      expect(await small.list(10)).toEqual([sampleKey(2), sampleKey(3)]);
      await small.close();
    });

    test('a counted call is one more, with its time, on that key alone, over a restart', async () => {
      await store.add(sampleKey(1));
      await store.add(sampleKey(2));
      const after = sampleKey(1, { callsUsed: 1, lastUsedS: START_S + 7 });
      expect(await store.count(after.keyHash, call({ atS: START_S + 7 }))).toEqual({ counted: true, key: after });
      expect(await store.list(10)).toEqual([after, sampleKey(2)]);
      expect(await (await opened.reopen()).list(10)).toEqual([after, sampleKey(2)]);
    });

    test('a hundred calls at once are a hundred calls', async () => {
      const keys = [sampleKey(1), sampleKey(2)] as const;
      for (const key of keys) await store.add(key);
      const ends = await Promise.all(
        Array.from({ length: 100 }, (_, at) => store.count(keys[(at % 4 === 0 ? 1 : 0) as 0 | 1].keyHash, call())),
      );
      expect(ends.every(({ counted }) => counted)).toBe(true);
      expect(await used(keys[0])).toBe(75);
      store = await opened.reopen();
      expect(await used(keys[1])).toBe(25);
    });

    test.each([
      [4998, 2],
      [4999, 1],
      [5000, 0],
      [5001, 0],
    ])('with %i calls used of 5000, of ten at once exactly %i are counted', async (callsUsed, room) => {
      const key = sampleKey(1, { callsUsed, lastUsedS: START_S });
      await store.add(key);
      const ends = await Promise.all(Array.from({ length: 10 }, () => store.count(key.keyHash, call())));
      expect(ends.filter(({ counted }) => counted)).toHaveLength(room);
      expect(ends.filter((end) => !end.counted && end.reason === 'at-limit')).toHaveLength(10 - room);
      expect(await used(key)).toBe(callsUsed + room);
    });

    test('a hundred whole calls at once at the last unit of a quota: exactly one is admitted, and it is counted', async () => {
      const keys = createAnalysisKeys({ store, nowMs: () => START_S * 1000, randomBytes, usageReset: 'monthly' });
      const { apiKey, key } = await keys.mint('hobby');
      await store.revoke(key.keyId);
      await store.add({ ...key, callsUsed: 4999, lastUsedS: START_S });
      const ends = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const end = await keys.admit(apiKey);
          return end.ok ? end.done('counted') : end.code;
        }),
      );
      expect(ends.filter((end) => end === true)).toHaveLength(1);
      expect(ends.filter((end) => end === 'RATE_LIMITED')).toHaveLength(99);
      expect(await used(key)).toBe(5000);
    });

    test('without a limit every call is counted', async () => {
      const key = sampleKey(1, { callsUsed: 1e9, lastUsedS: START_S });
      await store.add(key);
      expect(await store.count(key.keyHash, call({ limit: undefined }))).toMatchObject({ counted: true });
      expect(await used(key)).toBe(1e9 + 1);
    });

    test.each([
      ['before the period', START_S - 1, 1],
      ['in its first second', START_S, 5000],
      ['at a time yet to come', START_S + 1e8, 5000],
    ])('calls last made %s (second %i) make the next one number %i', async (_, lastUsedS, number) => {
      const key = sampleKey(1, { callsUsed: 4999, lastUsedS });
      await store.add(key);
      const end = await store.count(key.keyHash, call({ atS: START_S + 5, sinceS: START_S }));
      expect(end).toMatchObject({ counted: true, key: { callsUsed: number, lastUsedS: START_S + 5 } });
    });

    test('a new period makes room at the limit', async () => {
      const key = sampleKey(1, { callsUsed: 5000, lastUsedS: START_S });
      await store.add(key);
      expect(await store.count(key.keyHash, call())).toEqual({ counted: false, reason: 'at-limit' });
      const next = call({ atS: START_S + 100, sinceS: START_S + 1 });
      expect(await store.count(key.keyHash, next)).toMatchObject({ counted: true, key: { callsUsed: 1 } });
    });

    test('a call of a key that is not there is not counted and makes none', async () => {
      expect(await store.count(sampleKey(1).keyHash, call())).toEqual({ counted: false, reason: 'missing' });
      expect(await store.list(10)).toEqual([]);
    });

    test('a revoked key is gone for good, its late calls count nothing, and twice is calm', async () => {
      const key = sampleKey(1, { callsUsed: 3, lastUsedS: START_S });
      await store.add(key);
      await store.add(sampleKey(2));
      expect(await store.revoke(key.keyId)).toEqual(key);
      expect(await store.revoke(key.keyId)).toBeUndefined();
      expect(await store.find(key.keyHash)).toBeUndefined();
      expect(await store.count(key.keyHash, call())).toEqual({ counted: false, reason: 'missing' });
      expect(await (await opened.reopen()).list(10)).toEqual([sampleKey(2)]);
    });

    test('what was begun before closing is stored; afterwards everything is refused', async () => {
      await store.add(sampleKey(1));
      const counting = Promise.all([1, 2, 3].map(() => store.count(sampleKey(1).keyHash, call())));
      await store.close();
      await counting;
      const calls = [
        () => store.find(sampleKey(1).keyHash),
        () => store.list(1),
        () => store.add(sampleKey(2)),
        () => store.count(sampleKey(1).keyHash, call()),
        () => store.revoke(sampleKey(1).keyId),
        () => store.probe(),
      ];
      for (const each of calls) await expect(each()).rejects.toThrow(StorageError);
      await store.close();
      store = await opened.reopen();
      expect(await used(sampleKey(1))).toBe(3);
    });
  });
}
