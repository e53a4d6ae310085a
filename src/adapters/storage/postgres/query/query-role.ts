// The role of /query: it logs in with a password that is new at each start, and may what was granted to its group, nothing else.
// Each process has its own, so that several can run on one database; those that ended without saying so can log in no longer
// after a few days, and the next start removes them.

import { randomBytes } from 'node:crypto';
import { StorageError } from '../../../../errors/storage-error.ts';
import { checkValue } from '../check-value.ts';
import type { Connection } from '../connection.ts';
import { codeOf } from '../postgres-faults.ts';

/** Renewed long before by whoever lives. */
const VALID = "INTERVAL '3 days'";
/** The server's words for what a role may not do. */
const NOT_ALLOWED = '42501';

export interface QueryRoleOptions {
  /** Its names begin so, as do those of its group. */
  readonly name: string;
  /** What its sessions begin with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings that not every server lets it have. */
  readonly wishes: Readonly<Record<string, string>>;
  /** Where the owner may not make roles: the setting that names one he has made. */
  readonly setting: string;
}

export interface QueryRole {
  readonly user: string;
  readonly password: string;
}

/** Holds the rights, and cannot log in. Roles are the whole server's, so its name holds the number of the database. */
export async function groupFor(connection: Connection, { name, setting }: QueryRoleOptions): Promise<string> {
  const { rows } = await connection.ask(
    'SELECT CAST(oid AS bigint) AS number FROM pg_database WHERE datname = current_database()',
  );
  const group = `${name}_${rows[0]?.number}`;
  const known = await connection.ask('SELECT 1 AS known FROM pg_roles WHERE rolname = CAST(? AS TEXT)', [group]);
  if (known.rows.length > 0) return group;
  try {
    await connection.command(`CREATE ROLE ${group} NOLOGIN`);
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) === '42710') return group;
    if (codeOf(error) !== NOT_ALLOWED) throw error;
    throw new StorageError(
      `the user of DATABASE_URL may not make roles; give it CREATEROLE (ALTER ROLE … CREATEROLE), or make a role with LOGIN and name it in ${setting}`,
      { cause: error },
    );
  }
  return group;
}

export async function makeQueryRole(
  connection: Connection,
  group: string,
  { settings, wishes }: QueryRoleOptions,
): Promise<QueryRole> {
  await removeExpired(connection, group);
  const user = `${group}_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(32).toString('base64url');
  await connection.command(
    `CREATE ROLE ${user} LOGIN CONNECTION LIMIT 4 IN ROLE ${group} PASSWORD '${checkValue(password)}'`,
  );
  await renewQueryRole(connection, user);
  for (const [name, value] of Object.entries(settings))
    await connection.command(`ALTER ROLE ${user} SET ${name} = ${value}`);
  for (const [name, value] of Object.entries(wishes))
    await connection.command(`ALTER ROLE ${user} SET ${name} = ${value}`).catch(onlyRefusals);
  return { user, password };
}

export async function renewQueryRole(connection: Connection, user: string): Promise<void> {
  const { rows } = await connection.ask(`SELECT CAST(now() + ${VALID} AS text) AS until`);
  await connection.command(`ALTER ROLE ${user} VALID UNTIL '${rows[0]?.until}'`);
}

export const dropQueryRole = async (connection: Connection, user: string): Promise<void> =>
  void (await connection.command(`DROP ROLE IF EXISTS ${user}`));

async function removeExpired(connection: Connection, group: string): Promise<void> {
  const { rows } = await connection.ask(
    `SELECT rolname AS user FROM pg_roles WHERE rolname ~ ('^' || CAST(? AS TEXT) || '_[0-9a-f]{12}$') AND rolvaliduntil < now()`,
    [group],
  );
  for (const { user } of rows) await dropQueryRole(connection, String(user)).catch(() => undefined);
}

/** Where a role is to be used that somebody else has made: it must not be able to see more than the schema. */
export async function assertRestricted(connection: Connection, user: string, schema: string): Promise<void> {
  const { rows } = await connection.ask(
    `SELECT (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls) AS "isMighty",
      pg_has_role(rolname, current_user, 'MEMBER') AS "isOwner",
      (SELECT string_agg(nspname, ', ' ORDER BY nspname) FROM pg_namespace WHERE nspname !~ '^pg_'
        AND nspname NOT IN ('information_schema', 'public', CAST(? AS TEXT)) AND has_schema_privilege(rolname, oid, 'USAGE')) AS others
    FROM pg_roles WHERE rolname = CAST(? AS TEXT)`,
    [schema, user],
  );
  const [role] = rows;
  if (role === undefined) throw new StorageError(`PostgreSQL has no role ${user}; make it, or correct its address`);
  if (role.isMighty === 1 || role.isOwner === 1 || role.others !== null)
    throw new StorageError(
      `the role ${user} can reach more than the schema ${schema}${role.others === null ? '' : ` (${role.others})`}; name one with no rights of its own`,
    );
}

function onlyRefusals(error: unknown): undefined {
  if (!/^(?:42501|22023|42704)$/.test(codeOf(error) ?? '')) throw error;
  return undefined;
}
