// Migrations: numbered, applied once, remembered by digest, whole or not at all.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../../errors/storage-error.ts';
import { readMigrations } from '../migration-files.ts';
import { openDatabase, openMigrated } from './database.ts';
import { MOVED, OWNER, STRANGERS, TRADING } from './database-files.ts';
import { migrate } from './migrations.ts';

import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

let folder: TestFolder;
let path: string;
let migrations: URL;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.dataDir, 'test.db');
  mkdirSync(join(folder.dataDir, 'sql'));
  migrations = pathToFileURL(`${join(folder.dataDir, 'sql')}/`);
});
afterEach(() => folder.remove());

const write = (name: string, sql: string): void => writeFileSync(new URL(name, migrations), sql);
const tables = (db: DatabaseSync): unknown[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .all()
    .map(({ name }) => name);
const applied = (db: DatabaseSync): unknown[] =>
  db
    .prepare('SELECT name FROM migrations ORDER BY number')
    .all()
    .map(({ name }) => name);

function messageOf(work: () => unknown): string {
  try {
    return String(work());
  } catch (error) {
    return (error as Error).message;
  }
}

describe('migrations', () => {
  test('are applied once also when two processes open a new file at the same moment', () => {
    write('0001-first.sql', 'CREATE TABLE a (x); INSERT INTO a VALUES (1);');
    write('0002-second.sql', 'CREATE TABLE b (x);');
    const [quick, late] = [new DatabaseSync(path), new DatabaseSync(path)];
    const prepare = late.prepare.bind(late);
    // Looked before the other one had begun.
    late.prepare = (sql) => (sql.startsWith('SELECT number, name') ? prepare(`${sql} LIMIT 0`) : prepare(sql));
    migrate(quick, migrations, path);
    migrate(late, migrations, path);
    expect(applied(late)).toEqual(['0001-first.sql', '0002-second.sql']);
    expect(late.prepare('SELECT x FROM a').all()).toEqual([{ x: 1 }]);
    quick.close();
    late.close();
  });

  test('are applied in order, each once, and new ones later', () => {
    write('0001-first.sql', 'CREATE TABLE a (x); INSERT INTO a VALUES (1);');
    openMigrated(path, migrations).close();
    write('0002-second.sql', 'CREATE TABLE b (x); UPDATE a SET x = x + 1;');
    openMigrated(path, migrations).close();
    const db = openMigrated(path, migrations);
    expect(applied(db)).toEqual(['0001-first.sql', '0002-second.sql']);
    expect(db.prepare('SELECT x FROM a').all()).toEqual([{ x: 2 }]);
    db.close();
  });

  test('other files in the folder are no migrations', () => {
    write('0001-first.sql', 'CREATE TABLE a (x)');
    write('README.md', 'about');
    expect(readMigrations(migrations).map(({ number }) => number)).toEqual([1]);
  });

  test.each(['0002-gap.sql', '0001_underscore.sql', '1-short.sql', '0001-Capital.sql'])(
    'refuse the name %s',
    (name) => {
      write(name, 'CREATE TABLE a (x)');
      expect(() => readMigrations(migrations)).toThrow(`migration ${name} is out of order: expected number 1`);
    },
  );

  test('two files with one number are refused', () => {
    write('0001-a.sql', '');
    write('0001-b.sql', '');
    expect(() => readMigrations(migrations)).toThrow('0001-b.sql is out of order: expected number 2');
  });

  test('whose text changed since they were applied are refused', () => {
    write('0001-first.sql', 'CREATE TABLE a (x)');
    openMigrated(path, migrations).close();
    write('0001-first.sql', 'CREATE TABLE a (x) -- altered');
    expect(() => openMigrated(path, migrations)).toThrow(/another text of migration 0001-first\.sql.*reinstall it/);
  });

  test.each([
    [OWNER, STRANGERS],
    [STRANGERS, OWNER],
    [TRADING, OWNER],
    [STRANGERS, TRADING],
  ])(
    'of the database $name under the name of another: both are named, and nothing is blamed on the program',
    (its, taken) => {
      const exchanged = join(folder.dataDir, taken.name);
      openMigrated(exchanged, its.migrations).close();
      const message = messageOf(() => openMigrated(exchanged, taken.migrations));
      expect(message).toContain(`${exchanged} holds what belongs into ${its.name}`);
      expect(message).toContain('Give each its own name again');
      openMigrated(exchanged, its.migrations).close();
    },
  );

  test('of a newer Signalbox are refused, and the database stays as it is', () => {
    write('0001-first.sql', 'CREATE TABLE a (x)');
    write('0002-future.sql', 'CREATE TABLE b (x)');
    openMigrated(path, migrations).close();
    const older = pathToFileURL(`${join(folder.dataDir, 'older')}/`);
    mkdirSync(older);
    writeFileSync(new URL('0001-first.sql', older), 'CREATE TABLE a (x)');
    expect(() => openMigrated(path, older)).toThrow(StorageError);
    expect(() => openMigrated(path, older)).toThrow(
      /written by a newer Signalbox \(migration 0002-future\.sql\); start that/,
    );
    const db = openMigrated(path, migrations);
    expect(tables(db)).toEqual(['a', 'b', 'migrations']);
    db.close();
  });

  test('that fail half-way are rolled back whole, and the ones before stay', () => {
    write('0001-first.sql', 'CREATE TABLE a (x)');
    write('0002-broken.sql', 'CREATE TABLE b (x); INSERT INTO a VALUES (7); INSERT INTO nowhere VALUES (1);');
    expect(() => openMigrated(path, migrations)).toThrow(/no such table: nowhere/);
    const db = openDatabase({ path });
    expect(tables(db)).toEqual(['a', 'migrations']);
    expect(applied(db)).toEqual(['0001-first.sql']);
    expect(db.prepare('SELECT * FROM a').all()).toEqual([]);
    db.close();
    write('0002-broken.sql', 'CREATE TABLE b (x)');
    openMigrated(path, migrations).close();
  });

  test('on a full disk say so', () => {
    write('0001-first.sql', 'CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(100000));');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA max_page_count = 4');
    expect(() => migrate(db, migrations, path)).toThrow(/full/);
    expect(tables(db)).toEqual(['migrations']);
    db.close();
  });
});

describe('our own migrations', () => {
  test.each([...[TRADING, OWNER, STRANGERS, ...MOVED].map(({ name, migrations: ours }) => [name, ours] as const)])(
    'of %s are numbered without gaps and apply twice without change',
    (_, ours) => {
      const names = readdirSync(ours).sort();
      openMigrated(path, ours).close();
      const db = openMigrated(path, ours);
      expect(applied(db)).toEqual(names);
      db.close();
    },
  );
});
