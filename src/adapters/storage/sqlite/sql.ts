// The common form of statements on SQLite: answers are there at once, and are waited for all the same.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import type { Row, Sql, SqlDatabase, SqlReads } from '../sql/sql.ts';
import { inWords, openDatabase, openMigrated, statements } from './database.ts';
import { waitingSteps } from './transaction.ts';
import { inTurn } from './turns.ts';

/** Failures are SQLite's own: the transaction around it needs their codes. */
export function sqlOf(db: DatabaseSync): Sql {
  const prepared = statements(db);
  const inserts = new Map<string, StatementSync>();
  const insertOf = (text: string): StatementSync => {
    const known = inserts.get(text);
    if (known) return known;
    const statement = db.prepare(text.slice(0, text.lastIndexOf('RETURNING')));
    inserts.set(text, statement);
    return statement;
  };
  return {
    all: async (text, ...values) => prepared(text).all(...values) as Row[],
    get: async (text, ...values) => prepared(text).get(...values) as Row | undefined,
    async insert(text, ...values) {
      // SQLite knows the number without collecting rows for it, which would cost as much again as the insert.
      const { changes, lastInsertRowid } = insertOf(text).run(...values);
      return changes === 0 ? undefined : Number(lastInsertRowid);
    },
    run: async (text, ...values) => Number(prepared(text).run(...values).changes),
  };
}

/** Reads of one database, whose failures come in words. */
export function readsOf(db: DatabaseSync, path: string): SqlReads {
  const { all, get } = sqlOf(db);
  const told = (error: unknown): never => {
    throw inWords(error, path);
  };
  return {
    all: (text, ...values) => all(text, ...values).catch(told),
    get: (text, ...values) => get(text, ...values).catch(told),
  };
}

export interface SqliteDatabase extends SqlDatabase {
  /** Sees what is committed, and may be asked without waiting. */
  readonly reader: DatabaseSync;
}

/** Where it cannot be opened, the writer does not stay open without it. */
function openedBeside(db: DatabaseSync, path: string): DatabaseSync {
  try {
    return openDatabase({ path, readOnly: true });
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Steps go one after the other; reads have a connection of their own, so that they never see half of one. */
export function openSqlite(path: string, migrations: URL, open = openMigrated): SqliteDatabase {
  const db = open(path, migrations);
  const reader = openedBeside(db, path);
  const sql = sqlOf(db);
  const inOneStep = waitingSteps(db, path);
  const turn = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(path, () => {
      // Asked first: the files that the end takes away would otherwise be missed.
      if (!db.isOpen) throw new StorageError('storage is closed');
      return work();
    });
  return {
    name: path,
    reader,
    reads: readsOf(reader, path),
    inOneStep: (work) => turn(() => inOneStep(() => work(sql))),
    overwriting: (work) =>
      turn(async () => {
        db.exec('PRAGMA secure_delete = ON');
        try {
          return await inOneStep(() => work(sql));
        } finally {
          db.exec('PRAGMA secure_delete = OFF');
          // Until then the file itself has the pages as they were.
          db.exec('PRAGMA wal_checkpoint(PASSIVE)');
        }
      }),
    close: () =>
      inTurn(path, () => {
        for (const each of [reader, db]) if (each.isOpen) each.close();
      }),
  };
}
