// The second wall of POST /query on PostgreSQL: the role it runs as can reach the schema `query` and nothing else, whatever
// it is given to run.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/adapters/storage/postgres/open-postgres.ts';
import { readPostgresAddress } from '../../src/adapters/storage/postgres/postgres-address.ts';
import { openPostgresQueries } from '../../src/adapters/storage/postgres/query/open-queries.ts';
import { prepareWrite, runRead } from '../../src/adapters/storage/postgres/query/run-statement.ts';
import { checkStatement } from '../../src/adapters/storage/sql/query/check-statement.ts';
import type { Ran } from '../../src/adapters/storage/sql/query/messages.ts';
import { READABLE, WRITABLE } from '../../src/adapters/storage/sql/query/policy.ts';
import { type AskedGateway, CANARY, storeFive, valuesFor } from '../query/asking.ts';
import { SYNTAX_ATTACKS } from '../query/attacks.ts';
import { damagedStatement, statement } from '../query/grammar.ts';
import { REACH_ATTACKS } from '../query/reach-attacks.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { digestOf, queryOnPostgres } from '../support/query-on-postgres.ts';

let server: PostgresServer;
let gateway: AskedGateway;
/** The database of the gateway, as its owner and as the role that was made for queries. */
let url: string;
let roleUrl: string;
let untouched: string;

const ROLES = "SELECT rolname FROM pg_roles WHERE rolname ~ '^signalbox_query_[0-9]+_[0-9a-f]{12}$' ORDER BY 1";
const digest = (): Promise<string> => digestOf(url, [`trading.${WRITABLE}`]);

beforeAll(async () => {
  server = await startPostgres();
  const engine = queryOnPostgres(() => server);
  gateway = await engine.open();
  url = engine.urlOf(gateway);
  for (const schema of ['owner', 'strangers']) {
    const migrations = new URL(`../../src/adapters/storage/postgres/migrations/${schema}/`, import.meta.url);
    await (await openPostgres({ url, schema, migrations })).close();
  }
  await gateway.send();
  await storeFive(gateway);
  await engine.plantCanaries(gateway);
  // Its password is known to nobody but the gateway, so it gets another one.
  const [{ rolname } = {}] = await server.query(ROLES);
  const password = randomBytes(8).toString('hex');
  await server.query(`ALTER ROLE ${rolname} PASSWORD '${password}'`);
  roleUrl = server.urlOf(readPostgresAddress(url).database, String(rolname), password);
  untouched = await digest();
});

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: roleUrl });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The code of the fault, or `done`; what is returned must not hold what is kept from it. */
async function ask(client: pg.Client, texts: readonly string[]): Promise<string> {
  try {
    for (const text of texts) {
      const { rows } = await client.query(text);
      expect(JSON.stringify(rows ?? [])).not.toContain(CANARY);
    }
    return 'done';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return code;
  }
}

async function asRole(...texts: readonly string[]): Promise<string> {
  const client = await connected();
  try {
    return await ask(client, texts);
  } finally {
    await client.end();
  }
}

describe('the schema query', () => {
  it('shows exactly the columns on the list', async () => {
    const shown = await server.query(
      `SELECT table_name AS name, json_agg(column_name ORDER BY ordinal_position) AS columns
         FROM information_schema.columns WHERE table_schema = 'query' GROUP BY 1`,
      url,
    );
    expect(Object.fromEntries(shown.map(({ name, columns }) => [name, columns]))).toEqual(READABLE);
  });

  it('lets its role write trade_signals, and of that no number of its own', async () => {
    expect(await asRole('BEGIN READ WRITE', 'UPDATE query.trade_signals SET source = source', 'ROLLBACK')).toBe('done');
    const chosen = 'INSERT INTO query.trade_signals (seq, signal_id) VALUES (99, 1)';
    expect(await asRole('BEGIN READ WRITE', chosen)).toBe('42501');
    for (const seq of ['1000000', '9223372036854775807', '0', '-1'])
      expect(await asRole('BEGIN READ WRITE', `UPDATE query.trade_signals SET seq = ${seq} WHERE seq = 1`)).toBe(
        'SB003',
      );
    for (const table of Object.keys(READABLE).filter((name) => name !== WRITABLE))
      expect(await asRole('BEGIN READ WRITE', `DELETE FROM query.${table}`)).toMatch(/^(?:42501|55000)$/);
  });
});

describe('the role of queries', () => {
  it('cannot read any table of any other schema', async () => {
    const tables = await server.query(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ('trading', 'owner', 'strangers')`,
      url,
    );
    expect(tables.length).toBeGreaterThan(50);
    const client = await connected();
    for (const { name } of tables)
      expect([name, await ask(client, [`SELECT * FROM ${name}`])]).toEqual([name, '42501']);
    await client.end();
    for (const view of ['trading.fills', 'trading.events', 'trading.current_trades'])
      expect(await asRole(`SELECT * FROM ${view}`)).toBe('42501');
  });

  it.each([
    ['SELECT * FROM pg_authid', '42501'],
    ['SELECT * FROM pg_shadow', '42501'],
    ['SELECT * FROM pg_user_mapping', '42501'],
    ['SELECT * FROM pg_statistic', '42501'],
    ["SELECT pg_read_file('/etc/passwd')", '42501'],
    ["SELECT pg_read_binary_file('PG_VERSION')", '42501'],
    ["SELECT pg_ls_dir('.')", '42501'],
    ["SELECT pg_stat_file('.')", '42501'],
    ["SELECT lo_import('/etc/passwd')", '42501'],
    ["SELECT lo_export(1, '/tmp/x')", '42501'],
    ["COPY query.trades TO '/tmp/x'", '42501'],
    ["COPY query.trades TO PROGRAM 'cat'", '42501'],
    ["COPY query.trade_signals FROM '/etc/passwd'", '42501'],
    ['COPY trading.outbox TO STDOUT', '42501'],
    ['SET ROLE postgres', '42501'],
    ['SET SESSION AUTHORIZATION postgres', '42501'],
    ["SELECT set_config('role', 'postgres', false)", '42501'],
    ["SELECT set_config('session_authorization', 'postgres', false)", '42501'],
    ['CREATE EXTENSION dblink', '42501'],
    ["SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t (a integer)", '42883'],
    ['CREATE ROLE another', '42501'],
    ['CREATE DATABASE another', '42501'],
    ['CREATE SCHEMA another', '42501'],
    ['CREATE TABLE query.another (a integer)', '42501'],
    ['CREATE TABLE public.another (a integer)', '42501'],
    ['CREATE FUNCTION query.another() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$', '42501'],
    ['ALTER VIEW query.trades RENAME TO x', '42501'],
    ['DROP VIEW query.trades', '42501'],
    ['DROP SCHEMA query CASCADE', '42501'],
    ['DROP SCHEMA trading CASCADE', '42501'],
    ['TRUNCATE query.trade_signals', '42809'],
    ['TRUNCATE trading.trade_signals', '42501'],
    ["ALTER SYSTEM SET fsync = 'off'", '42501'],
    ['SELECT pg_reload_conf()', '42501'],
    ['SELECT pg_switch_wal()', '42501'],
    ['SELECT pg_promote()', '42501'],
    ["SELECT query_to_xml('SELECT * FROM trading.outbox', true, true, '')", '42501'],
    ["DO $$ BEGIN EXECUTE 'SELECT * FROM trading.outbox'; END $$", '42501'],
    ["SELECT nextval('trading.trade_signals_seq_seq')", '42501'],
    ["SELECT setval('trading.trade_signals_seq_seq', 1)", '42501'],
  ])('may not: %s', async (text, code) => {
    expect(await asRole('SET default_transaction_read_only = off', text)).toBe(code);
  });

  it('may not end the sessions of others', async () => {
    const others =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $$postgres$$ AND pid <> pg_backend_pid()';
    expect(await asRole(others)).toBe('42501');
  });

  it('writes nothing in a transaction for queries', async () => {
    const client = await connected();
    await expect(client.query('DELETE FROM query.trade_signals')).rejects.toMatchObject({ code: '25006' });
    await expect(client.query('SELECT lo_create(0)')).rejects.toMatchObject({ code: '25006' });
    await client.end();
  });

  it('gives nothing away and changes nothing for any attack, without the first wall', async () => {
    const client = await connected();
    // One of them counts to a thousand million.
    await client.query('SET statement_timeout = 200');
    // Where names lead to what is kept from it.
    await client.query('SET search_path = query, trading, owner, strangers');
    for (const { query } of [...SYNTAX_ATTACKS, ...REACH_ATTACKS]) {
      let place = 0;
      const text = query.replaceAll('\0', '').replace(/\?/g, () => {
        place += 1;
        return place % 2 === 0 ? 'NULL' : "'x'";
      });
      await ask(client, ['BEGIN READ WRITE', text, 'COMMIT']);
      await client.query('ROLLBACK');
    }
    await client.end();
    expect(await digest()).toBe(untouched);
  });
});

describe('both walls', () => {
  it('let no random statement through that reaches anything, and the second has nothing to refuse', async () => {
    const database = readPostgresAddress(roleUrl);
    const limits = { maxRows: 1000, maxBytes: 1024 * 1024, readMs: 5000, writeMs: 5000 };
    let done = 0;
    const run = async (sql: string): Promise<Ran | undefined> => {
      const params = valuesFor(sql);
      const verdict = checkStatement(sql, params.length);
      if (!verdict.ok) return undefined;
      const job = { database, statement: verdict.statement, sql: verdict.sql, params, limits };
      if (verdict.statement === 'SELECT') return runRead(job);
      const prepared = await prepareWrite(job);
      const ran = 'run' in prepared ? await prepared.run() : prepared;
      return 'commit' in ran ? await ran.commit() : ran;
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(statement, damagedStatement), async (sql) => {
        const ran = await run(sql);
        if (ran === undefined) return;
        if (ran.kind === 'done') done += 1;
        const said = ran.kind === 'done' ? Buffer.concat(ran.resultsJson).toString() : ran.reason;
        expect(said).not.toContain(CANARY);
        if (ran.kind === 'refused') expect(said).toContain('not on PostgreSQL');
        expect([sql, ran.kind]).not.toEqual([sql, 'failed']);
      }),
      { numRuns: 200 },
    );
    expect(done).toBeGreaterThan(0);
    expect(await digest()).toBe(untouched);
  });
});

describe('a start', () => {
  it('makes a role of its own, and the end removes it', async () => {
    const before = await server.query(ROLES);
    const [first, second] = await Promise.all([openPostgresQueries({ url }), openPostgresQueries({ url })]);
    expect(await server.query(ROLES)).toHaveLength(before.length + 2);
    for (const queries of [first, second]) expect(await queries?.run('SELECT 1', [])).toMatchObject({ kind: 'done' });
    await first?.close();
    expect(await second?.run('SELECT 1', [])).toMatchObject({ kind: 'done' });
    await second?.close();
    expect(await server.query(ROLES)).toEqual(before);
  });

  it('waits for no lock that every role of the database may hold, such as its own role', async () => {
    const other = await connected();
    await other.query("SELECT pg_advisory_lock(hashtext('signalbox query'))");
    const queries = await openPostgresQueries({ url });
    await queries.close();
    await other.end();
  });

  it('lets its role have four connections and no more, and log in for three days at most', async () => {
    const before = (await server.query(ROLES)).map(({ rolname }) => rolname);
    const queries = await openPostgresQueries({ url });
    closeAtEnd(() => queries.close());
    const made = (await server.query(ROLES)).filter(({ rolname }) => !before.includes(rolname));
    expect(made).toHaveLength(1);
    const limits = await server.query(`SELECT rolconnlimit, rolvaliduntil > now() + interval '2 days' AS "isLong",
      rolvaliduntil <= now() + interval '3 days' AS "isOver" FROM pg_roles WHERE rolname = '${made[0]?.rolname}'`);
    expect(limits).toEqual([{ rolconnlimit: 4, isLong: true, isOver: true }]);
  });

  it('removes roles of processes that ended long ago', async () => {
    const [{ rolname } = {}] = await server.query(ROLES);
    const left = `${String(rolname).slice(0, -12)}0123456789ab`;
    await server.query(`CREATE ROLE ${left} LOGIN VALID UNTIL '2020-01-01'`);
    const queries = await openPostgresQueries({ url });
    expect((await server.query(ROLES)).map((role) => role.rolname)).not.toContain(left);
    await queries.close();
  });

  it('asks for another role where the owner may make none, and takes one that can reach nothing else', async () => {
    await server.query(`CREATE ROLE small_owner LOGIN PASSWORD 'p'; CREATE ROLE reader LOGIN PASSWORD 'r'`);
    const database = `small_${randomBytes(4).toString('hex')}`;
    await server.query(`CREATE DATABASE ${database} OWNER small_owner`);
    const owned = server.urlOf(database, 'small_owner', 'p');
    const migrations = new URL('../../src/adapters/storage/postgres/migrations/trading/', import.meta.url);
    await (await openPostgres({ url: owned, schema: 'trading', migrations })).close();
    await expect(openPostgresQueries({ url: owned })).rejects.toThrow(
      /give it CREATEROLE .*, or .* QUERY_DATABASE_URL/,
    );
    const queries = await openPostgresQueries({ url: owned, queryUrl: server.urlOf(database, 'reader', 'r') });
    closeAtEnd(() => queries.close());
    const insert =
      'INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source) VALUES (?, 1, ?, ?, ?)';
    expect(await queries.run(insert, ['a', 'b', 'c', 'd'])).toMatchObject({ kind: 'done', changes: 1, lastRowId: 1n });
    await expect(openPostgresQueries({ url: owned, queryUrl: owned })).rejects.toThrow(
      /can reach more than the schema query/,
    );
    await server.query('GRANT USAGE ON SCHEMA trading TO reader', server.urlOf(database));
    await expect(openPostgresQueries({ url: owned, queryUrl: server.urlOf(database, 'reader', 'r') })).rejects.toThrow(
      /can reach more than the schema query \(trading\)/,
    );
  });

  it('needs no more of the owner than that he may make roles', async () => {
    await server.query(`CREATE ROLE maker LOGIN CREATEROLE PASSWORD 'm'`);
    await server.query('CREATE DATABASE made OWNER maker');
    await server.query('REVOKE CONNECT ON DATABASE made FROM PUBLIC');
    const owned = server.urlOf('made', 'maker', 'm');
    const migrations = new URL('../../src/adapters/storage/postgres/migrations/trading/', import.meta.url);
    await (await openPostgres({ url: owned, schema: 'trading', migrations })).close();
    const before = await server.query(ROLES);
    const queries = await openPostgresQueries({ url: owned });
    expect(await queries.run('SELECT count(*) FROM trades', [])).toMatchObject({ kind: 'done', rows: 1 });
    await queries.close();
    expect(await server.query(ROLES)).toEqual(before);
    // What is there already is taken as it is.
    const again = await openPostgresQueries({ url: owned });
    expect(await again.run('DELETE FROM trade_signals', [])).toMatchObject({ kind: 'done', changes: 0 });
    await again.close();
  });

  it('leaves a schema of somebody else alone', async () => {
    const other = await server.newDatabase();
    const migrations = new URL('../../src/adapters/storage/postgres/migrations/trading/', import.meta.url);
    await (await openPostgres({ url: other, schema: 'trading', migrations })).close();
    await server.query('CREATE SCHEMA query; CREATE TABLE query.mine (a integer)', other);
    await expect(openPostgresQueries({ url: other })).rejects.toThrow(/a schema query that is not Signalbox/);
    expect(await server.query('SELECT * FROM query.mine', other)).toEqual([]);
  });
});
