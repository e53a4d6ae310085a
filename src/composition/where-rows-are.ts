// A note in the data folder of an instance whose rows are in PostgreSQL. Whoever starts such a folder without DATABASE_URL, or with
// another one, would begin with empty books: without the kill switch, and without knowing which signals were traded.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceDurably } from '../adapters/storage/durable-file.ts';
import { readPostgresAddress } from '../adapters/storage/postgres/postgres-address.ts';
import { ALWAYS_THERE } from '../adapters/storage/sqlite/folder-databases.ts';
import { StorageError } from '../errors/storage-error.ts';

const NOTE = 'postgresql.json';

export interface WhereRowsAre {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

/** Call before anything is opened. */
export function assertRowsWhereTheyWere({ dataDir, databaseUrl }: WhereRowsAre): void {
  const noted = notedIn(dataDir);
  const note = join(dataDir, NOTE);
  if (databaseUrl === undefined) {
    if (noted === undefined) return;
    throw new StorageError(
      `The rows of ${dataDir} are in PostgreSQL at ${noted}; set DATABASE_URL to its address. To begin with empty books ` +
        `instead, name another DATA_DIR, or remove ${note}`,
    );
  }
  const { where } = readPostgresAddress(databaseUrl);
  const [file] = ALWAYS_THERE.filter((name) => existsSync(join(dataDir, name)));
  if (noted === undefined && file !== undefined)
    throw new StorageError(
      `${join(dataDir, file)} is there, so this instance keeps its rows in files, and DATABASE_URL would begin with empty books. ` +
        'Move them with "signalbox migrate", or unset DATABASE_URL; for a new instance name another DATA_DIR',
    );
  if (noted !== undefined && noted !== where)
    throw new StorageError(
      `The rows of ${dataDir} are in PostgreSQL at ${noted}, and DATABASE_URL names ${where}. Correct it; if the database itself ` +
        `has moved there, remove ${note}`,
    );
}

/** Call when the database is open. */
export async function noteWhereRowsAre(dataDir: string, databaseUrl: string): Promise<void> {
  const { where } = readPostgresAddress(databaseUrl);
  if (notedIn(dataDir) !== where) await replaceDurably(join(dataDir, NOTE), `${JSON.stringify({ where })}\n`);
}

function notedIn(dataDir: string): string | undefined {
  const path = join(dataDir, NOTE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StorageError(`${path} cannot be read; check the owner and permissions of the file`, { cause: error });
  }
  try {
    const { where } = JSON.parse(text) as { readonly where?: unknown };
    if (typeof where === 'string') return where;
  } catch {
    // Told below.
  }
  throw new StorageError(
    `${path} is damaged; it says in which PostgreSQL the rows of this folder are. Set DATABASE_URL to it and remove the file`,
  );
}
