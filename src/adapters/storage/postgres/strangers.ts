// The strangers' database as a schema of PostgreSQL: what the library, the script keys and the deployments share.

import type { SqlDatabase, SqlReads } from '../sql/sql.ts';
import { lookInto } from './look-into.ts';
import { openPostgres } from './open-postgres.ts';
import { SCHEMAS } from './schemas.ts';

export const STRANGERS_SCHEMA = SCHEMAS.strangers.schema;

export const openStrangers = (url: string): Promise<SqlDatabase> => openPostgres({ url, ...SCHEMAS.strangers });

export const lookIntoStrangers = <T>(url: string, look: (reads: SqlReads) => Promise<T>): Promise<T | undefined> =>
  lookInto(url, STRANGERS_SCHEMA, look);
