// A look into a database of a folder, beside a running instance as well as without one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlReads } from '../sql/sql.ts';
import { openDatabase } from './database.ts';
import type { DatabaseFile } from './database-files.ts';
import { readsOf } from './sql.ts';

/** Undefined where there is none: it is not made for a look. */
export async function lookInto<T>(
  dataDir: string,
  { name }: DatabaseFile,
  look: (reads: SqlReads) => Promise<T>,
): Promise<T | undefined> {
  const path = join(dataDir, name);
  if (!existsSync(path)) return undefined;
  const db = openDatabase({ path, readOnly: true });
  try {
    return await look(readsOf(db, path));
  } finally {
    db.close();
  }
}
