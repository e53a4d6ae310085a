// Settings, webhook keys, restrictions and layouts on SQLite keep the promises of their ports, in a file of their own.

import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { describeAuditRows } from '../../../../tests/ports/audit-rows-suite.ts';
import { describeLayoutStore } from '../../../../tests/ports/layout-store-suite.ts';
import { describeRestrictionStore } from '../../../../tests/ports/restriction-store-suite.ts';
import { describeSettings } from '../../../../tests/ports/settings-suite.ts';
import { USAGE_ENTRY } from '../../../../tests/ports/usage-ledger-suite.ts';
import { describeWebhookKeyStore } from '../../../../tests/ports/webhook-key-store-suite.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import type { SettingsStorage } from '../sql/owner/settings.ts';
import { openUsageStorage } from './agent/usage-ledger.ts';
import { openMigrated } from './database.ts';
import { OWNER } from './database-files.ts';
import { openSettingsStorage, readOwnerStores, readStoredSettings } from './settings.ts';
import { earlierMigrations } from './testing/earlier-migrations.ts';
import { openTestSettings, testFolder } from './testing/open-test-storage.ts';

describeSettings('the settings on SQLite', async () => {
  const opened = openTestSettings();
  return {
    settings: opened.storage.settings,
    reopen: async () => (await opened.reopen()).settings,
    close: () => opened.close(),
  };
});

describeWebhookKeyStore('the webhook key store on SQLite', async () => {
  const opened = openTestSettings();
  return {
    webhookKeys: opened.storage.webhookKeys,
    reopen: async () => (await opened.reopen()).webhookKeys,
    close: () => opened.close(),
  };
});

describeRestrictionStore('the restriction store on SQLite', async () => {
  const opened = openTestSettings();
  return { ...opened.storage, reopen: () => opened.reopen(), close: () => opened.close() };
});

describeLayoutStore('the layout store on SQLite', async () => {
  const opened = openTestSettings();
  return {
    layouts: opened.storage.layouts,
    reopen: async () => (await opened.reopen()).layouts,
    close: () => opened.close(),
  };
});

describeAuditRows('the rows of the audit on SQLite', async () => {
  const folder = testFolder();
  const storages = [openSettingsStorage(folder.dataDir)];
  return {
    ...(storages[0] as SettingsStorage),
    async beside() {
      const storage = openSettingsStorage(folder.dataDir);
      storages.push(storage);
      return storage;
    },
    async close() {
      for (const { close } of storages) await close();
      folder.remove();
    },
  };
});

/** How many migrations there were. */
const WITHOUT_QUERIES = 8;

const ENTRY = { atMs: 1, actor: 'test', setting: 'killSwitch', before: null, after: '1' };

test('settings live in a file of their own', async () => {
  const opened = openTestSettings();
  expect(basename(opened.storage.path)).toBe('settings.db');
  expect(existsSync(opened.storage.path)).toBe(true);
  await opened.close();
});

test('a change to a file that was moved away is refused and not in force', async () => {
  const folder = testFolder();
  const { settings, path, probe, close } = openSettingsStorage(folder.dataDir);
  await settings.set('killSwitch', '"first"', ENTRY);
  renameSync(path, `${path}.moved`);
  const second = settings.set('killSwitch', '"second"', ENTRY);
  await expect(second).rejects.toThrow(/moved, replaced or deleted.*put it back/);
  await expect(probe()).rejects.toThrow(StorageError);
  renameSync(`${path}.moved`, path);
  await settings.set('killSwitch', '"third"', ENTRY);
  expect(settings.get('killSwitch')).toBe('"third"');
  await close();
  folder.remove();
});

test('after closing, reads and writes are refused with a storage error', async () => {
  const folder = testFolder();
  const { settings, webhookKeys, layouts, auditRows, probe, close } = openSettingsStorage(folder.dataDir);
  await probe();
  await close();
  for (const read of [() => settings.get('x'), () => webhookKeys.list()]) expect(read).toThrow(StorageError);
  const calls = [settings.audit(1), settings.set('x', '1', ENTRY), layouts.list(), auditRows.newest(), probe()];
  for (const call of calls) await expect(call).rejects.toThrow(StorageError);
  folder.remove();
});

test('storages that have one file open in one process wait for each other, and none holds the process', async () => {
  const folder = testFolder();
  const storages = [1, 2, 3].map(() => openSettingsStorage(folder.dataDir));
  const usage = openUsageStorage({ dataDir: folder.dataDir });
  const changes = Array.from({ length: 10 }).flatMap(() => [
    ...storages.map(({ settings }) => settings.appendAudit(ENTRY)),
    usage.ledger.add(USAGE_ENTRY),
  ]);
  await Promise.all(changes);
  expect(await storages[0]?.auditRows.newest()).toBe(30);
  expect((await usage.ledger.usage(0))[0]?.requests).toBe(10);
  for (const { close } of [...storages, usage]) await close();
  folder.remove();
});

test('whoever only looks sees what is stored now, changes nothing, and makes no file', async () => {
  const folder = testFolder();
  expect(readStoredSettings(folder.dataDir).size).toBe(0);
  const none = readOwnerStores(folder.dataDir);
  expect([none.settings.get('x'), none.storedAccounts.list(), none.restrictions.list()]).toEqual([undefined, [], []]);
  none.close();
  expect(readdirSync(folder.dataDir)).toEqual([]);
  const { settings, restrictions, close } = openSettingsStorage(folder.dataDir);
  const looking = readOwnerStores(folder.dataDir);
  await settings.set('killSwitch', '"first"', ENTRY);
  await restrictions.put({ kind: 'symbol', name: 'BTCUSDT', limits: {} }, ENTRY);
  expect(looking.settings.get('killSwitch')).toBe('"first"');
  expect(looking.restrictions.list()).toEqual([{ kind: 'symbol', name: 'BTCUSDT', limits: {} }]);
  expect(() => looking.settings.set('killSwitch', '"second"', ENTRY)).toThrow('nothing is changed');
  expect(readStoredSettings(folder.dataDir)).toEqual(new Map([['killSwitch', '"first"']]));
  looking.close();
  await close();
  folder.remove();
});

test('a folder of an older version has none of the tables that came later', () => {
  const folder = testFolder();
  const db = new DatabaseSync(join(folder.dataDir, OWNER.name));
  db.exec(readFileSync(new URL('0001-settings.sql', OWNER.migrations), 'utf8'));
  db.close();
  const { storedAccounts, restrictions, close } = readOwnerStores(folder.dataDir);
  expect([storedAccounts.list(), restrictions.list()]).toEqual([[], []]);
  close();
  folder.remove();
});

test('layouts of a version that saved no queries are as they were, and no revision of theirs is given again', async () => {
  const folder = testFolder();
  const migrations = earlierMigrations(folder.dataDir, WITHOUT_QUERIES, OWNER);
  const older = openMigrated(join(folder.dataDir, OWNER.name), migrations);
  older.exec(`INSERT INTO layouts (kind, name, revision, about, content, updated_at)
      VALUES ('layout', 'Größe', 3, 'BTCUSDT 1h', '{"a":1}', 5), ('template', 'Größe', 7, '', '{}', 6);
    UPDATE layout_revisions SET last = 7`);
  older.close();
  const { layouts, close } = openSettingsStorage(folder.dataDir);
  const kept = { name: 'Größe', revision: 3, about: 'BTCUSDT 1h', updatedAtMs: 5 };
  expect(await layouts.find({ kind: 'layout', name: 'Größe' })).toEqual({
    kind: 'layout',
    ...kept,
    content: '{"a":1}',
  });
  const query = { ...kept, kind: 'query', content: '{"sql":"SELECT 1"}' } as const;
  await layouts.change((rows) => rows.put({ ...query, revision: rows.nextRevision() }));
  expect((await layouts.list()).map(({ kind, revision }) => [kind, revision])).toEqual([
    ['layout', 3],
    ['query', 8],
    ['template', 7],
  ]);
  await close();
  folder.remove();
});
