// Which databases a data folder has, written down in it: one that is gone or empty at the next start must not be made anew
// without a word, for with it the kill switch, the idempotency keys or the wallet's transactions would be forgotten. The same
// holds for the write-ahead log of a database whose process died: what was acknowledged last is in no other file.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../../errors/storage-error.ts';
import { type DiskSync, diskSync, replaceDurably } from '../durable-file.ts';
import { openDatabase } from './database.ts';
import { MOVED, OWNER, STRANGERS, TRADING } from './database-files.ts';
import { isInstanceAlive, isNoteLeft, readInstanceNote, writeInstanceNote } from './instance-lock.ts';
import { asideName } from './moved-databases.ts';
import { assertNotMoved } from './moved-folder.ts';

const LIST = 'databases.json';
/** Rows in one of these tables tell that a folder was in use. */
const MARKS_OF_USE: Readonly<Record<string, readonly string[]>> = {
  [TRADING.name]: ['trade_signals'],
  [OWNER.name]: ['webhook_keys', 'audit'],
};
/** What `signalbox start` makes for the gateway, in every folder. */
export const ALWAYS_THERE: readonly string[] = Object.keys(MARKS_OF_USE);
/**
 * What it makes where it is needed. Other files that end in .db are the owner's own, who may put a copy here and take it away.
 */
export const SOMETIMES_THERE: readonly string[] = [STRANGERS.name, 'api_keys.db'];
/** What the script process alone needs: without it trades go on. */
const OF_SCRIPTS: readonly string[] = [
  ...SOMETIMES_THERE,
  ...MOVED.filter(({ into }) => into === STRANGERS).map(({ name }) => name),
];
/** What older versions made, until the first start of this one has moved it. */
const MOVED_NAMES: readonly string[] = MOVED.map(({ name }) => name);

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
  wasInUse(dataDir) ? [...new Set([...ALWAYS_THERE, ...databasesIn(dataDir), ...unmovedIn(dataDir)])] : [];

const databasesIn = (dataDir: string): readonly string[] =>
  [...ALWAYS_THERE, ...SOMETIMES_THERE].filter((name) => existsSync(join(dataDir, name)));

const unmovedIn = (dataDir: string): readonly string[] => MOVED_NAMES.filter((name) => existsSync(join(dataDir, name)));

/** It is under another name, and its rows are in another database. */
const isMoved = (dataDir: string, name: string): boolean =>
  MOVED_NAMES.includes(name) && !isThere(dataDir, name) && existsSync(join(dataDir, asideName(name)));

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

/** An empty one holds nothing: SQLite makes it for whoever looks into the database. */
const hasLog = (dataDir: string, name: string): boolean => isThere(dataDir, `${name}-wal`);

/** Those that were here before and are gone or empty now. */
export const missingDatabases = (dataDir: string): readonly string[] =>
  (listed(dataDir) ?? neededWithoutList(dataDir)).filter((name) => !isThere(dataDir, name) && !isMoved(dataDir, name));

/** Those whose write-ahead log is in the folder and not empty: they are open, or were when their process died. */
export const openDatabases = (dataDir: string): readonly string[] =>
  databasesIn(dataDir).filter((name) => hasLog(dataDir, name));

/**
 * Call when all are closed. Where a log is left, because the disk was full or somebody else looked into the database just
 * then, it is brought in once more; those of which that fails too are returned.
 */
export function bringLogsIn(dataDir: string): readonly string[] {
  for (const name of openDatabases(dataDir)) {
    try {
      const db = openDatabase({ path: join(dataDir, name) });
      try {
        db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        db.close();
      }
    } catch {
      // Looked at below.
    }
  }
  return openDatabases(dataDir);
}

/** The write-ahead logs that must be here after a crash and are not. */
function missingLogs(dataDir: string): readonly string[] {
  if (!isNoteLeft(dataDir)) return [];
  const note = readInstanceNote(dataDir);
  if (note === undefined) {
    throw new StorageError(
      `${join(dataDir, 'instance.json')} is damaged; Signalbox was not stopped properly, and it tells which -wal files ` +
        'must be here. If they are, or to go on without what they held, remove it',
    );
  }
  const logs = (names: readonly string[]) =>
    names.filter((name) => isThere(dataDir, name)).map((name) => `${name}-wal`);
  if (note.open !== undefined) return logs(note.open).filter((name) => !isThere(dataDir, name));
  // Version 0.1.0 kept no list of databases, and had both open always; nobody may have written to one of them.
  const isOf010 = listed(dataDir) === undefined;
  return isOf010 ? logs(ALWAYS_THERE).filter((name) => !existsSync(join(dataDir, name))) : [];
}

/** Which of the two processes asks; a command asks for both. */
export type DatabaseUser = 'trading' | 'scripts';

/** Call before any of them is opened: opening makes what is not there. */
export function assertDatabasesThere(dataDir: string, user?: DatabaseUser): void {
  assertNotMoved(dataDir);
  // First: the look for databases that are missing opens some, and that makes their logs. The trading process looks for all
  // of them, because its own note, which it writes next, no longer tells which were open before.
  if (user !== 'scripts') assertLogsThere(dataDir);
  const isAsked = (name: string): boolean => user === undefined || OF_SCRIPTS.includes(name) === (user === 'scripts');
  const missing = missingDatabases(dataDir).filter(isAsked);
  if (missing.length === 0) return;
  const list = join(dataDir, LIST);
  const filled = [...databasesIn(dataDir), ...unmovedIn(dataDir)].filter((name) => isThere(dataDir, name));
  const wayOn = existsSync(list)
    ? `take its name out of ${list}`
    : `write into ${list} what is to be there: ${JSON.stringify(filled)}`;
  throw new StorageError(
    `${missing.map((name) => join(dataDir, name)).join(', ')}: missing or empty, but this folder had it before. ` +
      `Restore it from a backup; or, to go on without everything it held, ${wayOn}`,
  );
}

function assertLogsThere(dataDir: string): void {
  const missing = missingLogs(dataDir);
  if (missing.length === 0) return;
  const files = missing.map((name) => join(dataDir, name)).join(', ');
  const note = readInstanceNote(dataDir);
  if (note !== undefined && isInstanceAlive(note)) {
    throw new StorageError(
      `${files}: removed while Signalbox runs; stop it, and the stop brings in what the file held`,
    );
  }
  throw new StorageError(
    `${files}: missing, although Signalbox was not stopped properly; the last signals and settings may be in this file ` +
      'alone. Put it back (a backup of a running instance needs the -wal files too); or, if a database tool has opened and ' +
      'closed the database since, which brings them in, or to go on without them, remove ' +
      join(dataDir, 'instance.json'),
  );
}

/** Call when all are open: from now on none of them may be missing. */
export async function listDatabases(dataDir: string, sync: DiskSync = diskSync): Promise<void> {
  const before = listed(dataDir) ?? [];
  const present = databasesIn(dataDir).filter((name) => isThere(dataDir, name));
  const names = [...new Set([...before, ...present])].filter((name) => !isMoved(dataDir, name)).sort();
  if (names.join() === before.join()) return;
  await replaceDurably(join(dataDir, LIST), `${JSON.stringify(names)}\n`, sync);
}

/**
 * For one who found everything there and opens these databases now, or all of them: each may take its log in at any moment
 * from here on, and whoever is killed then must not leave a note that misses it.
 */
export async function excuseLogs(
  dataDir: string,
  opened?: readonly string[],
  sync: DiskSync = diskSync,
): Promise<void> {
  const note = readInstanceNote(dataDir);
  if (note === undefined || isInstanceAlive(note)) return;
  // Version 0.1.0 wrote none down; from here on nothing is missed, for all that was to be there was.
  if (note.open === undefined && opened === undefined) await writeInstanceNote(dataDir, { ...note, open: [] }, sync);
  if (note.open === undefined) return;
  const open = note.open.filter((name) => opened !== undefined && !opened.includes(name));
  if (open.length < note.open.length) await writeInstanceNote(dataDir, { ...note, open }, sync);
}
