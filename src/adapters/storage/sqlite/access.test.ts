// The access store on SQLite keeps the promises of its port, audits in the same step, and is seen by another process at once.

import { expect, test } from 'vitest';
import { describeAccessStore } from '../../../../tests/ports/access-store-suite.ts';
import { isPasswordStored } from './find-password.ts';
import { openSettingsStorage } from './settings.ts';
import { openTestSettings, testFolder } from './testing/open-test-storage.ts';

describeAccessStore('the access store on SQLite', async () => {
  const opened = openTestSettings();
  return {
    access: opened.storage.access,
    reopen: async () => (await opened.reopen()).access,
    close: () => opened.close(),
  };
});

test('a change and its audit entry are one step, in the audit that everything else is in', async () => {
  const opened = openTestSettings();
  const entry = { atMs: 1, actor: 'cli', setting: 'password', before: null, after: '{"isSet":true}' };
  await opened.storage.access.change((rows) => {
    rows.putPassword({ hash: 'x' });
    rows.audit(entry);
  });
  expect(await opened.storage.settings.audit(10)).toEqual([entry]);
  await opened.close();
});

test('what a command beside it changes is seen with the next look', async () => {
  const folder = testFolder();
  expect(isPasswordStored(folder.dataDir)).toBe(false);
  const [instance, command] = [openSettingsStorage(folder.dataDir), openSettingsStorage(folder.dataDir)];
  expect(isPasswordStored(folder.dataDir)).toBe(false);
  await command.access.change((rows) => rows.putPassword({ hash: 'x' }));
  expect(await instance.access.password()).toEqual({ hash: 'x' });
  expect(isPasswordStored(folder.dataDir)).toBe(true);
  for (const storage of [instance, command]) await storage.close();
  folder.remove();
});
