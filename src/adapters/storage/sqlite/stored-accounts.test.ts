// Stored accounts on SQLite: kept exactly, any number at an exchange, each change with its audit entry or not at all.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { StorageError } from '../../../errors/storage-error.ts';
import type { StoredAccount } from '../../../keys/stored-accounts.ts';
import { openTestSettings, type TestSettings } from './testing/open-test-storage.ts';

const AUDIT = { atMs: 5, actor: 'test', setting: 'storedAccount', before: null, after: '{}' };
const stored = (account: string, more: Partial<StoredAccount> = {}): StoredAccount => ({
  ...{ exchange: 'binance', account, mode: 'live', keyStart: 'abcd', sealedCredentials: 'sealed1.x', createdAtMs: 7 },
  ...more,
});

let opened: TestSettings;
beforeEach(() => {
  opened = openTestSettings();
});
afterEach(() => opened.close());

test('are kept exactly, oldest first, any number at an exchange, over a restart', async () => {
  const { storedAccounts: store } = opened.storage;
  const all = [
    stored('old', { createdAtMs: 1, mode: 'testnet', positionMode: 'hedge' }),
    ...Array.from({ length: 20 }, (_, n) => stored(`a${String(n).padStart(2, '0')}`)),
    stored('main', { exchange: 'bybit', positionMode: 'one-way' }),
  ];
  for (const account of [...all].reverse()) store.insert(account, AUDIT);
  expect(store.list()).toEqual(all);
  expect(opened.reopen().storedAccounts.list()).toEqual(all);
  expect(await opened.storage.settings.audit(100)).toHaveLength(all.length);
});

test('a name is there once at its exchange, and what is refused is not in the audit', async () => {
  const { storedAccounts: store, settings } = opened.storage;
  store.insert(stored('main'), AUDIT);
  expect(() => store.insert(stored('main', { mode: 'testnet' }), AUDIT)).toThrow(StorageError);
  expect(() => store.insert(stored('other', { mode: 'paper' as never }), AUDIT)).toThrow(StorageError);
  store.insert(stored('main', { exchange: 'bybit' }), AUDIT);
  expect(store.list().map(({ exchange, mode }) => `${exchange} ${mode}`)).toEqual(['binance live', 'bybit live']);
  expect(await settings.audit(100)).toHaveLength(2);
});

test('one is removed, and no other', async () => {
  const { storedAccounts: store, settings } = opened.storage;
  for (const account of ['main', 'scalp']) store.insert(stored(account), AUDIT);
  store.insert(stored('main', { exchange: 'mexc' }), AUDIT);
  store.remove(stored('main'), { ...AUDIT, before: '{}', after: null });
  expect(store.list().map(({ exchange, account }) => `${exchange}:${account}`)).toEqual(['binance:scalp', 'mexc:main']);
  expect(await settings.audit(1)).toEqual([{ ...AUDIT, before: '{}', after: null }]);
});
