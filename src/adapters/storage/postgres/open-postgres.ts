// A schema of a PostgreSQL database as what stores ask for: checked, migrated, with steps and reads that mend themselves.

import type { Searches, SqlDatabase, SqlReads } from '../sql/sql.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { migrate } from './migrations.ts';
import { assertNoMoveUnderWay } from './move-progress.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { postgresFault } from './postgres-faults.ts';
import { ReadPool } from './read-pool.ts';
import { assertServerFits } from './server-check.ts';
import { Statements } from './statements.ts';
import { Steps } from './steps.ts';
import { FORGET_OLD, OLD_MS } from './writer-marks.ts';

/** Whoever waits for a step is a charting platform or a person. */
const STEP_STATEMENT_MS = 3500;
const READ_STATEMENT_MS = 8000;
const READ_CONNECTIONS = 4;
/** Searches may look at every row. */
const SEARCH_STATEMENT_MS = 30_000;
const SEARCH_CONNECTIONS = 2;

export interface PostgresOptions {
  readonly url: string;
  readonly schema: string;
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
  /** How long the outcome of a commit without an answer is looked for; a moment if it is left out. */
  readonly settleMs?: number | undefined;
}

export async function openPostgres(options: PostgresOptions): Promise<SqlDatabase> {
  const name = await preparePostgres(options);
  const shared = { address: readPostgresAddress(options.url), schema: options.schema, statements: new Statements() };
  const steps = new Steps({ ...shared, statementTimeoutMs: STEP_STATEMENT_MS }, options.settleMs);
  const reads = readsOf(shared);
  return {
    name,
    reads,
    inOneStep: (work) => steps.run(work),
    async close() {
      await steps.close();
      await reads.close();
    },
  };
}

/** The tables alone, for whoever fills them. */
export async function makeSchema(options: PostgresOptions): Promise<void> {
  await prepare(options);
}

export interface PostgresReads {
  readonly reads: SqlReads;
  readonly searches: Searches;
  close(): Promise<void>;
}

/** Reads of a schema that somebody else has opened for writing. */
export function postgresReads(url: string, schema: string): PostgresReads {
  const shared = { address: readPostgresAddress(url), schema, statements: new Statements() };
  const reads = readsOf(shared);
  const searches = new ReadPool({ ...shared, statementTimeoutMs: SEARCH_STATEMENT_MS }, SEARCH_CONNECTIONS);
  return {
    reads,
    searches,
    async close() {
      await Promise.all([reads.close(), searches.close()]);
    },
  };
}

type Shared = Omit<ConnectionOptions, 'statementTimeoutMs'>;

const readsOf = (shared: Shared): ReadPool =>
  new ReadPool({ ...shared, statementTimeoutMs: READ_STATEMENT_MS }, READ_CONNECTIONS);

/** A migration may rewrite a large table, and other processes wait for it. */
const MIGRATING = { statementTimeoutMs: 600_000, lockTimeoutMs: 600_000 };

/** The schema is checked and migrated. Returns what faults call it. */
export const preparePostgres = (options: PostgresOptions): Promise<string> => prepare(options, assertNoMoveUnderWay);

async function prepare(
  options: PostgresOptions,
  check: (connection: Connection, where: string) => Promise<void> = async () => {},
): Promise<string> {
  const { schema } = options;
  const address = readPostgresAddress(options.url);
  const { where } = address;
  const name = `schema ${schema} of PostgreSQL at ${where}`;
  let connection: Connection | undefined;
  try {
    connection = await Connection.open({ address, schema, statements: new Statements(), ...MIGRATING });
    await assertServerFits(connection, where);
    await check(connection, where);
    await migrate(connection, { ...options, name });
    await connection.ask(FORGET_OLD, [Date.now() - OLD_MS]);
    return name;
  } catch (error) {
    throw postgresFault(where, error);
  } finally {
    await connection?.close();
  }
}
