// Whose library a key opens: one key for one library at any moment, also in the middle of a renewal.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openMemoryKeyValues } from '../adapters/storage/memory/key-values.ts';
import type { KeyValueStore } from './key-value-store.ts';
import { createScriptKeys, requireApiKey, SCRIPT_KEY_TTL_MS, type ScriptKeyRecord, userIdOf } from './script-keys.ts';

function setUp() {
  const clock = { nowMs: 1_790_000_000_123 };
  const nowMs = () => clock.nowMs;
  const store = openMemoryKeyValues({ nowMs });
  const libraries = new Set<string>();
  const hasLibrary = async (userId: string) => libraries.has(userId);
  const over = (changed: Partial<KeyValueStore>) =>
    createScriptKeys({ store: { ...store, ...changed }, nowMs, randomBytes, hasLibrary });
  return { clock, store, over, libraries, keys: over({}) };
}

describe('a library', () => {
  test('is owned while its key lives, and by nobody from the moment it is revoked or expires', async () => {
    const { keys, clock } = setUp();
    const [revoked, expiring] = [await keys.create('pro'), await keys.create('pro')];
    expect([await keys.isOwned(revoked.userId), await keys.isOwned(expiring.userId)]).toEqual([true, true]);
    await keys.revoke(revoked.key);
    expect([await keys.isOwned(revoked.userId), await keys.isOwned(expiring.userId)]).toEqual([false, true]);
    clock.nowMs += SCRIPT_KEY_TTL_MS - 1;
    expect(await keys.isOwned(expiring.userId)).toBe(true);
    clock.nowMs += 1;
    expect(await keys.isOwned(expiring.userId)).toBe(false);
  });

  test('is owned by nobody when somebody deletes the key in the store by hand', async () => {
    const { keys, store } = setUp();
    const { key, userId } = await keys.create('pro');
    await store.delete(`key:${key}`);
    expect(await keys.isOwned(userId)).toBe(false);
  });

  test('of a key that was made before owners were written down is owned from its first use, or when it is adopted', async () => {
    const { keys, store, clock } = setUp();
    const old = [1, 2].map((byte) => `pn_${String(byte).padStart(2, '0').repeat(24)}`);
    for (const key of old)
      await store.put(`key:${key}`, JSON.stringify({ key, tier: 'pro', createdAt: clock.nowMs }), 1000);
    const [used, silent] = old.map(userIdOf) as [string, string];
    expect([await keys.isOwned(used), await keys.isOwned(silent)]).toEqual([false, false]);
    await keys.lookup(old[0] as string);
    expect([await keys.isOwned(used), await keys.isOwned(silent)]).toEqual([true, false]);
    await keys.adopt([silent, 'f'.repeat(32)]);
    expect([await keys.isOwned(used), await keys.isOwned(silent)]).toEqual([true, true]);
    clock.nowMs += 1000;
    expect([await keys.isOwned(used), await keys.isOwned(silent)]).toEqual([false, false]);
  });
});

describe('a renewed key', () => {
  test('opens the library of the old one, at its tier, for a year from now; the old one opens nothing', async () => {
    const { keys, clock } = setUp();
    const old = await keys.create('team');
    clock.nowMs += SCRIPT_KEY_TTL_MS - 1;
    const renewed = (await keys.renew({ key: old.key })) as ScriptKeyRecord;
    expect(renewed).toMatchObject({ tier: 'team', userId: old.userId, createdAt: clock.nowMs });
    expect(renewed.key).not.toBe(old.key);
    const bindings = { durableDatabase: true, lookup: (key: string) => keys.lookup(key), allowOpenKeys: false };
    expect(await requireApiKey(bindings, renewed.key)).toMatchObject({ ok: true, auth: { userId: old.userId } });
    expect(await requireApiKey(bindings, old.key)).toMatchObject({ ok: false, code: 'INVALID_KEY' });
    clock.nowMs += SCRIPT_KEY_TTL_MS - 1;
    expect(await keys.isOwned(old.userId)).toBe(true);
  });

  test('can be renewed again, by the key or by the user id', async () => {
    const { keys } = setUp();
    const first = await keys.create('pro');
    const second = (await keys.renew({ key: first.key })) as ScriptKeyRecord;
    const third = (await keys.renew({ userId: first.userId })) as ScriptKeyRecord;
    expect([second.userId, third.userId, third.tier]).toEqual([first.userId, first.userId, 'pro']);
    expect([await keys.lookup(first.key), await keys.lookup(second.key)]).toEqual([undefined, undefined]);
    expect(await keys.lookup(third.key)).toEqual(third);
  });

  test('is given to a library whose key was revoked, by its user id and with the tier that is named', async () => {
    const { keys } = setUp();
    const { key, userId } = await keys.create('pro');
    await keys.revoke(key);
    expect(await keys.renew({ key })).toBe('unknown-key');
    expect(await keys.renew({ userId: 'x' })).toBe('bad-user-id');
    expect(await keys.renew({ userId, tier: 'team' })).toMatchObject({ userId, tier: 'team' });
    expect(await keys.isOwned(userId)).toBe(true);
  });

  test('keeps the tier of the key that was revoked, where none is named', async () => {
    const { keys } = setUp();
    const { key, userId } = await keys.create('team');
    await keys.revoke(key);
    expect(await keys.renew({ userId })).toMatchObject({ userId, tier: 'team' });
  });

  test('keeps the tier of the key that expired, where none is named, for another year', async () => {
    const { keys, clock } = setUp();
    const [early, late] = [await keys.create('team'), await keys.create('team')];
    clock.nowMs += SCRIPT_KEY_TTL_MS;
    expect(await keys.renew({ userId: early.userId })).toMatchObject({ userId: early.userId, tier: 'team' });
    clock.nowMs += SCRIPT_KEY_TTL_MS - 1;
    expect(await keys.renew({ userId: late.userId })).toMatchObject({ userId: late.userId, tier: 'team' });
  });

  test('keeps the tier of an expired key that was made before owners were written down, and used since', async () => {
    const { keys, store, clock } = setUp();
    const key = `pn_${'01'.repeat(24)}`;
    await store.put(`key:${key}`, JSON.stringify({ key, tier: 'pro', createdAt: clock.nowMs }), 1000);
    await keys.lookup(key);
    clock.nowMs += 1000;
    expect(await keys.renew({ userId: userIdOf(key) })).toMatchObject({ tier: 'pro' });
  });

  test('is not given to a user that nobody knows, and is to one whose library is all that is left', async () => {
    const { keys, store, libraries } = setUp();
    const userId = 'a'.repeat(32);
    expect(await keys.renew({ userId, tier: 'pro' })).toBe('unknown-user');
    expect(await store.names()).toEqual([]);
    libraries.add(userId);
    expect(await keys.renew({ userId })).toMatchObject({ userId, tier: 'hobby' });
  });

  test('is given to the user of a key that was made before owners were written down and never used since', async () => {
    const { keys, store, clock } = setUp();
    const key = `pn_${'01'.repeat(24)}`;
    await store.put(`key:${key}`, JSON.stringify({ key, tier: 'pro', createdAt: clock.nowMs }), 1000);
    expect(await keys.renew({ userId: userIdOf(key) })).toMatchObject({ tier: 'pro' });
    expect(await keys.lookup(key)).toBeUndefined();
  });

  test('leaves exactly one owner, wherever its making is cut off', async () => {
    // Every step of the store is cut off once: before it is done, and after it is done but before anybody hears of it.
    for (let at = 0; at < 4; at += 1)
      for (const isDone of [false, true]) {
        const { store, over, keys } = setUp();
        const old = await keys.create('pro');
        let writes = 0;
        const cut = async (work: () => Promise<void>): Promise<void> => {
          if (writes++ !== at) return work();
          if (isDone) await work();
          throw new Error('killed');
        };
        const dying = over({
          put: (...args) => cut(() => store.put(...args)),
          delete: (name) => cut(() => store.delete(name)),
        });
        const renewed = dying.renew({ key: old.key });
        // The last step only tidies up: when it fails, the new key is shown all the same, for the old one opens nothing.
        if (at === 3) expect(await keys.lookup(((await renewed) as ScriptKeyRecord).key)).toBeDefined();
        else await expect(renewed).rejects.toThrow('killed');
        const names = (await store.names()).filter((name) => name.startsWith('key:')).map((name) => name.slice(4));
        const owners: string[] = [];
        for (const key of names) if ((await keys.lookup(key))?.userId === old.userId) owners.push(key);
        expect([at, isDone, owners.length, await keys.isOwned(old.userId)]).toEqual([at, isDone, 1, true]);
      }
  });
});
