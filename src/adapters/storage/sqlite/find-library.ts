// Whether a user has anything in a data folder: scripts, a draft, counted calls or deployments.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, queries } from './database.ts';
import { STRANGERS } from './database-files.ts';

const TABLES = ['libraries', 'drafts', 'usage', 'deployments'];

/** Beside a running instance as well as without one; a database that is not there is not made. */
export function isLibraryIn(dataDir: string, userId: string): boolean {
  const path = join(dataDir, STRANGERS.name);
  if (!existsSync(path)) return false;
  const db = openDatabase({ path, readOnly: true });
  try {
    const all = queries(db, path);
    return TABLES.some((table) => all(`SELECT 1 FROM ${table} WHERE user_id = ? LIMIT 1`, userId).length > 0);
  } finally {
    db.close();
  }
}
