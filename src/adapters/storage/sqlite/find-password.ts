// Whether a data folder has a password of its owner, for whoever must know before anything is opened.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, queries } from './database.ts';
import { OWNER } from './database-files.ts';

/** A file that cannot be read is told by whoever opens it. */
export function isPasswordStored(dataDir: string): boolean {
  const path = join(dataDir, OWNER.name);
  if (!existsSync(path)) return false;
  try {
    const db = openDatabase({ path, readOnly: true });
    try {
      return queries(db, path)('SELECT 1 FROM owner_password').length > 0;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}
