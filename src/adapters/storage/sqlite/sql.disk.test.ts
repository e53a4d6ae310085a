// SQLite keeps what every engine promises to stores.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeSqlDatabase } from '../../../../tests/ports/sql-database-suite.ts';
import { openSqlite } from './sql.ts';
import { testFolder } from './testing/open-test-storage.ts';

const ITEMS = `CREATE TABLE items (
  seq INTEGER PRIMARY KEY, label TEXT UNIQUE, amount REAL, bytes BLOB, count INTEGER NOT NULL DEFAULT 0) STRICT`;

describeSqlDatabase('SQLite', async () => {
  const { dataDir } = testFolder();
  mkdirSync(join(dataDir, 'sql'));
  writeFileSync(join(dataDir, 'sql/0001-items.sql'), ITEMS);
  const open = async () => openSqlite(join(dataDir, 'test.db'), pathToFileURL(`${join(dataDir, 'sql')}/`));
  return { database: await open(), another: open };
});
