// Makes a PostgreSQL ready to be filled with one instance, and with no other: it is empty, or holds a part of that very instance.

import { StorageError } from '../../../errors/storage-error.ts';
import { Connection } from './connection.ts';
import { postgresReadSide } from './copy-side.ts';
import {
  assertNoMoveUnderWay,
  beginAnew,
  beginMove,
  type MoveSource,
  readMove,
  waitForMoveLock,
} from './move-progress.ts';
import { makeSchema } from './open-postgres.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { postgresFault } from './postgres-faults.ts';
import { type PostgresSchema, SCHEMAS } from './schemas.ts';
import { Statements } from './statements.ts';

/** Statements on every row of a large table take their time. */
const STATEMENT_MS = 3600_000;
/** Whoever was killed a moment ago ends his last page first. */
const LOCK_MS = 60_000;

/** New databases have one row in each of them. */
const BEGUN_WITH_A_ROW: readonly string[] = ['desk_event_epochs', 'layout_revisions'];

/** For copies: it may wait long for a statement. */
export async function openForCopies(url: string): Promise<{ readonly connection: Connection; readonly where: string }> {
  const address = readPostgresAddress(url);
  const timeouts = { statementTimeoutMs: STATEMENT_MS, lockTimeoutMs: LOCK_MS };
  try {
    const statements = new Statements();
    return {
      connection: await Connection.open({ address, schema: 'pg_catalog', statements, ...timeouts }),
      where: address.where,
    };
  } catch (error) {
    throw postgresFault(address.where, error);
  }
}

/** From now on the connection sees everything as it is at this moment. A copy that is written elsewhere may take long between two pages. */
export async function beginSnapshot(connection: Connection, where: string): Promise<void> {
  try {
    await assertNoMoveUnderWay(connection, where);
    await connection.command('SET idle_in_transaction_session_timeout = 0');
    await connection.command('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  } catch (error) {
    throw postgresFault(where, error);
  }
}

export interface MoveTarget {
  readonly connection: Connection;
  readonly where: string;
  /** Of the schemas that are to be filled. */
  readonly schemas: readonly PostgresSchema[];
}

/** Resolves to whether a part of it was there and is gone on with. */
export async function prepareTarget(url: string, { connection, where, schemas }: MoveTarget, source: MoveSource) {
  try {
    await waitForMoveLock(connection);
    const begun = await readMove(connection);
    if (begun === undefined) await assertNoInstance(connection, where);
    else if (begun.instance !== source.instance)
      throw new StorageError(
        `PostgreSQL at ${where} holds a part of another instance, whose move there was interrupted, so nothing was done; name another database`,
      );
    for (const schema of schemas) await makeSchema({ url, ...schema });
    if (begun === undefined) await beginMove(connection, source);
    else if (begun.state !== source.state)
      await beginAnew(connection, await carriedIn(connection, where), source.state);
    return begun?.state === source.state;
  } catch (error) {
    throw postgresFault(where, error);
  }
}

/** Also in schemas that the instance to be moved has nothing for. */
export async function assertNoInstance(connection: Connection, where: string): Promise<void> {
  for (const { schema } of Object.values(SCHEMAS)) {
    const side = postgresReadSide({ connection, where, schema });
    for (const { name } of await side.tables()) {
      const most = BEGUN_WITH_A_ROW.includes(name) ? 1 : 0;
      const rows = await side.all(`SELECT 1 FROM ${side.reference(name)} LIMIT ?`, most + 1);
      if (rows.length > most)
        throw new StorageError(
          `PostgreSQL at ${where} holds an instance already (there are rows in ${schema}.${name}), so nothing was done; name an empty database`,
        );
    }
  }
}

/** As statements name them. */
async function carriedIn(connection: Connection, where: string): Promise<readonly string[]> {
  const references: string[] = [];
  for (const { schema } of Object.values(SCHEMAS))
    for (const { name } of await postgresReadSide({ connection, where, schema }).tables())
      references.push(`"${schema}"."${name}"`);
  return references;
}
