// Old rows of the journal leave a SQLite file as they leave every other database.

import { describeArchive } from '../../../../../tests/ports/archive-suite.ts';
import { openTestData } from '../testing/open-test-storage.ts';

describeArchive('an archive of the journal on SQLite', async () => {
  const { data, close } = await openTestData();
  return { ...data, close };
});
