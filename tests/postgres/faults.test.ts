// What a person reads when PostgreSQL cannot be used: what is wrong, and the remedy; never the password.

import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import { freePort } from '../support/launched-server.ts';
import { addItem, ITEMS, migrationsOf, openItems } from '../support/postgres-items.ts';
import { POSTGRES_PASSWORD, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { makeSelfSigned } from '../support/self-signed.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

/** What is told; nothing of it, nor of its stack, may hold the password. */
async function toldBy(work: Promise<unknown>, password = POSTGRES_PASSWORD): Promise<string> {
  const error = await work.then(
    () => new Error('nothing was told'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StorageError);
  const { message, stack, cause } = error as Error;
  for (const text of [message, stack, String(cause), (cause as Error | undefined)?.stack])
    expect(text ?? '').not.toContain(password);
  return message;
}

const openFault = (url: string) => toldBy(openItems(url));

describe('a PostgreSQL that cannot be opened says why', () => {
  test('nobody listens there', async () => {
    const port = await freePort();
    expect(await openFault(`postgres://user:${POSTGRES_PASSWORD}@127.0.0.1:${port}/database`)).toBe(
      `PostgreSQL at 127.0.0.1:${port}/database cannot be reached (ECONNREFUSED); start it, or correct DATABASE_URL`,
    );
  });

  test('no such host', async () => {
    expect(await openFault(`postgres://user:${POSTGRES_PASSWORD}@nowhere.invalid/database`)).toMatch(
      /^PostgreSQL at nowhere\.invalid:5432\/database cannot be reached \((?:ENOTFOUND|EAI_AGAIN)\)/,
    );
  });

  test.each(['wrong-password', ''])('the password is wrong: "%s"', async (password) => {
    const told = await toldBy(openItems(server.urlOf('postgres', 'postgres', password)), 'wrong-password');
    expect(told).toMatch(/\/postgres refuses the user name or password; correct DATABASE_URL$/);
  });

  test('no such user', async () => {
    expect(await openFault(server.urlOf('postgres', 'stranger'))).toMatch(/refuses the user name or password/);
  });

  test('no such database', async () => {
    expect(await openFault(server.urlOf('absent'))).toMatch(
      /\/absent has no such database; create it \(CREATE DATABASE\), or correct DATABASE_URL$/,
    );
  });

  test('no permission', async () => {
    await server.query(`CREATE ROLE guest LOGIN PASSWORD '${POSTGRES_PASSWORD}'`);
    expect(await openFault(server.urlOf('postgres', 'guest'))).toMatch(
      /does not allow its user what Signalbox needs; make that user the owner of the database/,
    );
  });

  test('too many connections', async () => {
    await server.query(`CREATE ROLE crowd LOGIN PASSWORD '${POSTGRES_PASSWORD}' CONNECTION LIMIT 0`);
    expect(await openFault(server.urlOf('postgres', 'crowd'))).toMatch(
      /has too many connections; raise its max_connections, or end other programs/,
    );
  });

  test.each([
    ['synchronous_commit', 'off'],
    ['default_transaction_read_only', 'on'],
  ])('the database has %s = %s', async (setting, value) => {
    const url = await server.newDatabase();
    await server.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting} = ${value}`);
    expect(await openFault(url)).toMatch(
      value === 'on'
        ? /is a standby or set to read-only and takes no writes; set DATABASE_URL to the primary/
        : /has synchronous_commit off, so that a crash could lose answered signals; turn it on$/,
    );
  });

  test.each(['local', 'remote_write'])('a synchronous replica, and synchronous_commit = %s', async (value) => {
    const url = await server.newDatabase();
    await server.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${value}`);
    // Without a replica there is nobody to wait for.
    await (await openItems(url)).close();
    await server.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
    await server.query('SELECT pg_reload_conf()');
    try {
      await expect
        .poll(() => openFault(url))
        .toMatch(
          new RegExp(`synchronous_commit=${value}, so that a fail-over could lose answered signals; set it to on$`),
        );
    } finally {
      await server.query('ALTER SYSTEM RESET synchronous_standby_names');
      await server.query('SELECT pg_reload_conf()');
    }
  });

  test('its texts are of another encoding', async () => {
    await server.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    expect(await openFault(server.urlOf('latin'))).toMatch(/keeps its texts as LATIN1; make the database anew/);
  });

  test('TLS is asked for, and it has none', async () => {
    expect(await openFault(`${server.url}?sslmode=require`)).toMatch(/does not speak TLS; turn it on there/);
  });
});

describe('a PostgreSQL that fails later says why', () => {
  test.each([
    ['53100', /has no space left on its disk; free some space there$/],
    ['53200', /has no memory left/],
    ['25006', /takes no writes; set DATABASE_URL to the primary$/],
    ['58030', /failed to read or write its disk/],
    ['XX001', /found its data damaged; look at its log, and restore a backup$/],
    ['P0001', /refused a statement \(P0001: as the test wishes\); look at its log$/],
  ])('%s', async (code, words) => {
    const raise = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'as the test wishes' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON items EXECUTE FUNCTION refuse()`;
    const database = await openItems(server.url, {
      schema: `refuses_${code}`.toLowerCase(),
      migrations: migrationsOf(`${ITEMS}; ${raise}`),
    });
    expect(await toldBy(addItem(database, 'a'))).toMatch(words);
  });

  test('a statement that takes too long', async () => {
    const database = await openItems(server.url);
    const slow = database.inOneStep((sql) => sql.get('SELECT pg_sleep(20)'));
    expect(await toldBy(slow)).toMatch(/took too long for a statement; see whether it is overloaded$/);
    await addItem(database, 'a');
  });

  test('it shuts down and waits for others to leave', async () => {
    const own = await startPostgres();
    const other = new pg.Client({ connectionString: own.url });
    other.on('error', () => {});
    await other.connect();
    const database = await openItems(own.url);
    own.stopWhenUnused();
    await expect.poll(() => toldBy(openItems(own.url))).toMatch(/is shutting down or just starting; wait a little/);
    await other.end();
    await database.close();
  });
});

describe('a server that would lose commits is refused', () => {
  test.each(['fsync', 'full_page_writes'])('%s off', async (setting) => {
    const own = await startPostgres({ [setting]: 'off' });
    expect(await openFault(own.url)).toMatch(new RegExp(`has ${setting} off, so that a crash could lose`));
  });

  test('both are named', async () => {
    const own = await startPostgres({ fsync: 'off', full_page_writes: 'off' });
    expect(await openFault(own.url)).toMatch(/has fsync and full_page_writes off, .*; turn them on$/);
  });

  test('a standby', async () => {
    const own = await startPostgres();
    await own.stop();
    writeFileSync(join(own.folder, 'standby.signal'), '');
    await own.restart();
    expect(await openFault(own.url)).toMatch(/is a standby and takes no writes; set DATABASE_URL to the primary$/);
  });
});

test('over TLS: encrypted with sslmode=require, and refused with verify-full where nobody vouches for it', async () => {
  const own = await startPostgres();
  await own.stop();
  const { certificate, privateKey } = makeSelfSigned();
  const { uid, gid } = statSync(own.folder);
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', privateKey],
  ] as const) {
    const path = join(own.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    chownSync(path, uid, gid);
  }
  await own.restart({ ssl: 'on' });
  const database = await openItems(`${own.url}?sslmode=require`);
  expect(await database.reads.get('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual({ ssl: 1 });
  expect(await openFault(`${own.url}?sslmode=verify-full`)).toMatch(
    /cannot be trusted \([A-Z_]+\); correct DATABASE_URL, or name its authority in NODE_EXTRA_CA_CERTS$/,
  );
});
