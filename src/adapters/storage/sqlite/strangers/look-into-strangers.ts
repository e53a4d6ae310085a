// A look into the strangers' database of a folder, beside a running instance as well as without one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlReads } from '../../sql/sql.ts';
import { openDatabase } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { readsOf } from '../sql.ts';

/** Undefined where there is none: it is not made for a look. */
export async function lookIntoStrangers<T>(
  dataDir: string,
  look: (reads: SqlReads) => Promise<T>,
): Promise<T | undefined> {
  const path = join(dataDir, STRANGERS.name);
  if (!existsSync(path)) return undefined;
  const db = openDatabase({ path, readOnly: true });
  try {
    return await look(readsOf(db, path));
  } finally {
    db.close();
  }
}
