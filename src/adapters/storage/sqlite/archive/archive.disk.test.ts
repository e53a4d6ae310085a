// Old rows of the journal leave a SQLite file as they leave every other database.

import { describeArchiveOrder } from '../../../../../tests/ports/archive-order-suite.ts';
import { describeArchive } from '../../../../../tests/ports/archive-suite.ts';
import { openTestData } from '../testing/open-test-storage.ts';

const open = async () => {
  const { data, close } = await openTestData();
  return { ...data, close };
};
describeArchive('an archive of the journal on SQLite', open);
describeArchiveOrder('the order in which rows leave the journal on SQLite', open);
