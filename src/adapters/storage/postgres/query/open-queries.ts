// The port behind POST /query over PostgreSQL: a schema and a role for it, and a process that knows that role alone.

import type { DataQueries } from '../../../../trading/books/data-query.ts';
import { createGuardedQueries, type QueryLimits } from '../../sql/query/queries.ts';
import { Connection } from '../connection.ts';
import { type PostgresAddress, readPostgresAddress } from '../postgres-address.ts';
import { postgresFault } from '../postgres-faults.ts';
import { letIn } from '../restricted-role.ts';
import { Statements } from '../statements.ts';
import {
  assertRestricted,
  dropQueryRole,
  groupFor,
  makeQueryRole,
  type QueryRoleOptions,
  renewQueryRole,
} from './query-role.ts';
import { makeQuerySchema, QUERY_SCHEMA } from './query-schema.ts';

const RENEW_EVERY_MS = 12 * 3_600_000;
/** To make the schema anew waits for whoever is reading it, and signals wait behind that: better it fails, and is tried again. */
const PATIENCE = { statementTimeoutMs: 30_000, lockTimeoutMs: 500 };

const ROLE: QueryRoleOptions = {
  name: 'signalbox_query',
  settings: {
    ...{ search_path: 'query', default_transaction_read_only: 'on', work_mem: "'16MB'" },
    // Each session asks for its own limit; this one is for whoever does not.
    statement_timeout: "'10s'",
  },
  // Rows that do not fit the memory go to the server's disk; and it looks whether anybody still waits for them.
  wishes: { temp_file_limit: "'512MB'", client_connection_check_interval: "'200ms'" },
  setting: 'QUERY_DATABASE_URL',
};

export interface PostgresQueriesOptions {
  /** Of the owner, as DATABASE_URL has it. It stays in this process. */
  readonly url: string;
  /** A role that the owner has made, as an address; without it a role is made at each start. */
  readonly queryUrl?: string;
  /** The schema of the trading database, which is there already. */
  readonly schema?: string;
  readonly limits?: Partial<QueryLimits>;
}

export async function openPostgresQueries(options: PostgresQueriesOptions): Promise<DataQueries> {
  const { url, queryUrl, schema = 'trading', limits = {} } = options;
  const owner = readPostgresAddress(url);
  const address = await asOwner(owner, async (connection) => {
    if (queryUrl !== undefined) {
      const given = readPostgresAddress(queryUrl);
      await makeQuerySchema(connection, schema, `"${given.user.replaceAll('"', '""')}"`);
      await assertRestricted(connection, given.user, QUERY_SCHEMA);
      return given;
    }
    const group = await groupFor(connection, ROLE);
    await makeQuerySchema(connection, schema, group);
    await letIn(connection, group);
    return { ...owner, ...(await makeQueryRole(connection, group, ROLE)) };
  });
  const isMade = queryUrl === undefined;
  const renewal = setInterval(() => {
    // What cannot be renewed now can be next time: there are days between.
    if (isMade) asOwner(owner, (connection) => renewQueryRole(connection, address.user)).catch(() => undefined);
  }, RENEW_EVERY_MS).unref();
  const queries = createGuardedQueries({
    engine: { thread: new URL('./postgres-query-thread.ts', import.meta.url).href, database: address },
    // The server itself keeps writers apart.
    exclusively: (work) => work(),
    limits,
  });
  return {
    ...queries,
    async close() {
      clearInterval(renewal);
      await queries.close();
      // It ends by itself, if the server is away.
      if (isMade) await asOwner(owner, (connection) => dropQueryRole(connection, address.user)).catch(() => undefined);
    },
  };
}

async function asOwner<T>(address: PostgresAddress, work: (connection: Connection) => Promise<T>): Promise<T> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.open({ address, schema: QUERY_SCHEMA, statements: new Statements(), ...PATIENCE });
    return await work(connection);
  } catch (error) {
    throw postgresFault(address.where, error);
  } finally {
    await connection?.close();
  }
}
