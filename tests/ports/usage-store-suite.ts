// What every usage store must do: add up, per user, all or nothing, over a restart.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { Usage, UsageStore } from '../../src/library/usage.ts';

export interface OpenUsageStore {
  readonly store: UsageStore;
  reopen(): Promise<UsageStore>;
  close(): Promise<void>;
}

const usage = (calls: number, firstUsedAtMs: number, lastUsedAtMs: number): Usage => ({
  calls,
  firstUsedAtMs,
  lastUsedAtMs,
});

export function describeUsageStore(name: string, open: () => Promise<OpenUsageStore>): void {
  describe(name, () => {
    let opened: OpenUsageStore;
    let store: UsageStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing of a user that never called', async () => {
      expect(await store.usage('ann')).toBeUndefined();
      await store.addUsage(new Map());
      expect(await store.usage('ann')).toBeUndefined();
    });

    test('adds up calls and keeps the earliest and the latest time, per user, over a restart', async () => {
      await store.addUsage(new Map([['ann', usage(2, 100, 200)]]));
      await store.addUsage(
        new Map([
          ['ann', usage(3, 50, 150)],
          ['bob', usage(1, 7, 7)],
        ]),
      );
      const again = await opened.reopen();
      expect(await again.usage('ann')).toEqual(usage(5, 50, 200));
      expect(await again.usage('bob')).toEqual(usage(1, 7, 7));
    });

    test('adds all of a batch or nothing', async () => {
      const batch = new Map([
        ['ann', usage(1, 1, 1)],
        ['bob', usage(1, Number.NaN, 1)],
      ]);
      await expect(store.addUsage(batch)).rejects.toBeInstanceOf(StorageError);
      expect(await store.usage('ann')).toBeUndefined();
    });
  });
}
