// The strangers' database as a schema of PostgreSQL: what the library, the script keys and the deployments share.

import type { SqlDatabase, SqlReads } from '../sql/sql.ts';
import { lookInto } from './look-into.ts';
import { openPostgres } from './open-postgres.ts';

export const STRANGERS_SCHEMA = 'strangers';
const MIGRATIONS = new URL('./migrations/strangers/', import.meta.url);

export const openStrangers = (url: string): Promise<SqlDatabase> =>
  openPostgres({ url, schema: STRANGERS_SCHEMA, migrations: MIGRATIONS });

export const lookIntoStrangers = <T>(url: string, look: (reads: SqlReads) => Promise<T>): Promise<T | undefined> =>
  lookInto(url, STRANGERS_SCHEMA, look);
