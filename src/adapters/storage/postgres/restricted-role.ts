// A login role that reads and writes the tables of one schema and has no other right in its database. Its password is known
// to whoever made it and to nobody else: the server is sent a check value that it cannot be read from, which logs may show.

import { randomBytes } from 'node:crypto';
import { checkValue } from './check-value.ts';
import type { Connection } from './connection.ts';

export interface RestrictedRole {
  readonly name: string;
  /** The schema that it may use; it is there, with all its tables. */
  readonly schema: string;
}

/** Its password ends then, unless it is renewed: nobody can log in as a role that its maker has left behind. */
const VALID_FOR = '1 day';
/** A process and the one that comes after it, each with its steps and its reads (open-postgres.ts), and some to spare. */
const MAX_CONNECTIONS = 16;

/** Makes the role, or gives the one that is there a new password, with all that it may do. Resolves with the password. */
export async function makeRestrictedRole(connection: Connection, role: RestrictedRole): Promise<string> {
  const password = randomBytes(32).toString('base64url');
  await setRestrictedRole(connection, role, password);
  return password;
}

/** The same with a password that was made before. */
export async function setRestrictedRole(connection: Connection, role: RestrictedRole, password: string): Promise<void> {
  await oneAtATime(connection, role.schema, async () => {
    const verb = (await isThere(connection, role.name)) ? 'ALTER' : 'CREATE';
    await connection.command(`${verb} ROLE ${quoted(role.name)} LOGIN NOINHERIT CONNECTION LIMIT ${MAX_CONNECTIONS}
      PASSWORD '${checkValue(password)}' VALID UNTIL '${await untilWhen(connection)}'`);
    await grantSchema(connection, role);
  });
}

/** Its password is good for another while. False where the role is gone. */
export async function renewRestrictedRole(connection: Connection, { name }: RestrictedRole): Promise<boolean> {
  if (!(await isThere(connection, name))) return false;
  await connection.command(`ALTER ROLE ${quoted(name)} VALID UNTIL '${await untilWhen(connection)}'`);
  return true;
}

/** For a role that somebody else has made. */
export const grantRestrictedRole = (connection: Connection, role: RestrictedRole): Promise<void> =>
  oneAtATime(connection, role.schema, () => grantSchema(connection, role));

export async function dropRestrictedRole(connection: Connection, { name, schema }: RestrictedRole): Promise<void> {
  const role = quoted(name);
  await oneAtATime(connection, schema, async () => {
    // Only one who has its rights may take back what it was granted.
    await connection.command(`GRANT ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
}

/** The roles whose names begin so, that their makers have left behind: out of date, and nobody is logged in as one. */
export async function unusedRoles(connection: Connection, prefix: string): Promise<readonly string[]> {
  const { rows } = await connection.ask(
    `SELECT rolname AS name FROM pg_roles WHERE starts_with(rolname, CAST(? AS TEXT)) AND rolvaliduntil < now()
      AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE usesysid = pg_roles.oid)`,
    [prefix],
  );
  return rows.map(({ name }) => String(name));
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

async function isThere(connection: Connection, name: string): Promise<boolean> {
  const { rows } = await connection.ask('SELECT 1 FROM pg_roles WHERE rolname = ?', [name]);
  return rows.length > 0;
}

/** By the clock of the server, which is the one that looks at it. */
async function untilWhen(connection: Connection): Promise<string> {
  const { rows } = await connection.ask(`SELECT CAST(now() + interval '${VALID_FOR}' AS TEXT) AS until`);
  return String(rows[0]?.until);
}

/**
 * PostgreSQL refuses two changes of one object's rights at the same moment. The lock is one that no restricted role can
 * hold: it may only read that table.
 */
async function oneAtATime(connection: Connection, schema: string, work: () => Promise<void>): Promise<void> {
  await connection.command('BEGIN');
  try {
    await connection.command(`LOCK TABLE ${quoted(schema)}.migrations IN SHARE ROW EXCLUSIVE MODE`);
    await work();
    await connection.command('COMMIT');
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => connection.cut());
    throw error;
  }
}

/** Numbers of rows need no right to their sequences, and the functions of a schema are open to whoever may use it. */
async function grantSchema(connection: Connection, { name, schema }: RestrictedRole): Promise<void> {
  const [role, of] = [quoted(name), quoted(schema)];
  await connection.command(`
    GRANT USAGE ON SCHEMA ${of} TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${of} TO ${role};
    REVOKE INSERT, UPDATE, DELETE ON ${of}.migrations FROM ${role}`);
  await closeToEverybody(connection);
  await letIn(connection, name);
}

/** What every role may do unless somebody has taken it back: tables for a session, and new objects in the schema public. */
async function closeToEverybody(connection: Connection): Promise<void> {
  const { rows } = await connection.ask(`SELECT quote_ident(datname) AS database,
      has_database_privilege('public', oid, 'TEMPORARY') AND pg_has_role(datdba, 'USAGE') AS "isOpen",
      EXISTS (SELECT FROM pg_namespace WHERE nspname = 'public' AND has_schema_privilege('public', oid, 'CREATE')
        AND pg_has_role(nspowner, 'USAGE')) AS "isPublicOpen"
    FROM pg_database WHERE datname = current_database()`);
  const [{ database, isOpen, isPublicOpen } = {}] = rows;
  if (isOpen === 1) await connection.command(`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
  if (isPublicOpen === 1) await connection.command('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
}

/** Where the owner has taken from everybody the right to connect. */
async function letIn(connection: Connection, name: string): Promise<void> {
  const { rows } = await connection.ask(
    `SELECT quote_ident(datname) AS database, has_database_privilege(CAST(? AS name), oid, 'CONNECT') AS "isOpen"
      FROM pg_database WHERE datname = current_database()`,
    [name],
  );
  const [{ database, isOpen } = {}] = rows;
  if (isOpen === 0) await connection.command(`GRANT CONNECT ON DATABASE ${database} TO ${quoted(name)}`);
}
