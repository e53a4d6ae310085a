// The kept runs on SQLite keep the promises of their port.

import { describeRunStore } from '../../../../../tests/ports/run-store-suite.ts';
import { testFolder } from '../testing/open-test-storage.ts';
import { openRunStorage } from './testing/open-storage.ts';

describeRunStore('kept runs on SQLite', async () => {
  const { dataDir, remove } = testFolder();
  let storage = openRunStorage({ dataDir });
  return {
    store: storage.runs,
    async reopen() {
      await storage.close();
      storage = openRunStorage({ dataDir });
      return storage.runs;
    },
    async close() {
      await storage.close();
      remove();
    },
  };
});
