// Applies the numbered SQL files to a schema of PostgreSQL, each in its own transaction. Any number of processes may start
// at once: one of them applies, and the others wait for it.

import { readFileSync } from 'node:fs';
import { type AppliedMigration, type Migration, readMigrations, unapplied } from '../migration-files.ts';
import type { Connection } from './connection.ts';
import { codeOf } from './postgres-faults.ts';

/** A schema, a table, or a row of the catalogue in which another process has just entered one. */
const IS_THERE_ALREADY = ['42P06', '42P07', '23505'];
const PRELUDE = new URL('./migrations/prelude.sql', import.meta.url);

export interface MigrationOptions {
  readonly schema: string;
  readonly migrations: URL;
  /** What faults call the schema. */
  readonly name: string;
}

export async function migrate(connection: Connection, { schema, migrations, name }: MigrationOptions): Promise<void> {
  const known = readMigrations(migrations);
  const left = async () => unapplied(known, await applied(connection, schema), name);
  while ((await left()).length > 0) await applyNext(connection, schema, left);
}

/** Whoever may not make a schema may still use one that is there, so nothing is made before it is missing. */
async function applied(connection: Connection, schema: string): Promise<readonly AppliedMigration[]> {
  if (!(await isMade(connection, schema))) return [];
  const { rows } = await connection.ask('SELECT number, name, digest FROM migrations ORDER BY number');
  return rows as unknown as AppliedMigration[];
}

async function isMade(connection: Connection, schema: string): Promise<boolean> {
  const found = await connection.ask('SELECT to_regclass(CAST(? AS TEXT)) IS NOT NULL AS "isThere"', [
    `${schema}.migrations`,
  ]);
  return found.rows[0]?.isThere === 1;
}

/**
 * One process at a time: by a lock on the table, which no restricted role may take, where an advisory lock could be held by
 * every role of the database. Before there is a table the names of what is made keep the others out.
 */
async function applyNext(
  connection: Connection,
  schema: string,
  left: () => Promise<readonly Migration[]>,
): Promise<void> {
  const isFirst = !(await isMade(connection, schema));
  await connection.command('BEGIN');
  try {
    if (isFirst) await begin(connection, schema);
    else await connection.command(`LOCK TABLE ${schema}.migrations IN SHARE ROW EXCLUSIVE MODE`);
    // Another process may have been quicker.
    const [next] = await left();
    if (next !== undefined) await apply(connection, next);
    await connection.command('COMMIT');
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => connection.cut());
    if (isFirst && IS_THERE_ALREADY.includes(codeOf(error) ?? '') && (await isMade(connection, schema))) return;
    throw error;
  }
}

async function apply(connection: Connection, { number, name, digest, sql }: Migration): Promise<void> {
  await connection.command(sql);
  await connection.ask('INSERT INTO migrations (number, name, digest, applied_at) VALUES (?, ?, ?, ?)', [
    ...[number, name, digest, Date.now()],
  ]);
}

async function begin(connection: Connection, schema: string): Promise<void> {
  const { rows } = await connection.ask('SELECT to_regnamespace(CAST(? AS TEXT)) IS NOT NULL AS "isThere"', [schema]);
  if (rows[0]?.isThere !== 1) await connection.command(`CREATE SCHEMA ${schema}`);
  await connection.command(`CREATE TABLE migrations (
    number bigint PRIMARY KEY, name text NOT NULL, digest text NOT NULL, applied_at bigint NOT NULL)`);
  await connection.command(readFileSync(PRELUDE, 'utf8'));
}
