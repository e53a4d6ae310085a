// The role of the script process: it does its work in the strangers' schema, and reaches nothing else of the database.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openOwnerStorage } from '../../src/adapters/storage/postgres/owner.ts';
import { createScriptRole, type ScriptRole } from '../../src/adapters/storage/postgres/script-role.ts';
import { openStrangers } from '../../src/adapters/storage/postgres/strangers.ts';
import { openTradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import type { SqlDatabase } from '../../src/adapters/storage/sql/sql.ts';
import { deploymentStore } from '../../src/adapters/storage/sql/strangers/deployments/deployments.ts';
import { scriptStore } from '../../src/adapters/storage/sql/strangers/scripts/scripts.ts';
import type { ScriptWrite } from '../../src/library/script-store.ts';
import type { Timers } from '../../src/timing/timers.ts';
import { DEPLOYMENT, LOG } from '../ports/deployment-store-suite.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const ANN = 'a'.repeat(32);
const WRITE: ScriptWrite = { id: 'x', text: { name: 'x', content: '1' }, atMs: 1, precondition: 'none' };
const SECRET = 'only-for-the-owner';

let server: PostgresServer;
/** Of the database's owner, who is no superuser and may make roles. */
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  await server.query(`CREATE ROLE app LOGIN CREATEROLE PASSWORD 'p'`);
  await server.query(`CREATE ROLE plain LOGIN PASSWORD 'p'`);
  url = await newDatabase('app');
  await (await openTradingStorage({ url, nowMs: () => 1, onDeath: () => {} })).close();
  await (await openOwnerStorage(url)).close();
  await server.query(`CREATE SCHEMA query; CREATE VIEW query.trades AS SELECT * FROM trading.trade_signals`, url);
});

let databases = 0;
async function newDatabase(owner: string): Promise<string> {
  databases += 1;
  await server.query(`CREATE DATABASE of_${owner}_${databases} OWNER ${owner}`);
  return server.urlOf(`of_${owner}_${databases}`, owner, 'p');
}

/** A trading process with its role. */
function roleOf(timers?: Timers, givenUrl?: string, owner = url): ScriptRole {
  const role = createScriptRole({ url: owner, givenUrl, ...(timers && { timers }) });
  onTestFinished(() => role.close());
  return role;
}

async function opened(address: string): Promise<SqlDatabase> {
  const db = await openStrangers(address);
  onTestFinished(() => db.close());
  return db;
}

async function connected(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const roles = async (): Promise<string[]> =>
  (await server.query(`SELECT rolname FROM pg_roles WHERE rolname LIKE 'signalbox%' ORDER BY 1`)).map((row) =>
    String(row.rolname),
  );
const nameOf = (address: string): string => new URL(address).username;

/** Passes everything on to the server, and keeps what it was sent. */
async function openRecorder(): Promise<{ readonly port: number; sent(): string }> {
  let sent = '';
  const recorder = createServer((client) => {
    const upstream = connect(server.port, '127.0.0.1');
    client.on('data', (bytes) => {
      sent += bytes.toString('latin1');
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(recorder, 'listening');
  onTestFinished(() => void recorder.close());
  return { port: (recorder.address() as AddressInfo).port, sent: () => sent };
}

/** Goes off when the test says so. */
function heldTimers(): Timers & { goOff(): void } {
  let due: (() => void) | undefined;
  return {
    after(_, work) {
      due = work;
      return () => {
        due = undefined;
      };
    },
    goOff: () => due?.(),
  };
}

describe('the role of the script process', () => {
  test('writes and reads in the schema of strangers', async () => {
    const db = await opened(await roleOf().address());
    expect(await scriptStore(db).write(ANN, WRITE)).toMatchObject({ kind: 'written' });
    expect(await deploymentStore(db).create(DEPLOYMENT, 'source', LOG)).toMatchObject({ kind: 'created' });
    expect(await deploymentStore(db).list(ANN)).toHaveLength(1);
  });

  test('is refused every table of the other schemas, to read and to write', async () => {
    const client = await connected(await roleOf().address());
    const tables = await server.query(
      `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace
        WHERE nspname IN ('trading', 'owner', 'query') AND relkind IN ('r', 'v', 'm', 'S', 'p')`,
      url,
    );
    const names = tables.map(({ name }) => String(name));
    expect(names).toEqual(expect.arrayContaining(['trading.trade_signals', 'owner.webhook_keys', 'query.trades']));
    expect(names.length).toBeGreaterThan(30);
    for (const name of names)
      for (const statement of [`SELECT * FROM ${name}`, `DELETE FROM ${name}`, `TRUNCATE ${name}`])
        await expect(client.query(statement), statement).rejects.toThrow('permission denied');
  });

  test.each([
    'SELECT * FROM pg_authid',
    'SELECT * FROM pg_shadow',
    'SELECT * FROM pg_user_mapping',
    'SELECT * FROM pg_hba_file_rules',
    `SELECT pg_read_file('/etc/passwd')`,
    `SELECT pg_read_binary_file('PG_VERSION')`,
    `SELECT pg_ls_dir('.')`,
    `SELECT lo_import('/etc/passwd')`,
    `COPY strangers.usage TO PROGRAM 'cat'`,
    `COPY strangers.usage FROM PROGRAM 'cat'`,
    `COPY strangers.usage TO '/tmp/signalbox-usage'`,
    `COPY strangers.usage FROM '/etc/passwd'`,
    'SET ROLE app',
    'SET ROLE postgres',
    'SET SESSION AUTHORIZATION app',
    'GRANT app TO CURRENT_USER',
    'ALTER ROLE CURRENT_USER CREATEROLE',
    `ALTER ROLE app PASSWORD 'mine'`,
    'CREATE ROLE other',
    'CREATE DATABASE other',
    'CREATE SCHEMA other',
    'CREATE TABLE strangers.other (a int)',
    'CREATE TABLE public.other (a int)',
    'CREATE TEMPORARY TABLE other (a int)',
    'CREATE FUNCTION strangers.other() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE TRIGGER other BEFORE INSERT ON strangers.usage FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    'ALTER TABLE strangers.usage ADD COLUMN other int',
    'TRUNCATE strangers.usage',
    'DROP TABLE strangers.usage',
    'UPDATE strangers.migrations SET number = 9',
    'DELETE FROM strangers.migrations',
    'CREATE EXTENSION dblink',
    'CREATE LANGUAGE plpython3u',
    "CREATE SUBSCRIPTION other CONNECTION 'host=127.0.0.1' PUBLICATION other",
    'ALTER SYSTEM SET fsync = off',
    'SELECT pg_reload_conf()',
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`,
  ])('is refused %s', async (statement) => {
    // Somebody to end.
    await connected(url);
    const client = await connected(await roleOf().address());
    await expect(client.query(statement)).rejects.toThrow(
      /permission denied|must be owner|must be superuser|must have|must be able|only roles with|permission to|not allowed/i,
    );
  });

  test('does not see what others ask the server, nor the password of anybody', async () => {
    const owner = await connected(url);
    await owner.query(`SELECT '${SECRET}'`);
    const client = await connected(await roleOf().address());
    const { rows } = await client.query('SELECT * FROM pg_stat_activity');
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    const seen = await client.query('SELECT rolpassword FROM pg_roles');
    expect(new Set(seen.rows.map(({ rolpassword }) => rolpassword))).toEqual(new Set(['********']));
  });

  test('has another password for each script process, and none of them is sent to the server, whose log shows statements', async () => {
    const recorder = await openRecorder();
    const role = roleOf(undefined, undefined, Object.assign(new URL(url), { port: `${recorder.port}` }).href);
    const [first, second] = [await role.address(), await role.address()];
    expect(nameOf(first)).toBe(nameOf(second));
    expect(new URL(first).password).not.toBe(new URL(second).password);
    await expect(connected(first)).rejects.toThrow('password authentication failed');
    await connected(second);
    expect(recorder.sent()).toContain(`ALTER ROLE "${nameOf(second)}" LOGIN`);
    for (const address of [first, second]) expect(recorder.sent()).not.toContain(new URL(address).password);
  });

  test('may have so many connections and no more, and nobody logs in as it a day after it was last renewed', async () => {
    const timers = heldTimers();
    const name = nameOf(await roleOf(timers).address());
    const limits = `SELECT rolconnlimit, rolvaliduntil > now() + interval '23 hours' AS "isLong",
      rolvaliduntil <= now() + interval '1 day' AS "isOver" FROM pg_roles WHERE rolname = '${name}'`;
    const expected = [{ rolconnlimit: 16, isLong: true, isOver: true }];
    expect(await server.query(limits)).toEqual(expected);
    await server.query(`ALTER ROLE ${name} VALID UNTIL '2020-01-01'`);
    timers.goOff();
    await expect.poll(() => server.query(limits)).toEqual(expected);
  });

  test('is made by a superuser too', async () => {
    const address = await roleOf(undefined, undefined, await server.newDatabase()).address();
    expect(await scriptStore(await opened(address)).write(ANN, WRITE)).toMatchObject({ kind: 'written' });
    await expect((await connected(address)).query('CREATE TEMPORARY TABLE other (a int)')).rejects.toThrow('denied');
  });

  test('is let into a database that is closed to everybody else', async () => {
    const closed = await newDatabase('app');
    const name = new URL(closed).pathname.slice(1);
    await server.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    const role = roleOf(undefined, undefined, closed);
    const address = await role.address();
    await opened(address);
    await expect(connected(server.urlOf(name, 'plain', 'p'))).rejects.toThrow('permission denied for database');
    await role.close();
    expect(await roles()).not.toContain(nameOf(address));
  });
});

describe('several instances on one database', () => {
  test('have a role each, and the start of one leaves the others their password', async () => {
    const first = await roleOf().address();
    const [second] = await Promise.all([1, 2, 3, 4].map(() => roleOf().address()));
    expect(nameOf(second as string)).not.toBe(nameOf(first));
    for (const address of [first, second as string])
      expect(await scriptStore(await opened(address)).write(ANN, WRITE)).toMatchObject({ kind: 'written' });
  });

  test('drop their role when they stop, and others’ that are out of date and unused', async () => {
    const [stopped, killed, inUse] = [roleOf(), roleOf(), roleOf()];
    const address = await stopped.address();
    const [left, used] = [await killed.address(), await inUse.address()];
    const client = await connected(used);
    for (const each of [left, used]) await server.query(`ALTER ROLE ${nameOf(each)} VALID UNTIL '2020-01-01'`);
    await stopped.close();
    expect(await roles()).not.toContain(nameOf(address));
    await expect(connected(left)).rejects.toThrow('password authentication failed');
    const third = await roleOf().address();
    expect(await roles()).toEqual([used, third].map(nameOf).sort());
    expect((await client.query('SELECT 1 FROM strangers.usage')).rows).toEqual([]);
  });

  test('leave alone the roles of other databases on the same server', async () => {
    const other = await roleOf(undefined, undefined, await newDatabase('app')).address();
    await server.query(`ALTER ROLE ${nameOf(other)} VALID UNTIL '2020-01-01'`);
    await roleOf().address();
    expect(await roles()).toContain(nameOf(other));
  });

  test('keep their role in date as long as they run, and make it anew where it is gone', async () => {
    const timers = heldTimers();
    const role = roleOf(timers);
    const address = await role.address();
    const name = nameOf(address);
    const isLetIn = () => expect.poll(() => connected(address).then(() => 'in'), { timeout: 10_000 }).toBe('in');
    await server.query(`ALTER ROLE ${name} VALID UNTIL '2020-01-01'`);
    await expect(connected(address)).rejects.toThrow('password authentication failed');
    timers.goOff();
    await isLetIn();
    await server.query(`ALTER ROLE ${name} VALID UNTIL '2020-01-01'`);
    for (const each of await server.query(`SELECT pid FROM pg_stat_activity WHERE usename = '${name}'`))
      await server.query(`SELECT pg_terminate_backend(${each.pid}, 5000)`);
    await roleOf().address();
    expect(await roles()).not.toContain(name);
    timers.goOff();
    await isLetIn();
    await opened(address);
  });
});

describe('an owner who may not make roles', () => {
  test('is told what to run, and either way helps', async () => {
    const mine = await newDatabase('plain');
    const { host } = new URL(mine);
    const where = `${host}${new URL(mine).pathname}`;
    await expect(roleOf(undefined, undefined, mine).address()).rejects.toThrow(
      `PostgreSQL at ${where} does not let the user plain make roles, and scripts need one that cannot reach trades and keys. ` +
        'Run there, as an administrator: ALTER ROLE "plain" CREATEROLE; or else: CREATE ROLE signalbox_scripts LOGIN ' +
        "PASSWORD 'one of your choice'; and set SCRIPT_DATABASE_URL to the same address as DATABASE_URL, with that user and password",
    );
    await server.query(`CREATE ROLE signalbox_scripts LOGIN PASSWORD 'one of your choice'`);
    const given = server.urlOf(new URL(mine).pathname.slice(1), 'signalbox_scripts', 'one of your choice');
    const address = await roleOf(undefined, given, mine).address();
    expect(address).toBe(given);
    expect(await scriptStore(await opened(address)).write(ANN, WRITE)).toMatchObject({ kind: 'written' });
    await server.query('ALTER ROLE plain CREATEROLE');
    await opened(await roleOf(undefined, undefined, mine).address());
    await server.query('ALTER ROLE plain NOCREATEROLE');
  });

  test.each([
    ['the owner', () => url],
    ['a superuser', () => server.urlOf(new URL(url).pathname.slice(1))],
  ])('may not name %s in SCRIPT_DATABASE_URL', async (_, given) => {
    await expect(roleOf(undefined, given()).address()).rejects.toThrow(
      /^SCRIPT_DATABASE_URL reaches more of PostgreSQL at .* than the schema strangers/,
    );
  });

  test('may not name a role that can use another schema', async () => {
    await server.query(`CREATE ROLE wide LOGIN PASSWORD 'p'`);
    await server.query('GRANT USAGE ON SCHEMA trading TO wide', url);
    const given = server.urlOf(new URL(url).pathname.slice(1), 'wide', 'p');
    await expect(roleOf(undefined, given).address()).rejects.toThrow(/reaches more of PostgreSQL/);
    await server.query('REVOKE USAGE ON SCHEMA trading FROM wide', url);
    expect(await roleOf(undefined, given).address()).toBe(given);
  });

  test('is told of a wrong password, and of another database', async () => {
    await server.query(`CREATE ROLE given LOGIN PASSWORD 'p'`);
    const wrong = server.urlOf(new URL(url).pathname.slice(1), 'given', 'q');
    await expect(roleOf(undefined, wrong).address()).rejects.toThrow(
      /^PostgreSQL at .* does not let in SCRIPT_DATABASE_URL; let it in \(pg_hba.conf\), or correct SCRIPT_DATABASE_URL$/,
    );
    const elsewhere = server.urlOf('postgres', 'given', 'p');
    await expect(roleOf(undefined, elsewhere).address()).rejects.toThrow(
      'SCRIPT_DATABASE_URL does not reach the schema strangers; it must name the database of DATABASE_URL',
    );
  });
});
