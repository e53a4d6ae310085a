// How far an instance is copied into a PostgreSQL, kept there itself, in a schema of its own that is there exactly as long as
// the copy is under way. Whoever opens the database meanwhile is refused: part of its rows are still elsewhere.

import { StorageError } from '../../../errors/storage-error.ts';
import type { TableProgress } from '../sql/copy/sides.ts';
import type { SqlValue } from '../sql/sql.ts';
import type { Connection } from './connection.ts';

const SCHEMA = 'signalbox_move';

/** What is copied. */
export interface MoveSource {
  /** Which instance it is. */
  readonly instance: string;
  /** Another one means that it was written to since. */
  readonly state: string;
}

interface TablePlace {
  readonly schema: string;
  readonly table: string;
}

/** One at a time. Who was killed a moment ago may hold it still: his last page ends before this returns. */
export const waitForMoveLock = (connection: Connection): Promise<unknown> =>
  connection.command(`SELECT pg_advisory_lock(hashtext('${SCHEMA}'))`);

export async function isMoveUnderWay(connection: Connection): Promise<boolean> {
  const { rows } = await connection.ask('SELECT to_regnamespace(CAST(? AS text)) IS NOT NULL AS "isThere"', [SCHEMA]);
  return rows[0]?.isThere === 1;
}

/** For whoever opens the database to use it. */
export async function assertNoMoveUnderWay(connection: Connection, where: string): Promise<void> {
  if (!(await isMoveUnderWay(connection))) return;
  throw new StorageError(
    `PostgreSQL at ${where} holds an instance in part: moving it there was interrupted. Run "signalbox migrate" again, which goes on ` +
      'where it stopped; or, to give that up, empty the database and leave DATABASE_URL out',
  );
}

export async function readMove(connection: Connection): Promise<MoveSource | undefined> {
  if (!(await isMoveUnderWay(connection))) return undefined;
  const { rows } = await connection.ask(`SELECT instance, state FROM ${SCHEMA}.source`);
  return rows[0] as unknown as MoveSource | undefined;
}

export async function beginMove(connection: Connection, { instance, state }: MoveSource): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.command(`CREATE SCHEMA ${SCHEMA};
      CREATE TABLE ${SCHEMA}.source (instance text NOT NULL, state text NOT NULL);
      CREATE TABLE ${SCHEMA}.progress (schema_name text COLLATE "C", table_name text COLLATE "C", after_key text, row_count bigint NOT NULL,
        is_done bigint NOT NULL, PRIMARY KEY (schema_name, table_name))`);
    await connection.ask(`INSERT INTO ${SCHEMA}.source (instance, state) VALUES (?, ?)`, [instance, state]);
  });
}

/** The tables, as statements name them, are emptied, and all of them are to be copied again. */
export async function beginAnew(connection: Connection, tables: readonly string[], state: string): Promise<void> {
  await inTransaction(connection, async () => {
    await connection.command(`TRUNCATE ${tables.join(', ')}`);
    await connection.command(`DELETE FROM ${SCHEMA}.progress`);
    await connection.ask(`UPDATE ${SCHEMA}.source SET state = ?`, [state]);
  });
}

/** The next run finds another state and begins anew. */
export const doubtMove = (connection: Connection): Promise<unknown> =>
  connection.command(`UPDATE ${SCHEMA}.source SET state = ''`);

export const endMove = (connection: Connection): Promise<unknown> =>
  connection.command(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);

export async function progressOf(
  connection: Connection,
  { schema, table }: TablePlace,
): Promise<TableProgress | undefined> {
  const { rows } = await connection.ask(
    `SELECT after_key, row_count, is_done FROM ${SCHEMA}.progress WHERE schema_name = ? AND table_name = ?`,
    [schema, table],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    after: row.after_key === null ? undefined : readKey(String(row.after_key)),
    rows: Number(row.row_count),
    isDone: row.is_done === 1,
  };
}

export const saveProgress = (
  connection: Connection,
  { schema, table }: TablePlace,
  { after, rows, isDone }: TableProgress,
): Promise<unknown> =>
  connection.ask(
    `INSERT INTO ${SCHEMA}.progress (schema_name, table_name, after_key, row_count, is_done) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (schema_name, table_name) DO UPDATE
      SET after_key = excluded.after_key, row_count = excluded.row_count, is_done = excluded.is_done`,
    [schema, table, after === undefined ? null : writeKey(after), rows, isDone ? 1 : 0],
  );

/** As JSON, in which U+0000 is an escape: the key is to be found again exactly as the other side has it. */
const writeKey = (key: readonly SqlValue[]): string =>
  JSON.stringify(
    key.map((value) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value)),
  );

function readKey(text: string): readonly SqlValue[] {
  const key = JSON.parse(text) as (SqlValue | { readonly hex: string })[];
  return key.map((value) =>
    value !== null && typeof value === 'object' && 'hex' in value
      ? Uint8Array.from(Buffer.from(value.hex, 'hex'))
      : value,
  );
}

async function inTransaction(connection: Connection, work: () => Promise<void>): Promise<void> {
  await connection.command('BEGIN');
  try {
    await work();
    await connection.command('COMMIT');
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => connection.cut());
    throw error;
  }
}
