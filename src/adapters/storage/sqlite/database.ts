// Opens a SQLite file the way we need it: durable, checked, migrated, with errors a person can act on.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { errorText } from '../../../errors/error-text.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import { fullDiskFault } from '../durable-file.ts';
import { forgetDamage, rememberDamage } from '../found-damage.ts';
import type { Row } from '../sql/sql.ts';
import { migrate } from './migrations.ts';

/** Shorter than a charting platform's patience (3 s), so that a locked file still gets an answer. */
const BUSY_TIMEOUT_MS = 2000;

/** A dozen connections may each fill theirs, on machines with 1 GiB; the system's own cache stands behind them all. */
const CACHE_KIB = 16 * 1024;

/** After 4 MiB of its write-ahead log the connection that commits brings it into the database. */
const LARGEST_WAL_BYTES = 64 * 1024 * 1024;
const SHORT_WAL = `wal_autocheckpoint = 1024; PRAGMA journal_size_limit = ${LARGEST_WAL_BYTES}`;

export interface OpenOptions {
  readonly path: string;
  readonly readOnly?: boolean;
}

/** SQLite's code for a journal that only somebody who may write can roll back. */
const READONLY_ROLLBACK = 776;

export function openDatabase({ path, readOnly = false }: OpenOptions): DatabaseSync {
  try {
    if (!readOnly) mkdirSync(dirname(path), { recursive: true });
    return opened(path, readOnly);
  } catch (error) {
    throw inWords(error, path);
  }
}

function opened(path: string, readOnly: boolean): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
  try {
    if (!readOnly) db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA ${SHORT_WAL};`);
    db.exec(`PRAGMA foreign_keys = ON; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY;`);
    // The first read of the schema is where a file that is no database shows itself.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db.close();
    if (!readOnly || (error as { errcode?: number }).errcode !== READONLY_ROLLBACK) throw error;
    rollBack(path);
    return opened(path, readOnly);
  }
}

/** A new file has a journal until it has its log; a process that dies or loses its power in between leaves it to the next. */
function rollBack(path: string): void {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

/** Opens for writing and brings the schema up to date. */
export function openMigrated(path: string, migrationsFolder: URL): DatabaseSync {
  const db = openDatabase({ path });
  try {
    migrate(db, migrationsFolder, path);
    forgetDamage(path);
    return db;
  } catch (error) {
    db.close();
    throw inWords(error, path);
  }
}

/** Prepared statements by their text, so that SQL stands where it is used and is still compiled once. */
export type Sql = (text: string) => StatementSync;

export function statements(db: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
}

/** Reads of one database, whose failures come in words too. */
export function queries(
  db: DatabaseSync,
  path: string,
): (sql: string, ...params: (string | number | Uint8Array)[]) => Row[] {
  const sql = statements(db);
  return (text, ...params) => {
    try {
      return sql(text).all(...params) as Row[];
    } catch (error) {
      throw inWords(error, path);
    }
  };
}

/**
 * Call before a write: what goes to a file that was moved or deleted would be acknowledged and then lost. A commit is in the
 * write-ahead log alone for a while, and that file stays the same one as long as anybody has the database open.
 */
export function fileGuard(path: string): () => void {
  const log = `${path}-wal`;
  const opened = [path, log].map((file) => ({ file, identity: identityOf(file) }));
  let logBytes = bytesOf(log);
  const changed = (file: string): never => {
    throw new StorageError(`${file} was moved, replaced or deleted while Signalbox runs; put it back and restart`);
  };
  return () => {
    for (const { file, identity } of opened) if (identityOf(file) !== identity) changed(file);
    const bytes = bytesOf(log);
    // It only grows, but for what SQLite itself cuts off beyond its limit.
    if (bytes < logBytes && bytes < LARGEST_WAL_BYTES) changed(log);
    logBytes = bytes;
  };
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : 'missing';
}

const PRIMARY_CODES: Readonly<Record<number, (path: string) => string>> = {
  5: (path) => `${path} is locked by another program; close it (a database tool, a backup), then try again`,
  6: (path) => `${path} is locked by another program; close it (a database tool, a backup), then try again`,
  8: (path) => `${path} cannot be written; check the owner and permissions of the file and its folder`,
  10: (path) => `the disk failed while reading or writing ${path}; check the disk and free space`,
  11: (path) => `${path} is damaged; stop Signalbox, keep a copy of the file, and restore a backup`,
  13: (path) => `the disk that holds ${path} is full; free some space`,
  14: (path) => `${path} cannot be opened; check that its folder exists and can be written`,
  26: (path) => `${path} is not a SQLite database; it was left untouched. Move it away or restore a backup`,
};

const CANNOT_OPEN = 14;
/** A page that makes no sense, and a file that does not even begin like a database. */
const DAMAGED: readonly number[] = [11, 26];

/** Turns SQLite's result codes into a sentence with the remedy. */
export function inWords(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error;
  // Somebody still asks while the process stops.
  if ((error as { code?: string }).code === 'ERR_INVALID_STATE') return new StorageError('storage is closed');
  const code = (error as { errcode?: number }).errcode;
  const primary = code === undefined ? 0 : code & 0xff;
  const full = primary === CANNOT_OPEN ? fullDiskFault(path) : undefined;
  if (full) return full;
  const words = PRIMARY_CODES[primary];
  if (words) {
    const told = new StorageError(words(path), { cause: error });
    if (DAMAGED.includes(primary)) rememberDamage(path, told);
    return told;
  }
  if (!existsSync(dirname(path))) {
    return new StorageError(`the folder of ${path} does not exist or cannot be made; check DATA_DIR`, { cause: error });
  }
  const message = errorText(error);
  return new StorageError(`storage failed at ${path}: ${message}`, { cause: error });
}
