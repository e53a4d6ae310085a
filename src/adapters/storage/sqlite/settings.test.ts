// Settings and webhook keys on SQLite keep the promises of their ports, in a file of their own.

import { existsSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { describeSettings } from '../../../../tests/ports/settings-suite.ts';
import { describeWebhookKeyStore } from '../../../../tests/ports/webhook-key-store-suite.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import { openSettingsStorage } from './settings.ts';
import { openTestSettings, testFolder } from './testing/open-test-storage.ts';

describeSettings('the settings on SQLite', () => {
  const opened = openTestSettings();
  return { settings: opened.storage.settings, reopen: () => opened.reopen().settings, close: opened.close };
});

describeWebhookKeyStore('the webhook key store on SQLite', () => {
  const opened = openTestSettings();
  return { webhookKeys: opened.storage.webhookKeys, reopen: () => opened.reopen().webhookKeys, close: opened.close };
});

const ENTRY = { atMs: 1, actor: 'test', setting: 'killSwitch', before: null, after: '1' };

test('settings live in a file of their own', () => {
  const opened = openTestSettings();
  expect(basename(opened.storage.path)).toBe('settings.db');
  expect(existsSync(opened.storage.path)).toBe(true);
  opened.close();
});

test('a change to a file that was moved away is refused and not in force', () => {
  const folder = testFolder();
  const { settings, path, probe, close } = openSettingsStorage(folder.dataDir);
  settings.set('killSwitch', '"first"', ENTRY);
  renameSync(path, `${path}.moved`);
  expect(() => settings.set('killSwitch', '"second"', ENTRY)).toThrow(/moved, replaced or deleted.*put it back/);
  expect(() => probe()).toThrow(StorageError);
  renameSync(`${path}.moved`, path);
  settings.set('killSwitch', '"third"', ENTRY);
  expect(settings.get('killSwitch')).toBe('"third"');
  close();
  folder.remove();
});

test('after closing, reads and writes are refused with a storage error', () => {
  const folder = testFolder();
  const { settings, webhookKeys, probe, close } = openSettingsStorage(folder.dataDir);
  probe();
  close();
  const calls = [
    () => settings.get('x'),
    () => settings.audit(1),
    () => settings.set('x', '1', ENTRY),
    () => webhookKeys.list(),
    () => probe(),
  ];
  for (const call of calls) expect(call).toThrow(StorageError);
  folder.remove();
});
