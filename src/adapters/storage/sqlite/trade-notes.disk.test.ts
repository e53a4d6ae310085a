// Trade notes on SQLite keep the promises of their port.

import { describeTradeNotes } from '../../../../tests/ports/trade-notes-suite.ts';
import { openTestData } from './testing/open-test-storage.ts';

describeTradeNotes('trade notes on SQLite', async () => {
  const { data, reopen, close } = await openTestData();
  return { notes: data.notes, journal: data.journal, reopen, close };
});
