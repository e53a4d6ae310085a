// Desk events on SQLite keep the promises of their port.

import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { describeDeskEvents, type OpenDeskEvents } from '../../../../tests/ports/desk-events-suite.ts';
import { openDatabase } from './database.ts';
import { TRADING } from './database-files.ts';
import { openTestData, type TestData } from './testing/open-test-storage.ts';

const eventsIn = (opened: TestData): OpenDeskEvents => ({
  events: opened.data.events,
  journal: opened.data.journal,
  reopen: opened.reopen,
  copy: async () => eventsIn(await openTestData((dataDir) => copyInto(dataDir, opened.data.path))),
  close: opened.close,
});

async function copyInto(dataDir: string, path: string): Promise<void> {
  const db = openDatabase({ path, readOnly: true });
  await backup(db, join(dataDir, TRADING.name));
  db.close();
}

describeDeskEvents('desk events on SQLite', async () => eventsIn(await openTestData()));
