// The twin marks on SQLite keep the promises of their port.

import { describeTwinMarks } from '../../../../tests/ports/twin-marks-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeTwinMarks('twin marks on SQLite', async () => {
  const { data, reopen, close } = await openTestData();
  return { marks: data.twinMarks, reopen: async () => (await reopen()).twinMarks, close };
});
