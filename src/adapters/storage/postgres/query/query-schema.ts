// Makes the schema that POST /query sees: a view for each table on its list, with exactly the columns on it, and functions.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StorageError } from '../../../../errors/storage-error.ts';
import { READABLE, WRITABLE } from '../../sql/query/policy.ts';
import type { Connection } from '../connection.ts';

export const QUERY_SCHEMA = 'query';

const FUNCTIONS = ['query', 'query-json', 'query-times'].map(
  (name) => new URL(`../migrations/${name}.sql`, import.meta.url),
);
/** The comment by which the schema is known, and which of its forms it is. */
const COMMENT = 'Made by Signalbox for POST /query, form ';

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const viewOf = (table: string, columns: readonly string[], trading: string): string =>
  `CREATE VIEW query."${table}" AS SELECT ${quoted(columns)} FROM ${trading}."${table}";`;

/**
 * REPLACE gives its row a new number, so numbers may be written, but none that the database has not given out: it would be
 * in the way of a signal to come.
 */
const keptNumbers = (trading: string): string => `
CREATE FUNCTION query.keep_number() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF NEW.seq NOT BETWEEN 1 AND coalesce(
      pg_sequence_last_value(CAST(pg_get_serial_sequence('${trading}.${WRITABLE}', 'seq') AS regclass)), 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'SB003', MESSAGE = 'seq is given by the database; leave it out';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_number BEFORE UPDATE OF seq ON ${trading}.${WRITABLE}
  FOR EACH ROW EXECUTE FUNCTION query.keep_number();`;

const schemaText = (trading: string): string =>
  [
    ...FUNCTIONS.map((file) => readFileSync(file, 'utf8')),
    ...Object.entries(READABLE).map(([table, columns]) => viewOf(table, columns, trading)),
    keptNumbers(trading),
  ].join('\n');

/** What whoever asks may do there. */
const grantsTo = (role: string): string => {
  const written = (READABLE[WRITABLE] ?? []).filter((column) => column !== 'seq');
  return `GRANT USAGE ON SCHEMA query TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA query TO ${role};
    GRANT INSERT (${quoted(written)}), UPDATE, DELETE ON query."${WRITABLE}" TO ${role};`;
};

/** `trading` is the schema that is read. Any number of processes may start at once. */
export async function makeQuerySchema(connection: Connection, trading: string, role: string): Promise<void> {
  const text = schemaText(trading);
  const comment = `${COMMENT}${createHash('sha256').update(text).digest('hex')}`;
  await connection.command('BEGIN');
  try {
    // One at a time: no restricted role may take this lock, and an advisory one could be held by every role of the database.
    await connection.command(`LOCK TABLE ${trading}.migrations IN SHARE ROW EXCLUSIVE MODE`);
    const { rows } = await connection.ask(
      `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = 'query'`,
    );
    const [found] = rows;
    if (found !== undefined && !String(found.comment).startsWith(COMMENT))
      throw new StorageError(
        'the database has a schema query that is not Signalbox’s; rename it (ALTER SCHEMA query RENAME TO …)',
      );
    if (found?.comment !== comment) {
      await connection.command('DROP SCHEMA IF EXISTS query CASCADE; CREATE SCHEMA query');
      await connection.command(text);
      await connection.command(`COMMENT ON SCHEMA query IS '${comment}'`);
    }
    await connection.command(grantsTo(role));
    await connection.command('COMMIT');
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => connection.cut());
    throw error;
  }
}
