// Funding of real venues on SQLite keeps the promises of its port.

import { describeFundingStore } from '../../../../tests/ports/funding-store-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeFundingStore('funding of venues on SQLite', async () => {
  const { data, reopen, close } = await openTestData();
  return { store: data.fundings, reopen: async () => (await reopen()).fundings, close };
});
