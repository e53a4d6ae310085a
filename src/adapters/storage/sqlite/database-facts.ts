// What proves that the copy of a database is whole: SQLite's own check, its migrations, and how many rows each table has.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { readMigrations } from '../migration-files.ts';
import { inWords, openDatabase } from './database.ts';
import { OWNER, STRANGERS, TRADING } from './database-files.ts';

export interface DatabaseFacts {
  /** The name of the newest migration; empty where none is kept. */
  readonly migration: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** Bars of venues are fetched again as they are asked for. */
const CACHED = ['bar_packs', 'bar_series'];

/** Makes one file of a copy, without a log beside it. Bars that are not wanted are taken out. */
export function settleCopy(path: string, { withBars }: { readonly withBars: boolean }): DatabaseFacts {
  const db = openDatabase({ path });
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    const cached = withBars ? [] : CACHED.filter((table) => tablesOf(db).includes(table));
    for (const table of cached) db.exec(`DELETE FROM ${table}`);
    if (cached.length > 0) db.exec('VACUUM');
    return factsOf(db, path);
  } catch (error) {
    throw inWords(error, path);
  } finally {
    db.close();
  }
}

/** Of a settled copy; changes nothing. */
export function readFacts(path: string): DatabaseFacts {
  const db = openDatabase({ path, readOnly: true });
  try {
    return factsOf(db, path);
  } catch (error) {
    throw inWords(error, path);
  } finally {
    db.close();
  }
}

const tablesOf = (db: DatabaseSync): readonly string[] =>
  db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
    .map(({ name }) => String(name));

function factsOf(db: DatabaseSync, path: string): DatabaseFacts {
  const [first] = db.prepare('PRAGMA integrity_check(1)').all();
  if (first?.integrity_check !== 'ok')
    throw new StorageError(`${path} is damaged (${first?.integrity_check}); take an earlier backup`);
  const tables = tablesOf(db);
  const rows = tables.map((table) => [table, Number(db.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.n)]);
  const newest = tables.includes('migrations')
    ? db.prepare('SELECT name FROM migrations ORDER BY number DESC LIMIT 1').get()
    : undefined;
  return { migration: String(newest?.name ?? ''), rows: Object.fromEntries(rows) };
}

/** Whether this release knows everything that the database of this name has been through. */
export function isMigrationKnown(name: string, migration: string): boolean {
  const file = [TRADING, OWNER, STRANGERS].find((each) => each.name === name);
  return (
    file === undefined || migration === '' || readMigrations(file.migrations).some((each) => each.name === migration)
  );
}
