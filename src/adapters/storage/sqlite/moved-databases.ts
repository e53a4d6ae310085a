// Brings the rows of databases that older versions had into the one that has their tables now, at the first start of this
// version.
//
// Each is moved in three steps:
//
//   1  the old file is brought to its last shape and out of its write-ahead log, so that it is whole by itself
//   2  in one transaction of the new one: its rows are copied, counted, and its name is written down
//   3  the old file gets another name (`agent.db.moved`), and is kept
//
// Whoever is killed in between does the same again: the first step changes nothing twice, the second is whole or did not
// happen, and a file whose name is written down is only renamed.

import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { fileFaultInWords } from '../durable-file.ts';
import { inWords, openMigrated } from './database.ts';
import { type DatabaseFile, MOVED, type MovedDatabase, RETIRED_CACHE, STRANGERS } from './database-files.ts';
import { steps } from './transaction.ts';

/** Told between the steps; a test ends the process there. */
export type OnMoveStep = (step: string) => void;

export const asideName = (name: string): string => `${name}.moved`;

const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Those of the folder that are still by themselves. */
export const unmovedDatabases = (dataDir: string, into?: DatabaseFile): readonly MovedDatabase[] =>
  MOVED.filter((moved) => (into === undefined || moved.into === into) && isFilled(join(dataDir, moved.name)));

/** Throws where a file is here again that was moved before: nobody can say which of the two is meant. */
export function assertMovable(dataDir: string, target?: DatabaseFile): void {
  for (const { name, into } of unmovedDatabases(dataDir, target)) {
    const [path, aside] = [join(dataDir, name), join(dataDir, asideName(name))];
    if (!existsSync(aside)) continue;
    throw new StorageError(
      `${path}: here again, although its rows were moved into ${into.name} and ${aside} is kept. Remove the one of the ` +
        `two that you do not need; to go back to a backup, restore the whole folder`,
    );
  }
}

/** Call with the folder locked and before `into` is opened. */
export function moveDatabases(dataDir: string, into: DatabaseFile, onStep: OnMoveStep = () => {}): void {
  assertMovable(dataDir, into);
  for (const moved of unmovedDatabases(dataDir, into)) moveOne(dataDir, moved, onStep);
  if (into !== STRANGERS) return;
  for (const rest of ['', '-wal', '-shm']) rmSync(join(dataDir, `${RETIRED_CACHE}${rest}`), { force: true });
}

function moveOne(dataDir: string, moved: MovedDatabase, onStep: OnMoveStep): void {
  const path = join(dataDir, moved.name);
  onStep(`${moved.name}: nothing is done`);
  makeWhole(path, moved);
  onStep(`${moved.name}: whole by itself`);
  const target = join(dataDir, moved.into.name);
  const db = openMigrated(target, moved.into.migrations);
  try {
    onStep(`${moved.name}: the tables are there`);
    if (!isWrittenDown(db, moved.name)) copyRows(db, { target, path, moved, onStep });
    onStep(`${moved.name}: copied`);
  } finally {
    db.close();
  }
  try {
    renameSync(path, join(dataDir, asideName(moved.name)));
  } catch (error) {
    throw fileFaultInWords(error, path);
  }
  onStep(`${moved.name}: set aside`);
}

/** In its last shape, and without a log beside it: a program that still has it open stops this in words. */
function makeWhole(path: string, { migrations }: MovedDatabase): void {
  const db = openMigrated(path, migrations);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    throw inWords(error, path);
  } finally {
    db.close();
  }
}

const isWrittenDown = (db: DatabaseSync, name: string): boolean =>
  db.prepare('SELECT 1 FROM moved_databases WHERE name = ?').get(name) !== undefined;

interface Copy {
  readonly target: string;
  readonly path: string;
  readonly moved: MovedDatabase;
  readonly onStep: OnMoveStep;
}

function copyRows(db: DatabaseSync, { target, path, moved, onStep }: Copy): void {
  const inOneStep = steps(db, target);
  db.prepare('ATTACH ? AS old').run(path);
  try {
    inOneStep(() => {
      for (const [before, after] of Object.entries(moved.tables)) copyTable(db, before, after, moved);
      onStep(`${moved.name}: copied, not committed`);
      db.prepare('INSERT INTO moved_databases (name, moved_at) VALUES (?, ?)').run(moved.name, Date.now());
    });
  } finally {
    db.exec('DETACH old');
  }
}

/** Every column by its name, so that their order does not matter; a column that is not there any more stops it. */
function copyTable(db: DatabaseSync, before: string, after: string, { name, into, renamed = {} }: MovedDatabase): void {
  const count = (table: string): number => Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);
  const columns = db
    .prepare('SELECT name FROM pragma_table_info(?, ?)')
    .all(before, 'old')
    .map((column) => String(column.name));
  const present = columns.map((column) => renamed[`${before}.${column}`] ?? column);
  if (count(`main.${after}`) > 0)
    throw new StorageError(
      `${into.name} has rows of its own where those of ${name} belong, so the two cannot be put together; move ${name} ` +
        `away to go on without it, or restore the whole folder from a backup`,
    );
  db.exec(`INSERT INTO main.${after} (${present.join()}) SELECT ${columns.join()} FROM old.${before}`);
  const [there, here] = [count(`old.${before}`), count(`main.${after}`)];
  if (there !== here) throw new StorageError(`${name}: of ${there} rows in ${before} only ${here} could be copied`);
  keepNumbering(db, before, after);
}

/** A number that was given once is not given again, also when its row is gone. */
function keepNumbering(db: DatabaseSync, before: string, after: string): void {
  const counts = db.prepare("SELECT 1 FROM old.sqlite_schema WHERE name = 'sqlite_sequence'").get();
  const last = counts && db.prepare('SELECT seq FROM old.sqlite_sequence WHERE name = ?').get(before)?.seq;
  if (typeof last !== 'number') return;
  db.prepare('DELETE FROM main.sqlite_sequence WHERE name = ?').run(after);
  db.prepare('INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)').run(after, last);
}
