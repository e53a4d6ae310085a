// Which databases a data folder has, written down in it: one that is gone or empty at the next start must not be made anew
// without a word, for with it the kill switch, the idempotency keys or the wallet's transactions would be forgotten. The same
// holds for the write-ahead log of a database whose process died: what was acknowledged last is in no other file.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../../trading/storage-error.ts';
import { type DiskSync, diskSync, replaceDurably } from '../durable-file.ts';
import { openDatabase } from './database.ts';
import { readInstanceNote, writeInstanceNote } from './instance-lock.ts';

const LIST = 'databases.json';
/** A cache of bars: it is fetched again. */
const NOT_MISSED = new Set(['market.db']);

/** Rows in one of these tables tell that a folder was in use. */
const MARKS_OF_USE: Readonly<Record<string, readonly string[]>> = {
  'signalbox.db': ['trade_signals'],
  'settings.db': ['webhook_keys', 'audit'],
};
/** What `signalbox start` makes for the gateway, in every folder. */
export const ALWAYS_THERE: readonly string[] = Object.keys(MARKS_OF_USE);

/** Undefined before the first start of this version has come to its end. */
function listed(dataDir: string): readonly string[] | undefined {
  const path = join(dataDir, LIST);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StorageError(`${path} cannot be read; check the owner and permissions of the file`, { cause: error });
  }
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  } catch {
    // Told below.
  }
  throw new StorageError(
    `${path} is damaged; it lists the databases of this folder. If they are all there, remove it: it is made anew`,
  );
}

/** A folder of version 0.1.0, or one whose list was removed; a first start that broke off half-way needs none. */
const neededWithoutList = (dataDir: string): readonly string[] =>
  wasInUse(dataDir) ? [...new Set([...ALWAYS_THERE, ...databasesIn(dataDir)])] : [];

const databasesIn = (dataDir: string): readonly string[] =>
  existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.endsWith('.db') && !NOT_MISSED.has(name)) : [];

const wasInUse = (dataDir: string): boolean =>
  Object.entries(MARKS_OF_USE).some(([name, tables]) => isThere(dataDir, name) && hasRows(join(dataDir, name), tables));

function hasRows(path: string, tables: readonly string[]): boolean {
  const db = openDatabase({ path, readOnly: true });
  try {
    const isMade = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
    return tables.some((table) => isMade.get(table) && db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get());
  } finally {
    db.close();
  }
}

const isThere = (dataDir: string, name: string): boolean =>
  (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0;

const hasLog = (dataDir: string, name: string): boolean => existsSync(join(dataDir, `${name}-wal`));

/** Those that were here before and are gone or empty now. */
export const missingDatabases = (dataDir: string): readonly string[] =>
  (listed(dataDir) ?? neededWithoutList(dataDir)).filter((name) => !isThere(dataDir, name));

/** Of each the write-ahead log is in the folder: it is open, or was when its process died. */
export const openDatabases = (dataDir: string): readonly string[] =>
  databasesIn(dataDir).filter((name) => hasLog(dataDir, name));

/** Call before any of them is opened: opening makes what is not there. */
export function assertDatabasesThere(dataDir: string): void {
  const missing = missingDatabases(dataDir);
  if (missing.length > 0) {
    const list = join(dataDir, LIST);
    const wayOn = existsSync(list)
      ? `take its name out of ${list}`
      : `write into ${list} what is to be there: ${JSON.stringify(databasesIn(dataDir).filter((name) => isThere(dataDir, name)))}`;
    throw new StorageError(
      `${missing.map((name) => join(dataDir, name)).join(', ')}: missing or empty, but this folder had it before. ` +
        `Restore it from a backup; or, to go on without everything it held, ${wayOn}`,
    );
  }
  const withoutLog = (readInstanceNote(dataDir)?.open ?? []).filter((name) => !hasLog(dataDir, name));
  if (withoutLog.length === 0) return;
  throw new StorageError(
    `${withoutLog.map((name) => join(dataDir, `${name}-wal`)).join(', ')}: missing, although Signalbox was not stopped ` +
      'properly; the last signals and settings may be in this file alone. Put it back (a backup of a running instance ' +
      'needs the -wal files too); or, if a database tool has opened and closed the database since, which brings them in, ' +
      `or to go on without them, remove ${join(dataDir, 'instance.json')}`,
  );
}

/** Call when all are open: from now on none of them may be missing. */
export async function listDatabases(dataDir: string, sync: DiskSync = diskSync): Promise<void> {
  const before = listed(dataDir) ?? [];
  const present = databasesIn(dataDir).filter((name) => isThere(dataDir, name));
  const names = [...new Set([...before, ...present])].sort();
  if (names.join() === before.join()) return;
  await replaceDurably(join(dataDir, LIST), `${JSON.stringify(names)}\n`, sync);
}

/**
 * For one who opens databases and leaves the note of a crash where it is. Call it before they are opened, and what it returns
 * when they are closed: a log that its database has taken in then is not missed at the next start.
 */
export function excuseClosedLogs(dataDir: string, sync: DiskSync = diskSync): () => Promise<void> {
  const before = new Set(openDatabases(dataDir));
  return async () => {
    const note = readInstanceNote(dataDir);
    const open = note?.open?.filter((name) => !before.has(name) || hasLog(dataDir, name));
    if (note !== undefined && open !== undefined && open.length < (note.open ?? []).length)
      await writeInstanceNote(dataDir, { ...note, open }, sync);
  };
}
