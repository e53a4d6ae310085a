// The strangers' database as a schema of PostgreSQL: what the library, the script keys and the deployments share.

import type { SqlDatabase, SqlReads } from '../sql/sql.ts';
import { openPostgres, postgresReads } from './open-postgres.ts';

export const STRANGERS_SCHEMA = 'strangers';
const MIGRATIONS = new URL('./migrations/strangers/', import.meta.url);

export const openStrangers = (url: string): Promise<SqlDatabase> =>
  openPostgres({ url, schema: STRANGERS_SCHEMA, migrations: MIGRATIONS });

/** A look beside a running instance as well as without one. Undefined where there is no such schema: it is not made for it. */
export async function lookIntoStrangers<T>(url: string, look: (reads: SqlReads) => Promise<T>): Promise<T | undefined> {
  const { reads, close } = postgresReads(url, STRANGERS_SCHEMA);
  try {
    const found = await reads.get('SELECT 1 FROM pg_namespace WHERE nspname = ?', STRANGERS_SCHEMA);
    return found && (await look(reads));
  } finally {
    await close();
  }
}
