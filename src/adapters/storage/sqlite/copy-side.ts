// A SQLite file as a side of a copy between engines: what its catalogue says, and its rows read or written by pages.

import type { DatabaseSync } from 'node:sqlite';
import { TABLES_OF_SQLITE } from '../sql/copy/carried-tables.ts';
import { DifferentContentError } from '../sql/copy/copy-tables.ts';
import type { Column, ColumnKind, ReadSide, Table, TableProgress, WriteSide } from '../sql/copy/sides.ts';
import { inWords, openDatabase } from './database.ts';
import { openSqlite, readsOf } from './sql.ts';

export interface SqliteReadSide extends ReadSide {
  /** Throws where somebody has written into the file since it was opened. */
  assertUnchanged(): void;
  close(): void;
}

export interface SqliteWriteSide extends WriteSide {
  close(): Promise<void>;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  INTEGER: 'whole number',
  TEXT: 'text',
  REAL: 'number',
  BLOB: 'bytes',
};

const quoted = (name: string): string => `"${name}"`;

export function openSqliteReadSide(path: string): SqliteReadSide {
  const db = openDatabase({ path, readOnly: true });
  const version = dataVersion(db);
  return {
    ...readSide(db, path),
    assertUnchanged() {
      if (dataVersion(db) !== version)
        throw new DifferentContentError(`${path} was changed while it was copied; end what writes to it`);
    },
    close: () => db.close(),
  };
}

const dataVersion = (db: DatabaseSync): unknown => db.prepare('PRAGMA data_version').get()?.data_version;

/** A new file. How far it is nobody has to know: a copy that fails is thrown away. */
export function openSqliteWriteSide(path: string, migrations: URL): SqliteWriteSide {
  const database = openSqlite(path, migrations);
  const done = new Map<string, TableProgress>();
  return {
    ...readSide(database.reader, path),
    progressOf: async (table) => done.get(table),
    async write({ name, columns }, { rows, progress, isFirst }) {
      const names = columns.map((column) => quoted(column.name)).join(', ');
      const insert = `INSERT INTO ${quoted(name)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
      await database.inOneStep(async (sql) => {
        if (isFirst) await sql.run(`DELETE FROM ${quoted(name)}`);
        for (const row of rows) await sql.run(insert, ...row);
      });
      done.set(name, progress);
    },
    async setLastNumber({ name }, last) {
      // Other tables give one more than their largest number.
      if (!isCounted(database.reader, name)) return;
      await database.inOneStep(async (sql) => {
        await sql.run('DELETE FROM sqlite_sequence WHERE name = ?', name);
        await sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', name, last);
      });
    },
    close: () => database.close(),
  };
}

function readSide(db: DatabaseSync, path: string): ReadSide {
  const { all, get } = readsOf(db, path);
  return {
    name: path,
    all,
    reference: quoted,
    async tables() {
      try {
        return tablesOf(db);
      } catch (error) {
        throw inWords(error, path);
      }
    },
    async lastNumber({ name, numbered = '' }) {
      const counted = isCounted(db, name)
        ? await get('SELECT seq AS last FROM sqlite_sequence WHERE name = ?', name)
        : undefined;
      const last = counted ?? (await get(`SELECT max(${quoted(numbered)}) AS last FROM ${quoted(name)}`));
      // A table that never had a row may have a count of 0.
      return typeof last?.last === 'number' && last.last > 0 ? last.last : undefined;
    },
  };
}

/** Whether the numbers of rows that are gone are remembered. */
const isCounted = (db: DatabaseSync, table: string): boolean =>
  db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%AUTOINCREMENT%'")
    .get(table) !== undefined;

function tablesOf(db: DatabaseSync): readonly Table[] {
  const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return names
    .map(({ name }) => String(name))
    .filter((name) => !TABLES_OF_SQLITE.includes(name))
    .map((name) => tableOf(db, name));
}

function tableOf(db: DatabaseSync, name: string): Table {
  const found = db.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(name);
  const columns = found.map((column): Column => ({ name: String(column.name), kind: kindOf(String(column.type)) }));
  const key = found
    .filter(({ pk }) => Number(pk) > 0)
    .sort((a, b) => Number(a.pk) - Number(b.pk))
    .map((column) => String(column.name));
  const [first, second] = key;
  const isNumbered = second === undefined && found.some((each) => each.name === first && each.type === 'INTEGER');
  const parents = db.prepare('SELECT DISTINCT "table" AS parent FROM pragma_foreign_key_list(?)').all(name);
  return {
    name,
    columns,
    key: key.length > 0 ? key : columns.map((column) => column.name),
    refersTo: parents.map(({ parent }) => String(parent)),
    numbered: isNumbered ? first : undefined,
  };
}

function kindOf(type: string): ColumnKind {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`columns of the type ${type} cannot be copied`);
  return kind;
}
