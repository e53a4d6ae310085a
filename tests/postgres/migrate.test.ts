// A whole instance copied from SQLite files into PostgreSQL and back: every table, every kind of value, and interrupted at every page.

import { cpSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { postgresReadSide } from '../../src/adapters/storage/postgres/copy-side.ts';
import { openForCopies } from '../../src/adapters/storage/postgres/move-target.ts';
import { openOwnerStorage } from '../../src/adapters/storage/postgres/owner.ts';
import { carriedTables, TABLES_OF_SQLITE } from '../../src/adapters/storage/sql/copy/carried-tables.ts';
import { type PageLimits, readPage } from '../../src/adapters/storage/sql/copy/pages.ts';
import type { Table } from '../../src/adapters/storage/sql/copy/sides.ts';
import { openSqliteReadSide } from '../../src/adapters/storage/sqlite/copy-side.ts';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { OWNER, STRANGERS, TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import {
  type CopyProgress,
  copyToPostgres,
  copyToSqliteFolder,
  databasesOf,
} from '../../src/composition/instance-copies.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { preparedDataDir } from '../support/prepared-data-dir.ts';
import { freshDataDir } from '../support/process.ts';
import { fillEveryTable } from '../support/rows-of-every-kind.ts';
import { STRIDE } from '../support/thorough.ts';

const ROWS = 20;
const TWIN = join('twin', 'live');
/** So many pages that each table has several. */
const SMALL = { rows: 7, bytes: 4000 };

let server: PostgresServer;
let folder: string;
let rowsOf: Readonly<Record<string, number>>;

beforeAll(async () => {
  server = await startPostgres();
  folder = freshDataDir();
  const filled: Record<string, number> = {};
  for (const { name, migrations } of [TRADING, OWNER, STRANGERS]) {
    openMigrated(join(folder, name), migrations).close();
    Object.assign(filled, await fillEveryTable(join(folder, name), ROWS));
  }
  // By it an instance is known again.
  change(join(folder, TRADING.name), `UPDATE desk_event_epochs SET id = 'run ' || first_seq`);
  rowsOf = filled;
});

/** Every row of every database, as PostgreSQL can hold it. */
function everyRow(dataDir: string): Readonly<Record<string, readonly string[]>> {
  const rows: Record<string, readonly string[]> = {};
  for (const { path } of databasesOf(dataDir)) {
    const db = new DatabaseSync(path, { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables.filter((each) => !TABLES_OF_SQLITE.includes(String(each.name))))
      rows[`${relative(dataDir, path)} ${name}`] = db
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => JSON.stringify(Object.entries(row).sort(), asPostgresHasIt))
        .sort();
    db.close();
  }
  return rows;
}

const asPostgresHasIt = (_: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
};

async function backAgain(url: string): Promise<string> {
  const back = freshDataDir();
  await copyToSqliteFolder({ url, folder: back, withTwins: true });
  return back;
}

describe('an instance with rows of every kind in every table', () => {
  test('has some in each table that either engine has', async () => {
    const url = await server.newDatabase();
    await copyToPostgres({ dataDir: folder, url });
    const { connection, where } = await openForCopies(url);
    closeAtEnd(() => connection.close());
    const carried = new Set<string>();
    for (const { path, schema } of databasesOf(folder)) {
      const file = openSqliteReadSide(path);
      for (const { name } of await carriedTables(file, postgresReadSide({ connection, where, schema })))
        carried.add(name);
      file.close();
    }
    expect(carried.size).toBeGreaterThan(50);
    expect([...carried].filter((name) => (rowsOf[name] ?? 0) === 0)).toEqual([]);
  });

  test('comes back as it was', async () => {
    const url = await server.newDatabase();
    const dataDir = copyOfFolder();
    mkdirSync(join(dataDir, TWIN), { recursive: true });
    cpSync(join(folder, TRADING.name), join(dataDir, TWIN, TRADING.name));
    const { databases, rowsFoundThere } = await copyToPostgres({ dataDir, url, limits: SMALL });
    expect(databases.map(({ name }) => name)).toEqual(['trading', 'owner', 'strangers', 'twin_live']);
    expect(rowsFoundThere).toBe(0);
    const before = everyRow(dataDir);
    expect(Object.keys(before)).toContain('twin/live/signalbox.db trades');
    expect(everyRow(await backAgain(url))).toEqual(before);
  });
});

/** Ends a copy behind its page of this number, as a lost connection would. */
const interruptedAfter = (pages: number) => {
  let left = pages;
  return () => {
    left -= 1;
    if (left === 0) throw new StorageError('interrupted');
  };
};

const copyOfFolder = (): string => {
  const copy = freshDataDir();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
};

/** A part of the folder is there, and no more. */
async function copyInPart(dataDir: string, pages = 40): Promise<string> {
  const url = await server.newDatabase();
  const onPage = interruptedAfter(pages);
  await expect(copyToPostgres({ dataDir, url, limits: SMALL, onPage })).rejects.toThrow(
    'interrupted; what is copied stays, and the next run goes on behind it',
  );
  return url;
}

const change = (path: string, sql: string): void => {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
};

describe('a copy that is interrupted', () => {
  test('at every page goes on behind it, and nothing is lost or doubled', async () => {
    const url = await server.newDatabase();
    const found: number[] = [];
    for (let pages = 1; ; pages += STRIDE) {
      const onPage = interruptedAfter(STRIDE);
      const copied = await copyToPostgres({ dataDir: folder, url, limits: { rows: 9, bytes: 1e6 }, onPage }).catch(
        (error: Error) => {
          if (!error.message.startsWith('interrupted')) throw error;
        },
      );
      if (copied === undefined) continue;
      found.push(pages, copied.rowsFoundThere);
      break;
    }
    expect(found[0]).toBeGreaterThan(100);
    expect(found[1]).toBeGreaterThan(1000);
    expect(everyRow(await backAgain(url))).toEqual(everyRow(folder));
  });

  test('in the midst of a page has nothing of it', async () => {
    const url = await copyInPart(folder);
    // The last thing of a page is how far it is.
    await server.query(
      `CREATE FUNCTION signalbox_move.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON signalbox_move.progress FOR EACH ROW WHEN (NEW.table_name = 'usage')
        EXECUTE FUNCTION signalbox_move.fail()`,
      url,
    );
    await expect(copyToPostgres({ dataDir: folder, url })).rejects.toThrow(/a page of usage .*broken/);
    expect(await server.query('SELECT * FROM strangers.usage', url)).toEqual([]);
    await server.query('DROP TRIGGER fail ON signalbox_move.progress', url);
    await copyToPostgres({ dataDir: folder, url });
    expect(everyRow(await backAgain(url))).toEqual(everyRow(folder));
  });

  test('behind a key that PostgreSQL cannot hold goes on behind that key', async () => {
    const dataDir = await preparedDataDir();
    const add = (name: string): string => `INSERT INTO settings VALUES ('k' || char(${name}), '', 1)`;
    change(join(dataDir, OWNER.name), ['0', '1', '2'].map(add).join(';'));
    const url = await server.newDatabase();
    const onPage = (table: string): void => {
      if (table === 'settings') throw new StorageError('interrupted');
    };
    const limits = { rows: 1, bytes: 1e6 };
    await expect(copyToPostgres({ dataDir, url, limits, onPage })).rejects.toThrow('interrupted');
    await copyToPostgres({ dataDir, url, limits });
    expect(everyRow(await backAgain(url))).toEqual(everyRow(dataDir));
  });

  test('by the crash of PostgreSQL goes on when that is back', async () => {
    const url = await server.newDatabase();
    let killed: Promise<void> | undefined;
    let rowsTold = 0;
    const onPage = (table: string, rows: number): void => {
      rowsTold += rows;
      if (table === 'refusals') killed ??= server.kill();
    };
    await expect(copyToPostgres({ dataDir: folder, url, limits: SMALL, onPage })).rejects.toThrow(
      /PostgreSQL at .*; what is copied stays, and the next run goes on behind it/,
    );
    await killed;
    await server.restart();
    expect((await copyToPostgres({ dataDir: folder, url })).rowsFoundThere).toBeGreaterThanOrEqual(rowsTold);
    expect(rowsTold).toBeGreaterThan(0);
    expect(everyRow(await backAgain(url))).toEqual(everyRow(folder));
  });

  test('is waited for until its last page is over', async () => {
    const url = await copyInPart(folder);
    let isOver = false;
    // As a server does whose client was killed in the midst of a statement.
    const last = server.query(`SELECT pg_advisory_lock(hashtext('signalbox_move')), pg_sleep(1)`, url).then(() => {
      isOver = true;
    });
    await expect
      .poll(() => server.query(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`, url))
      .toEqual([{ count: '1' }]);
    await copyToPostgres({ dataDir: folder, url, onPage: () => expect(isOver).toBe(true) });
    await last;
  });

  test('is no database to be opened', async () => {
    const url = await copyInPart(folder);
    await expect(openOwnerStorage(url)).rejects.toThrow(/holds an instance in part.* "signalbox migrate" again/);
    await expect(copyToSqliteFolder({ url, folder: freshDataDir(), withTwins: true })).rejects.toThrow(/in part/);
  });

  test('begins anew where the folder was used since', async () => {
    const dataDir = copyOfFolder();
    const url = await copyInPart(dataDir);
    // Both are there already.
    change(join(dataDir, TRADING.name), `UPDATE daily_reports SET at = 5; DELETE FROM desk_events WHERE seq < 4`);
    const { rowsFoundThere } = await copyToPostgres({ dataDir, url });
    expect(rowsFoundThere).toBe(0);
    expect(everyRow(await backAgain(url))).toEqual(everyRow(dataDir));
  });

  test('of another instance is left alone', async () => {
    const url = await copyInPart(folder);
    const dataDir = copyOfFolder();
    change(join(dataDir, TRADING.name), `UPDATE desk_event_epochs SET id = id || 'x'`);
    await expect(copyToPostgres({ dataDir, url })).rejects.toThrow(/a part of another instance/);
    expect((await copyToPostgres({ dataDir: folder, url })).rowsFoundThere).toBeGreaterThan(0);
  });
});

test('a page ends at so many rows, or so many bytes, and has one row at least', async () => {
  const path = join(freshDataDir(), 'long.db');
  change(path, `CREATE TABLE long (id INTEGER PRIMARY KEY, text TEXT) STRICT`);
  change(path, `INSERT INTO long VALUES (1, 'ab'), (2, 'cd'), (3, printf('%.*c', 900, 'x')), (4, ''), (5, NULL)`);
  const side = openSqliteReadSide(path);
  closeAtEnd(async () => side.close());
  const [table] = await side.tables();
  const idsOf = async (limits: PageLimits): Promise<number[][]> => {
    const pages: number[][] = [];
    for (let isEnd = false; !isEnd; ) {
      const page = await readPage(side, table as Table, pages.at(-1)?.slice(-1), limits);
      if (page.rows.length > 0) pages.push(page.rows.map(([id]) => Number(id)));
      isEnd = page.isEnd;
    }
    return pages;
  };
  expect(await idsOf({ rows: 2, bytes: 1e6 })).toEqual([[1, 2], [3, 4], [5]]);
  expect(await idsOf({ rows: 5, bytes: 1e6 })).toEqual([[1, 2, 3, 4, 5]]);
  expect(await idsOf({ rows: 9, bytes: 100 })).toEqual([[1, 2], [3], [4, 5]]);
  expect(await idsOf({ rows: 9, bytes: 0 })).toEqual([[1], [2], [3], [4], [5]]);
});

describe('a copy', () => {
  test('that does not hold the same is refused with the table, and the next run begins anew', async () => {
    const url = await server.newDatabase();
    let isChanged = Promise.resolve<unknown>(undefined);
    const onPage = (table: string): void => {
      // One character of one row, behind the back of everybody.
      if (table === 'settings') isChanged = server.query(`UPDATE trading.trades SET comment = 'x' WHERE seq = 9`, url);
    };
    const copying = copyToPostgres({ dataDir: folder, url, onPage });
    await expect(copying).rejects.toThrow(
      /^trades has 20 rows, but not with the same values in .*run this again, it begins anew/,
    );
    await isChanged;
    await copyToPostgres({ dataDir: folder, url });
    expect(everyRow(await backAgain(url))).toEqual(everyRow(folder));
  });

  test('goes into no database that has an instance', async () => {
    const url = await server.newDatabase();
    await copyToPostgres({ dataDir: folder, url });
    const before = await server.query('SELECT count(*) FROM trading.trades', url);
    await expect(copyToPostgres({ dataDir: copyOfFolder(), url })).rejects.toThrow(
      /holds an instance already \(there are rows in trading\.\w+\), so nothing was done; name an empty database/,
    );
    expect(await server.query('SELECT count(*) FROM trading.trades', url)).toEqual(before);
  });

  test('is refused where somebody writes to the folder meanwhile', async () => {
    const dataDir = copyOfFolder();
    const url = await server.newDatabase();
    const onPage = (table: string): void => {
      if (table === 'usage') change(join(dataDir, OWNER.name), `UPDATE settings SET updated_at = 7`);
    };
    await expect(copyToPostgres({ dataDir, url, onPage })).rejects.toThrow(/^settings has 20 rows, but not/);
    let isCompared = false;
    const onProgress = ({ step }: CopyProgress): void => {
      // What was compared first.
      if (step === 'compared' && !isCompared)
        change(join(dataDir, TRADING.name), `UPDATE archive_mark SET complete_from = 7`);
      isCompared ||= step === 'compared';
    };
    await expect(copyToPostgres({ dataDir, url, onProgress })).rejects.toThrow(
      /signalbox\.db was changed while it was copied/,
    );
    await copyToPostgres({ dataDir, url });
    expect(everyRow(await backAgain(url))).toEqual(everyRow(dataDir));
  });

  test('of two rows that PostgreSQL cannot tell apart says so', async () => {
    const dataDir = copyOfFolder();
    change(join(dataDir, OWNER.name), `UPDATE webhook_keys SET label = 'mine', revoked_at = NULL`);
    await expect(copyToPostgres({ dataDir, url: await server.newDatabase() })).rejects.toThrow(
      /a page of webhook_keys could not be written: two of its rows are the same to PostgreSQL .*active_label/,
    );
  });

  test('gives new rows the numbers that come next, also behind rows that are gone', async () => {
    const dataDir = copyOfFolder();
    change(join(dataDir, OWNER.name), `DELETE FROM audit WHERE seq > 10`);
    const url = await server.newDatabase();
    await copyToPostgres({ dataDir, url });
    const next = (table: string, values: string): Promise<unknown> =>
      server.query(`INSERT INTO ${table} ${values}`, url);
    expect(await next('owner.audit', `(at, actor, setting) VALUES (1, 'a', 'b') RETURNING seq`)).toEqual([
      { seq: '21' },
    ]);
    expect(await next('trading.desk_events', `(at, kind, trade_seq) VALUES (1, 'a', 1) RETURNING seq`)).toEqual([
      { seq: '21' },
    ]);
    const back = await backAgain(url);
    change(join(back, OWNER.name), `DELETE FROM audit; INSERT INTO audit (at, actor, setting) VALUES (1, 'a', 'b')`);
    const db = new DatabaseSync(join(back, OWNER.name));
    expect(db.prepare('SELECT seq FROM audit').all()).toEqual([{ seq: 22 }]);
    db.close();
  });

  test('into a folder is of one moment, whatever is written meanwhile', async () => {
    const url = await server.newDatabase();
    await copyToPostgres({ dataDir: folder, url });
    const before = everyRow(folder);
    const written: Promise<unknown>[] = [];
    const back = freshDataDir();
    const onPage = (): void => {
      if (written.length === 0)
        written.push(server.query(`UPDATE owner.settings SET value = 'late'; DELETE FROM strangers.usage`, url));
    };
    const limits = SMALL;
    await copyToSqliteFolder({ url, folder: back, withTwins: true, limits, onPage });
    await Promise.all(written);
    expect(await server.query(`SELECT DISTINCT value FROM owner.settings`, url)).toEqual([{ value: 'late' }]);
    expect(everyRow(back)).toEqual(before);
  });

  test('into a folder leaves the twins out where they are not wanted, and finds no instance in an empty database', async () => {
    const url = await server.newDatabase();
    await copyToPostgres({ dataDir: folder, url });
    const { databases } = await copyToSqliteFolder({ url, folder: freshDataDir(), withTwins: false });
    expect(databases.map(({ name }) => name)).toEqual([TRADING.name, OWNER.name, STRANGERS.name]);
    const empty = await server.newDatabase();
    await expect(copyToSqliteFolder({ url: empty, folder: freshDataDir(), withTwins: false })).rejects.toThrow(
      /holds no instance/,
    );
  });
});
