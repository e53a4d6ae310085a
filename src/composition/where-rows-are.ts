// A data folder and its database belong together: whoever starts a folder without its DATABASE_URL, with another one, or one whose rows
// are in files with a DATABASE_URL, would begin with empty books: without the kill switch, and without knowing what was traded.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPostgresAddress } from '../adapters/storage/postgres/postgres-address.ts';
import { ALWAYS_THERE } from '../adapters/storage/sqlite/folder-databases.ts';
import { assertNotMoved, markMoved, markOf, movedTo } from '../adapters/storage/sqlite/moved-folder.ts';
import { StorageError } from '../errors/storage-error.ts';
import { nowMs } from './clocks.ts';

export interface WhereRowsAre {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

/** Call before anything is opened. */
export function assertRowsWhereTheyWere({ dataDir, databaseUrl }: WhereRowsAre): void {
  if (databaseUrl === undefined) {
    assertNotMoved(dataDir);
    return;
  }
  const noted = movedTo(dataDir);
  const { where } = readPostgresAddress(databaseUrl);
  const [file] = ALWAYS_THERE.filter((name) => existsSync(join(dataDir, name)));
  if (noted === undefined && file !== undefined)
    throw new StorageError(
      `${join(dataDir, file)} is there, so this instance keeps its rows in files, and DATABASE_URL would begin with empty books. ` +
        'Move them with "signalbox migrate", or unset DATABASE_URL; for a new instance name another DATA_DIR',
    );
  if (noted !== undefined && noted !== where)
    throw new StorageError(
      `the rows of ${dataDir} are in PostgreSQL at ${noted}, and DATABASE_URL names ${where}. Correct it; if the database itself ` +
        `has moved there, write its new place into ${markOf(dataDir)}`,
    );
}

/** Call when the database is open. */
export async function noteWhereRowsAre(dataDir: string, databaseUrl: string): Promise<void> {
  const { where } = readPostgresAddress(databaseUrl);
  if (movedTo(dataDir) !== where) await markMoved(dataDir, where, nowMs());
}
