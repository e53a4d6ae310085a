// The strangers' database on SQLite: the file that the library, the script keys and the deployments share.

import { join } from 'node:path';
import { keepDatabasePrivate } from '../../durable-file.ts';
import type { SqlDatabase } from '../../sql/sql.ts';
import type { openMigrated } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { openSqlite } from '../sql.ts';

export interface StrangersOptions {
  readonly dataDir: string;
  /** How the file is opened; tests look at the connection. */
  readonly open?: typeof openMigrated;
}

export function openStrangers({ dataDir, open }: StrangersOptions): SqlDatabase {
  const path = join(dataDir, STRANGERS.name);
  const db = openSqlite(path, STRANGERS.migrations, open);
  // Script keys are in it as they are, and the sealed secrets of webhooks.
  keepDatabasePrivate(path);
  return db;
}
