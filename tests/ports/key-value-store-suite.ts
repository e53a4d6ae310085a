// What every key-value store must do: the last value by its name, exactly, until its time is up.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { KeyValueStore } from '../../src/keys/key-value-store.ts';

export interface OpenKeyValueStore {
  readonly store: KeyValueStore;
  remove(): Promise<void>;
}

export interface KeyValueStoreChoice {
  readonly nowMs: () => number;
  readonly maxEntries?: number;
}

const YEAR_MS = 365 * 86_400_000;

export function describeKeyValueStore(
  name: string,
  open: (choice: KeyValueStoreChoice) => Promise<OpenKeyValueStore>,
): void {
  describe(name, () => {
    let now = 1_790_000_000_000;
    let opened: OpenKeyValueStore;
    let store: KeyValueStore;
    beforeEach(async () => {
      now = 1_790_000_000_000;
      opened = await open({ nowMs: () => now, maxEntries: 3 });
      store = opened.store;
    });
    afterEach(() => opened.remove());

    test('knows nothing at first, and deleting nothing is calm', async () => {
      expect(await store.get('key:a')).toBeUndefined();
      await store.delete('key:a');
      await store.probe();
    });

    test('holds the last value of each name exactly', async () => {
      const odd = '{"a":"Größe 🚂 \\u0000 \\"quoted\\"\n"}';
      await store.put('key:a', 'first', 1000);
      await store.put('key:a', odd, 1000);
      await store.put('KEY:A', '', 1000);
      expect(await store.get('key:a')).toBe(odd);
      expect(await store.get('KEY:A')).toBe('');
      await store.delete('key:a');
      expect(await store.get('key:a')).toBeUndefined();
      expect(await store.get('KEY:A')).toBe('');
    });

    test.each([1, 1000, YEAR_MS])('a value lives for exactly %i ms', async (ttlMs) => {
      await store.put('key:a', 'x', ttlMs);
      now += ttlMs - 1;
      expect(await store.get('key:a')).toBe('x');
      now += 1;
      expect(await store.get('key:a')).toBeUndefined();
    });

    test('lists the names there are, and none whose time is up', async () => {
      expect(await store.names()).toEqual([]);
      await store.put('key:a', 'x', 1000);
      await store.put('owner:b', 'y', 2000);
      expect((await store.names()).toSorted()).toEqual(['key:a', 'owner:b']);
      now += 1000;
      expect(await store.names()).toEqual(['owner:b']);
      await store.delete('owner:b');
      expect(await store.names()).toEqual([]);
    });

    test('writing again starts the time anew', async () => {
      await store.put('key:a', 'x', 1000);
      now += 999;
      await store.put('key:a', 'y', 1000);
      now += 999;
      expect(await store.get('key:a')).toBe('y');
    });

    test('a clock that runs ahead for a while ends nothing for good', async () => {
      await store.put('key:a', 'x', 1000);
      now += YEAR_MS;
      expect(await store.get('key:a')).toBeUndefined();
      await store.put('key:b', 'y', 1000);
      now -= YEAR_MS;
      expect(await store.get('key:a')).toBe('x');
    });

    test('refuses a name too many with the remedy, but a known one can still be written', async () => {
      for (const each of ['a', 'b', 'c']) await store.put(each, each, 1000);
      await expect(store.put('d', 'd', 1000)).rejects.toThrow(/holds 3 keys already; delete some/);
      await expect(store.put('d', 'd', 1000)).rejects.toThrow(StorageError);
      await store.put('c', 'new', 1000);
      expect(await store.get('c')).toBe('new');
      expect(await store.get('d')).toBeUndefined();
      await store.probe();
    });

    test('what has expired makes room when it is needed', async () => {
      for (const each of ['a', 'b', 'c']) await store.put(each, each, each === 'a' ? 5 : 1000);
      now += 5;
      await store.put('d', 'd', 1000);
      for (const each of ['b', 'c', 'd']) expect(await store.get(each)).toBe(each);
    });

    test('after closing everything is refused, and closing twice is calm', async () => {
      await store.close();
      const calls = [() => store.get('a'), () => store.put('a', 'a', 1), () => store.delete('a'), () => store.probe()];
      for (const each of calls) await expect(each()).rejects.toThrow(StorageError);
      await store.close();
    });
  });
}
