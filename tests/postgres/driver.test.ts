// The driver of PostgreSQL against a real server: what every engine promises, and what is its own.

import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/adapters/storage/postgres/open-postgres.ts';
import type { SqlDatabase } from '../../src/adapters/storage/sql/sql.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { describeSqlDatabase } from '../ports/sql-database-suite.ts';
import { addItem, ITEMS, labelsOf, migrationsOf, openItems } from '../support/postgres-items.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

let schemas = 0;
/** Made in a tenth of the time that a database takes. */
function newSchema(): string {
  schemas += 1;
  return `things_${schemas}`;
}

const openFresh = (): Promise<SqlDatabase> => openItems(server.url, { schema: newSchema() });

describeSqlDatabase('PostgreSQL', async () => {
  const schema = newSchema();
  const open = () => openPostgres({ url: server.url, schema, migrations: migrationsOf(ITEMS) });
  return { database: await open(), another: open };
});

/** A point in the work of several that the first attempt of each passes only together with the others. */
function meetingOf(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let here = 0;
  return () => {
    here += 1;
    if (here === count) all.resolve();
    return all.promise;
  };
}

/** The work with what it does only the first time. */
function firstTime(work: () => Promise<void>): { (): Promise<void>; times: number } {
  const once = async (): Promise<void> => {
    once.times += 1;
    if (once.times === 1) await work();
  };
  once.times = 0;
  return once;
}

async function twoWriters(): Promise<readonly [SqlDatabase, SqlDatabase]> {
  const schema = newSchema();
  const open = () => openItems(server.url, { schema });
  return [await open(), await open()];
}

describe('texts', () => {
  test('with U+0000 are stored with U+FFFD in its place, in steps and as values of reads', async () => {
    const database = await openFresh();
    await addItem(database, 'a\0b\0');
    expect(await labelsOf(database)).toEqual(['a\uFFFDb\uFFFD']);
    expect(await database.reads.get('SELECT count FROM items WHERE label = ?', 'a\0b\0')).toEqual({ count: 0 });
  });
});

describe('two writers at once', () => {
  test('that change what the other has read: one is run again, and nothing is lost', async () => {
    const writers = await twoWriters();
    await addItem(writers[0], 'a');
    const meet = meetingOf(2);
    const waits = writers.map(() => firstTime(meet));
    const count = (index: 0 | 1) =>
      writers[index].inOneStep(async (sql) => {
        const row = await sql.get("SELECT count FROM items WHERE label = 'a'");
        await waits[index]?.();
        await sql.run("UPDATE items SET count = ? WHERE label = 'a'", Number(row?.count) + 1);
      });
    await Promise.all([count(0), count(1)]);
    expect(await writers[0].reads.get('SELECT count FROM items')).toEqual({ count: 2 });
    expect(waits.map(({ times }) => times).sort()).toEqual([1, 2]);
  });

  test('of which each believes the other has done nothing: only one may be right', async () => {
    const writers = await twoWriters();
    const meet = meetingOf(2);
    const addIfEmpty = (index: 0 | 1) => {
      const waits = firstTime(meet);
      return writers[index].inOneStep(async (sql) => {
        const found = await sql.get('SELECT count(*) AS items FROM items');
        await waits();
        if (found?.items === 0) await sql.run('INSERT INTO items (label) VALUES (?)', `of ${index}`);
      });
    };
    await Promise.all([addIfEmpty(0), addIfEmpty(1)]);
    expect(await labelsOf(writers[0])).toHaveLength(1);
  });

  test('that wait for each other: one is run again', async () => {
    const writers = await twoWriters();
    await addItem(writers[0], 'a');
    await addItem(writers[0], 'b');
    const meet = meetingOf(2);
    const change = (index: 0 | 1, first: string, second: string) => {
      const waits = firstTime(meet);
      const bump = 'UPDATE items SET count = count + 1 WHERE label = ?';
      return writers[index].inOneStep(async (sql) => {
        await sql.run(bump, first);
        await waits();
        await sql.run(bump, second);
      });
    };
    await Promise.all([change(0, 'a', 'b'), change(1, 'b', 'a')]);
    expect(await writers[0].reads.all('SELECT count FROM items')).toEqual([{ count: 2 }, { count: 2 }]);
  });

  test('of which one is always in the way: the other is told after five tries', async () => {
    const [victim, rival] = await twoWriters();
    await addItem(rival, 'a');
    let tries = 0;
    const step = victim.inOneStep(async (sql) => {
      tries += 1;
      await sql.get('SELECT count FROM items');
      await rival.inOneStep((other) => other.run('UPDATE items SET count = count + 1'));
      await sql.run('UPDATE items SET count = 100');
    });
    await expect(step).rejects.toThrow(/too many changes of the same rows at once; try again/);
    expect(tries).toBe(5);
    expect(await rival.reads.get('SELECT count FROM items')).toEqual({ count: 5 });
  });

  test('of which one locks rows for too long: the other is told within seconds', async () => {
    const [victim, rival] = await twoWriters();
    await addItem(rival, 'a');
    const locked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = rival.inOneStep(async (sql) => {
      await sql.run('UPDATE items SET count = 1');
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    await expect(addOne(victim)).rejects.toThrow(/another program has locked for too long/);
    released.resolve();
    await holding;
    await addOne(victim);
    expect(await victim.reads.get('SELECT count FROM items')).toEqual({ count: 2 });
  });

  const addOne = (database: SqlDatabase) => database.inOneStep((sql) => sql.run('UPDATE items SET count = count + 1'));
});

describe('a step', () => {
  test('that goes on after a failed statement is refused, because nothing of it can be kept', async () => {
    const database = await openFresh();
    const step = database.inOneStep(async (sql) => {
      await sql.run("INSERT INTO items (label) VALUES ('a')");
      await sql.run('INSERT INTO nowhere (x) VALUES (1)').catch(() => undefined);
      return 'fine';
    });
    await expect(step).rejects.toThrow(/nowhere/);
    expect(await labelsOf(database)).toEqual([]);
  });

  test('that goes back to a savepoint before the failed statement keeps what came before and after', async () => {
    const database = await openFresh();
    await database.inOneStep(async (sql) => {
      await sql.run("INSERT INTO items (label) VALUES ('before')");
      await sql.run('SAVEPOINT here');
      await sql.run('INSERT INTO nowhere (x) VALUES (1)').catch(() => undefined);
      await sql.run('ROLLBACK TO here');
      await sql.run("INSERT INTO items (label) VALUES ('after')");
    });
    expect(await labelsOf(database)).toEqual(['before', 'after']);
  });

  test('whose statement comes after its end is told so, and the statement is not carried out', async () => {
    const database = await openFresh();
    const late = Promise.withResolvers<() => Promise<number>>();
    await database.inOneStep(async (sql) => late.resolve(() => sql.run("INSERT INTO items (label) VALUES ('late')")));
    await expect((await late.promise)()).rejects.toThrow(/after the end of its step/);
    expect(await labelsOf(database)).toEqual([]);
  });

  test('and a read whose table has got another column meanwhile work as before', async () => {
    const schema = newSchema();
    const database = await openItems(server.url, { schema });
    await addItem(database, 'a');
    const everything = 'SELECT * FROM items';
    const ask = () => Promise.all([database.reads.all(everything), database.inOneStep((sql) => sql.all(everything))]);
    expect(Object.keys((await ask())[0][0] ?? {})).not.toContain('colour');
    await server.query(`ALTER TABLE ${schema}.items ADD COLUMN colour text`);
    for (const rows of await ask()) expect(rows).toMatchObject([{ label: 'a', colour: null }]);
  });

  test('of texts that differ each time leaves no more prepared statements behind than a limit', async () => {
    const database = await openFresh();
    const prepared = await database.inOneStep(async (sql) => {
      for (let index = 0; index < 600; index += 1) await sql.get(`SELECT ${index} AS number, CAST(? AS TEXT)`, 'x');
      return sql.get('SELECT count(*) AS count FROM pg_prepared_statements');
    });
    expect(prepared?.count).toBeGreaterThan(400);
    expect(prepared?.count).toBeLessThanOrEqual(500);
  });
});

test('the marks of writers that were killed long ago are forgotten at the next start, and no younger ones', async () => {
  const schema = newSchema();
  await openItems(server.url, { schema });
  const [now, day] = [Date.now(), 24 * 3600 * 1000];
  await server.query(
    `INSERT INTO ${schema}.writer_marks (writer, step, at) VALUES ('old', 1, ${now - 31 * day}), ('young', 1, ${now - 29 * day})`,
  );
  await openItems(server.url, { schema });
  expect(await server.query(`SELECT writer FROM ${schema}.writer_marks`)).toEqual([{ writer: 'young' }]);
});

describe('migrations', () => {
  const openWith = (schema: string, ...texts: readonly string[]) =>
    openItems(server.url, { schema, migrations: migrationsOf(...texts) });
  /** A schema to which these were applied. */
  const made = async (...texts: readonly string[]): Promise<string> => {
    const schema = newSchema();
    await openWith(schema, ...texts);
    return schema;
  };

  test.each<[what: string, before: (schema: string) => Promise<unknown>]>([
    ['nothing is there', async () => undefined],
    ['an empty schema is there', (schema) => server.query(`CREATE SCHEMA ${schema}`)],
    ['an older version was there', (schema) => openWith(schema, ITEMS)],
  ])('are applied once also when many processes start at the same moment, where %s', async (_, before) => {
    const schema = newSchema();
    await before(schema);
    const open = () => openWith(schema, ITEMS, "INSERT INTO items (label) VALUES ('once')");
    const opened = await Promise.all(Array.from({ length: 8 }, open));
    expect(await labelsOf(opened[7] as SqlDatabase)).toEqual(['once']);
    expect(await opened[0]?.reads.all('SELECT number, name FROM migrations ORDER BY number')).toEqual([
      { number: 1, name: '0001-step.sql' },
      { number: 2, name: '0002-step.sql' },
    ]);
  });

  test('wait for no lock that every role of the database may hold', async () => {
    const schema = newSchema();
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    // The one that versions before this took.
    await other.query(`SELECT pg_advisory_lock(hashtext('signalbox ${schema}'))`);
    let isDone = false;
    const opening = openWith(schema, ITEMS)
      .then(() => openWith(schema, ITEMS, 'CREATE TABLE further (x text)'))
      .then(() => {
        isDone = true;
      });
    const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    await expect.poll(async () => isDone || (await server.query(waiting)).length > 0).toBe(true);
    const wasDone = isDone;
    await other.end();
    await opening;
    expect(wasDone).toBe(true);
  });

  test('that are new are applied at the next start', async () => {
    const schema = await made(ITEMS);
    const database = await openWith(schema, ITEMS, "INSERT INTO items (label) VALUES ('new')");
    expect(await labelsOf(database)).toEqual(['new']);
  });

  test('of a newer Signalbox are refused', async () => {
    const schema = await made(ITEMS, 'CREATE TABLE future (x text)');
    await expect(openWith(schema, ITEMS)).rejects.toThrow(
      /^schema things_\d+ of PostgreSQL at 127\.0\.0\.1:\d+\/postgres was written by a newer Signalbox \(migration 0002-step\.sql\); start that version/,
    );
  });

  test('whose text changed since they were applied are refused', async () => {
    const schema = await made(ITEMS);
    await expect(openWith(schema, `${ITEMS} -- altered`)).rejects.toThrow(
      /another text of migration 0001-step\.sql; this copy of Signalbox was altered: reinstall it/,
    );
  });

  test('that fail half-way are rolled back whole, and the ones before stay', async () => {
    const schema = newSchema();
    const broken = "INSERT INTO items (label) VALUES ('half'); INSERT INTO nowhere VALUES (1);";
    await expect(openWith(schema, ITEMS, broken)).rejects.toThrow(StorageError);
    await expect(openWith(schema, ITEMS, broken)).rejects.toThrow(/nowhere/);
    expect(await labelsOf(await openWith(schema, ITEMS))).toEqual([]);
  });

  test('of two schemas of one database know nothing of each other', async () => {
    const [one, other] = [await openFresh(), await openFresh()];
    await addItem(one, 'a');
    expect(await labelsOf(other)).toEqual([]);
  });

  test('need no right to make a schema once all is there', async () => {
    const schema = await made(ITEMS);
    await server.query(
      `CREATE ROLE user_of_it LOGIN PASSWORD 'its-own'; GRANT USAGE ON SCHEMA ${schema} TO user_of_it;
       GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO user_of_it`,
    );
    const database = await openItems(server.urlOf('postgres', 'user_of_it', 'its-own'), { schema });
    await addItem(database, 'a');
    expect(await labelsOf(database)).toEqual(['a']);
  });
});
