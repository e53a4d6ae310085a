// The role under which the script process uses PostgreSQL. Whoever breaks into that process holds its address, so it opens
// the strangers' schema alone: DATABASE_URL, which opens trades and keys too, stays with the trading process.
//
// Each trading process makes a role of its own, with a name of its own, so that several on one database do not take each
// other's password away. It is dropped at the end; one whose process was killed is out of date a day later, and the next
// start of any of them drops it.

import { randomBytes } from 'node:crypto';
import { StorageError } from '../../../errors/storage-error.ts';
import { backgroundTimers, type Timers } from '../../../timing/timers.ts';
import { Connection } from './connection.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { codeOf, postgresFault } from './postgres-faults.ts';
import {
  dropRestrictedRole,
  grantRestrictedRole,
  makeRestrictedRole,
  type RestrictedRole,
  renewRestrictedRole,
  setRestrictedRole,
  unusedRoles,
} from './restricted-role.ts';
import { Statements } from './statements.ts';
import { openStrangers, STRANGERS_SCHEMA } from './strangers.ts';

const PREFIX = 'signalbox_scripts_';
/** Often enough that a role is never out of date while its process and the server run. */
const RENEW_EVERY_MS = 10 * 60_000;
/** Another process may be at the same, or migrate just now. */
const TIMEOUTS = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 };
/** A process that stops does not wait for a server that stands still. */
const LAST_TIMEOUTS = { statementTimeoutMs: 2000, lockTimeoutMs: 1000 };

export interface ScriptRoleOptions {
  /** DATABASE_URL. */
  readonly url: string;
  /** SCRIPT_DATABASE_URL: a role that the owner has made, instead of one that is made here. */
  readonly givenUrl?: string | undefined;
  readonly timers?: Timers;
}

export interface ScriptRole {
  /** For a script process that starts: with a password that none before it had, where the role is made here. */
  address(): Promise<string>;
  close(): Promise<void>;
}

export function createScriptRole({ url, givenUrl, timers = backgroundTimers }: ScriptRoleOptions): ScriptRole {
  return givenUrl === undefined ? new MadeRole(url, timers) : givenRole(url, givenUrl);
}

const givenRole = (url: string, givenUrl: string): ScriptRole => ({
  async address() {
    await migrate(url);
    const { user: name } = readPostgresAddress(givenUrl);
    await withConnection(url, (connection) => grantRestrictedRole(connection, { name, schema: STRANGERS_SCHEMA }));
    await assertFits(givenUrl, 'SCRIPT_DATABASE_URL');
    return givenUrl;
  },
  close: async () => {},
});

class MadeRole implements ScriptRole {
  readonly #url: string;
  readonly #timers: Timers;
  readonly #id = randomBytes(6).toString('hex');
  #made: { readonly role: RestrictedRole; readonly password: string } | undefined;
  #cancelRenewal = (): void => {};

  constructor(url: string, timers: Timers) {
    this.#url = url;
    this.#timers = timers;
  }

  async address(): Promise<string> {
    await migrate(this.#url);
    const { role, password } = await withConnection(this.#url, async (connection) => {
      await assertMayMakeRoles(connection, this.#url);
      await dropUnused(connection);
      const made = { name: `${PREFIX}${this.#id}`, schema: STRANGERS_SCHEMA };
      return { role: made, password: await makeRestrictedRole(connection, made) };
    });
    this.#made = { role, password };
    this.#renewLater();
    const address = Object.assign(new URL(this.#url.trim()), { username: role.name, password }).href;
    await assertFits(address, `the role ${role.name}, which Signalbox has just made there`);
    return address;
  }

  async close(): Promise<void> {
    this.#cancelRenewal();
    const { role } = this.#made ?? {};
    this.#made = undefined;
    // Where that fails it is out of date soon.
    if (role !== undefined)
      await withConnection(this.#url, (connection) => dropRestrictedRole(connection, role), LAST_TIMEOUTS).catch(
        () => undefined,
      );
  }

  #renewLater(): void {
    this.#cancelRenewal();
    this.#cancelRenewal = this.#timers.after(RENEW_EVERY_MS, () => {
      this.#renewLater();
      // Where the server is away the next time does it.
      void this.#renew().catch(() => undefined);
    });
  }

  /** A server that was away for a day has let it go out of date, and another process may have dropped it since. */
  async #renew(): Promise<void> {
    const made = this.#made;
    if (made === undefined) return;
    await withConnection(this.#url, async (connection) => {
      if (!(await renewRestrictedRole(connection, made.role)))
        await setRestrictedRole(connection, made.role, made.password);
    });
  }
}

const migrate = async (url: string): Promise<void> => (await openStrangers(url)).close();

async function withConnection<T>(
  url: string,
  work: (connection: Connection) => Promise<T>,
  timeouts = TIMEOUTS,
): Promise<T> {
  const address = readPostgresAddress(url);
  let connection: Connection | undefined;
  try {
    connection = await Connection.open({
      ...{ address, schema: STRANGERS_SCHEMA, statements: new Statements() },
      ...timeouts,
    });
    return await work(connection);
  } catch (error) {
    throw postgresFault(address.where, error);
  } finally {
    await connection?.close();
  }
}

async function assertMayMakeRoles(connection: Connection, url: string): Promise<void> {
  const { rows } = await connection.ask(
    'SELECT rolsuper OR rolcreaterole AS "mayMake" FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.mayMake === 1) return;
  const { user, where } = readPostgresAddress(url);
  throw new StorageError(
    `PostgreSQL at ${where} does not let the user ${user} make roles, and scripts need one that cannot reach trades and keys. ` +
      `Run there, as an administrator: ALTER ROLE "${user.replaceAll('"', '""')}" CREATEROLE; or else: CREATE ROLE ` +
      "signalbox_scripts LOGIN PASSWORD 'one of your choice'; and set SCRIPT_DATABASE_URL to the same address as DATABASE_URL, " +
      'with that user and password',
  );
}

/** Roles belong to a whole server; PostgreSQL drops none that has rights in another database, and it is in nobody's way. */
async function dropUnused(connection: Connection): Promise<void> {
  for (const name of await unusedRoles(connection, PREFIX))
    await dropRestrictedRole(connection, { name, schema: STRANGERS_SCHEMA }).catch(() => undefined);
}

/** Schemas of ours are those with marks of writers, and the views for queries. */
const RIGHTS = `SELECT
  EXISTS (SELECT FROM pg_namespace WHERE nspname = ?1 AND has_schema_privilege(oid, 'USAGE')) AS "hasSchema",
  EXISTS (SELECT FROM pg_namespace AS schema WHERE CASE WHEN nspname = ?1 THEN pg_has_role(nspowner, 'MEMBER')
    ELSE has_schema_privilege(oid, 'USAGE') AND (nspname = 'query' OR EXISTS
      (SELECT FROM pg_class WHERE relnamespace = schema.oid AND relname = 'writer_marks')) END) AS "hasMore"`;

/** As that role: it is let in, and it can do what it must and no more. */
async function assertFits(url: string, who: string): Promise<void> {
  const { where } = readPostgresAddress(url);
  const refuse = (words: string): never => {
    throw new StorageError(words);
  };
  try {
    const { hasSchema, hasMore } = await withConnection(url, async (connection) => {
      const { rows } = await connection.ask(RIGHTS, [STRANGERS_SCHEMA]);
      return rows[0] ?? {};
    });
    if (hasSchema !== 1)
      refuse(`${who} does not reach the schema ${STRANGERS_SCHEMA}; it must name the database of DATABASE_URL`);
    if (hasMore === 1)
      refuse(
        `${who} reaches more of PostgreSQL at ${where} than the schema ${STRANGERS_SCHEMA}, so that scripts could reach trades ` +
          'and keys; take those rights from that role and from PUBLIC (REVOKE), or name a role that has none of them',
      );
  } catch (error) {
    if (['28000', '28P01'].includes(codeOf((error as Error).cause) ?? ''))
      refuse(`PostgreSQL at ${where} does not let in ${who}; let it in (pg_hba.conf), or correct SCRIPT_DATABASE_URL`);
    throw error;
  }
}
