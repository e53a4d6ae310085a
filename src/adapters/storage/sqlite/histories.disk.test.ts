// What is read of the past on SQLite keeps the promises of its ports.

import { describeHistories } from '../../../../tests/ports/histories-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeHistories('the past on SQLite', async () => {
  const { data, close } = await openTestData();
  return { ...data, close };
});
