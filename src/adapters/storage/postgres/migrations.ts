// Applies the numbered SQL files to a schema of PostgreSQL, each in its own transaction. Any number of processes may start
// at once: one of them applies, and the others wait for it.

import { readFileSync } from 'node:fs';
import { type AppliedMigration, type Migration, readMigrations, unapplied } from '../migration-files.ts';
import type { Connection } from './connection.ts';

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
  if ((await left()).length === 0) return;
  await connection.ask('SELECT pg_advisory_lock(hashtext(CAST(? AS TEXT)))', [`signalbox ${schema}`]);
  try {
    // Another process may have been quicker.
    for (const migration of await left()) await apply(connection, schema, migration);
  } finally {
    await connection.command('SELECT pg_advisory_unlock_all()').catch(() => connection.cut());
  }
}

/** Whoever may not make a schema may still use one that is there, so nothing is made before it is missing. */
async function applied(connection: Connection, schema: string): Promise<readonly AppliedMigration[]> {
  const found = await connection.ask('SELECT to_regclass(CAST(? AS TEXT)) IS NOT NULL AS "isThere"', [
    `${schema}.migrations`,
  ]);
  if (found.rows[0]?.isThere !== 1) return [];
  const { rows } = await connection.ask('SELECT number, name, digest FROM migrations ORDER BY number');
  return rows as unknown as AppliedMigration[];
}

async function apply(connection: Connection, schema: string, { number, name, digest, sql }: Migration): Promise<void> {
  await connection.command('BEGIN');
  try {
    if (number === 1) await begin(connection, schema);
    await connection.command(sql);
    await connection.ask('INSERT INTO migrations (number, name, digest, applied_at) VALUES (?, ?, ?, ?)', [
      ...[number, name, digest, Date.now()],
    ]);
    await connection.command('COMMIT');
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => connection.cut());
    throw error;
  }
}

async function begin(connection: Connection, schema: string): Promise<void> {
  const { rows } = await connection.ask('SELECT to_regnamespace(CAST(? AS TEXT)) IS NOT NULL AS "isThere"', [schema]);
  if (rows[0]?.isThere !== 1) await connection.command(`CREATE SCHEMA ${schema}`);
  await connection.command(`CREATE TABLE migrations (
    number bigint PRIMARY KEY, name text NOT NULL, digest text NOT NULL, applied_at bigint NOT NULL)`);
  await connection.command(readFileSync(PRELUDE, 'utf8'));
}
