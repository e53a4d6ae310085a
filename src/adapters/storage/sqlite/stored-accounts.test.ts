// Stored accounts on SQLite keep the promises of their port.

import { describeStoredAccountStore } from '../../../../tests/ports/stored-account-store-suite.ts';
import { openTestSettings } from './testing/open-test-storage.ts';

describeStoredAccountStore('stored accounts on SQLite', async () => {
  const opened = openTestSettings();
  return { ...opened.storage, reopen: () => opened.reopen(), close: () => opened.close() };
});
