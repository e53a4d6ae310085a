// The mark of a data folder whose databases are in a PostgreSQL, moved there or made there: what is in its files, if there are any, is
// of the past, and trading on by it would be a second life of the same books.

import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../../errors/storage-error.ts';
import { replaceDurably } from '../durable-file.ts';

const MARK = 'moved-to-postgresql.json';

interface Moved {
  /** Host, port and database, never the password. */
  readonly where: string;
  readonly at: string;
}

export const markOf = (dataDir: string): string => join(dataDir, MARK);

export const markMoved = (dataDir: string, where: string, atMs: number): Promise<void> =>
  replaceDurably(markOf(dataDir), `${JSON.stringify({ where, at: new Date(atMs).toISOString() })}\n`);

export const removeMark = (dataDir: string): Promise<void> => rm(markOf(dataDir), { force: true });

/** Where its databases are now; undefined where they are in the folder. */
export function movedTo(dataDir: string): string | undefined {
  if (!existsSync(markOf(dataDir))) return undefined;
  return readMark(dataDir)?.where ?? 'another place';
}

/** A mark that cannot be read is one too. */
function readMark(dataDir: string): Moved | undefined {
  try {
    return JSON.parse(readFileSync(markOf(dataDir), 'utf8')) as Moved;
  } catch {
    return undefined;
  }
}

export function assertNotMoved(dataDir: string): void {
  const where = movedTo(dataDir);
  if (where === undefined) return;
  const since = readMark(dataDir)?.at;
  throw new StorageError(
    `the rows of ${dataDir} are in PostgreSQL at ${where}${since === undefined ? '' : ` (since ${since})`}: set DATABASE_URL to ` +
      'its address. To go back with everything that happened since, make a backup with DATABASE_URL set and restore it without; to go ' +
      `on with what the files held on that day, and without all that came after it, remove ${markOf(dataDir)}`,
  );
}
