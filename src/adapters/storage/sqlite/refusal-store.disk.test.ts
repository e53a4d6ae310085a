// The refusal store on SQLite keeps the promises of its port.

import { describeRefusalStore } from '../../../../tests/ports/refusal-store-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeRefusalStore('the refusal store on SQLite', async () => {
  const { data, reopen, close } = await openTestData();
  return { store: data.refusals, reopen: async () => (await reopen()).refusals, close };
});
