// What every store of accounts must do: keep each exactly, once at its exchange, and each change with its audit entry or not at all.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { StoredAccount, StoredAccountStore } from '../../src/keys/stored-accounts.ts';
import type { SettingsStore } from '../../src/trading/intake/controls.ts';

export interface AccountStores {
  readonly storedAccounts: StoredAccountStore;
  /** With the audit. */
  readonly settings: Pick<SettingsStore, 'audit'>;
}

export interface OpenStoredAccountStore extends AccountStores {
  reopen(): Promise<AccountStores>;
  close(): Promise<void>;
}

const AUDIT = { atMs: 5, actor: 'test', setting: 'storedAccount', before: null, after: '{}' };
const stored = (account: string, more: Partial<StoredAccount> = {}): StoredAccount => ({
  ...{ exchange: 'binance', account, mode: 'live', keyStart: 'abcd', sealedCredentials: 'sealed1.x', createdAtMs: 7 },
  ...more,
});

export function describeStoredAccountStore(name: string, open: () => Promise<OpenStoredAccountStore>): void {
  describe(name, () => {
    let opened: OpenStoredAccountStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    test('are kept exactly, oldest first, any number at an exchange, over a restart', async () => {
      const { storedAccounts: store } = opened;
      const all = [
        stored('old', { createdAtMs: 1, mode: 'testnet', positionMode: 'hedge' }),
        ...Array.from({ length: 20 }, (_, n) => stored(`a${String(n).padStart(2, '0')}`)),
        stored('main', { exchange: 'bybit', positionMode: 'one-way' }),
      ];
      for (const account of [...all].reverse()) await store.insert(account, AUDIT);
      expect(store.list()).toEqual(all);
      const again = await opened.reopen();
      expect(again.storedAccounts.list()).toEqual(all);
      expect(await again.settings.audit(100)).toHaveLength(all.length);
    });

    test('a name is there once at its exchange, and what is refused is not in the audit', async () => {
      const { storedAccounts: store, settings } = opened;
      await store.insert(stored('main'), AUDIT);
      await expect(store.insert(stored('main', { mode: 'testnet' }), AUDIT)).rejects.toThrow(StorageError);
      await expect(store.insert(stored('other', { mode: 'paper' as never }), AUDIT)).rejects.toThrow(StorageError);
      await store.insert(stored('main', { exchange: 'bybit' }), AUDIT);
      expect(store.list().map(({ exchange, mode }) => `${exchange} ${mode}`)).toEqual(['binance live', 'bybit live']);
      expect(await settings.audit(100)).toHaveLength(2);
    });

    test('one is removed, and no other', async () => {
      const { storedAccounts: store, settings } = opened;
      for (const account of ['main', 'scalp']) await store.insert(stored(account), AUDIT);
      await store.insert(stored('main', { exchange: 'mexc' }), AUDIT);
      await store.remove(stored('main'), { ...AUDIT, before: '{}', after: null });
      expect(store.list().map(({ exchange, account }) => `${exchange}:${account}`)).toEqual([
        'binance:scalp',
        'mexc:main',
      ]);
      expect(await settings.audit(1)).toEqual([{ ...AUDIT, before: '{}', after: null }]);
    });

    test('of two of one name that come at the same moment one is refused', async () => {
      const { storedAccounts: store, settings } = opened;
      const both = await Promise.allSettled([store.insert(stored('main'), AUDIT), store.insert(stored('main'), AUDIT)]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(store.list()).toEqual([stored('main')]);
      expect(await settings.audit(100)).toHaveLength(1);
    });

    test('a change whose audit entry cannot be written does not happen', async () => {
      const { storedAccounts: store } = opened;
      const broken = { ...AUDIT, atMs: Number.NaN };
      await store.insert(stored('main'), AUDIT);
      await expect(store.insert(stored('scalp'), broken)).rejects.toThrow(StorageError);
      await expect(store.remove(stored('main'), broken)).rejects.toThrow(StorageError);
      expect(store.list()).toEqual([stored('main')]);
    });
  });
}
