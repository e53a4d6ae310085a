// The common form of statements on SQLite: answers are there at once, and are waited for all the same.

import type { DatabaseSync } from 'node:sqlite';
import { SerialQueues } from '../../../timing/serial-queue.ts';
import type { Sql, SqlDatabase, SqlReads } from '../sql/sql.ts';
import { inWords, openDatabase, openMigrated, type Row, statements } from './database.ts';
import { waitingSteps } from './transaction.ts';

/** Failures are SQLite's own: the transaction around it needs their codes. */
export function sqlOf(db: DatabaseSync): Sql {
  const prepared = statements(db);
  return {
    all: async (text, ...values) => prepared(text).all(...values) as Row[],
    get: async (text, ...values) => prepared(text).get(...values) as Row | undefined,
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

/**
 * By path, and for all connections of this process: a step that waited for another one here would hold the thread that is to
 * end it, until SQLite gives up.
 */
const turns = new SerialQueues();

/** Steps go one after the other; reads have a connection of their own, so that they never see half of one. */
export function openSqlite(path: string, migrations: URL): SqliteDatabase {
  const db = openMigrated(path, migrations);
  const reader = openDatabase({ path, readOnly: true });
  const sql = sqlOf(db);
  const inOneStep = waitingSteps(db, path);
  return {
    name: path,
    reader,
    reads: readsOf(reader, path),
    inOneStep: (work) => turns.run(path, () => inOneStep(() => work(sql))),
    close: () =>
      turns.run(path, () => {
        for (const connection of [reader, db]) if (connection.isOpen) connection.close();
      }),
  };
}
