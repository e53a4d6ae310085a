// The equity store on SQLite keeps the promises of its port.

import { describeEquityStore } from '../../../../tests/ports/equity-store-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeEquityStore('the equity store on SQLite', async () => {
  const { data, reopen, close } = await openTestData();
  return { store: data.equity, reopen: async () => (await reopen()).equity, close };
});
