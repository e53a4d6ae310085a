// The bytes of libraries on SQLite are counted truly.

import { describeLibraryBytes } from '../../../../../tests/ports/library-bytes-suite.ts';
import { openTestScripts } from './testing/open-test-scripts.ts';

describeLibraryBytes('the bytes of libraries on SQLite', async (limits, publicationLimits) => {
  const opened = openTestScripts(limits, publicationLimits);
  const { scripts, publications, db } = opened.storage;
  return { scripts, publications, reads: db.reads, close: () => opened.close() };
});
