// Whether a user has anything in a data folder: scripts, a draft, counted calls or deployments.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, queries } from './database.ts';

const TABLES: Readonly<Record<string, readonly string[]>> = {
  'scripts.db': ['libraries', 'drafts', 'usage'],
  'deployments.db': ['deployments'],
};

/** Beside a running instance as well as without one; a database that is not there is not made. */
export const isLibraryIn = (dataDir: string, userId: string): boolean =>
  Object.entries(TABLES).some(([name, tables]) => {
    const path = join(dataDir, name);
    return existsSync(path) && hasRowsOf(path, tables, userId);
  });

function hasRowsOf(path: string, tables: readonly string[], userId: string): boolean {
  const db = openDatabase({ path, readOnly: true });
  try {
    const all = queries(db, path);
    return tables.some((table) => all(`SELECT 1 FROM ${table} WHERE user_id = ? LIMIT 1`, userId).length > 0);
  } finally {
    db.close();
  }
}
