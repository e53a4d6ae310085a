// The SQLite journal keeps the promises of its port: the suite that any other journal runs too.

import { describeJournal } from '../../../../tests/ports/journal-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeJournal('the journal on SQLite', async () => {
  const opened = await openTestData();
  return {
    journal: opened.data.journal,
    reopen: async () => (await opened.reopen()).journal,
    close: opened.close,
  };
});
