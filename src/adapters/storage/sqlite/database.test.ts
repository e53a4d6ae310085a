// Opening a SQLite file: durable settings really on, statements compiled once, and every fault in a sentence with its remedy.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../../errors/storage-error.ts';
import { checkDataDir } from './check-data-dir.ts';
import { inWords, openDatabase, openMigrated, statements } from './database.ts';
import { TRADING } from './database-files.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

let folder: TestFolder;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.dataDir, 'signalbox.db');
});
afterEach(() => folder.remove());

const openMine = () => openMigrated(path, TRADING.migrations);

describe('a database', () => {
  test('is in WAL mode with full synchronisation and foreign keys', () => {
    const db = openMine();
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
    expect(db.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 2000 });
    db.close();
  });

  test('is made with its folder', () => {
    path = join(folder.dataDir, 'a', 'b', 'signalbox.db');
    openMine().close();
    expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3');
  });

  test('opened for reading refuses to write, in words', () => {
    openMine().close();
    const db = openDatabase({ path, readOnly: true });
    expect(() => db.exec('CREATE TABLE x (y)')).toThrow(/readonly/);
    db.close();
  });

  test('compiles each statement once', () => {
    const db = openMine();
    const sql = statements(db);
    expect(sql('SELECT 1')).toBe(sql('SELECT 1'));
    expect(sql('SELECT 1')).not.toBe(sql('SELECT 2'));
    db.close();
  });
});

describe('a file that cannot be used', () => {
  const faultOf = (open: () => unknown): StorageError => {
    try {
      open();
    } catch (error) {
      return error as StorageError;
    }
    throw new Error('it opened');
  };

  test('that is no database is refused and left untouched', () => {
    const text = 'my diary, certainly not a database. '.repeat(100);
    writeFileSync(path, text);
    const fault = faultOf(openMine);
    expect(fault).toBeInstanceOf(StorageError);
    expect(fault.message).toBe(
      `${path} is not a SQLite database; it was left untouched. Move it away or restore a backup`,
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('that is damaged is refused with the advice to restore a backup', () => {
    openMine().close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 100, 4096));
    expect(faultOf(openMine).message).toMatch(
      /is damaged; stop Signalbox, keep a copy of the file, and restore a backup/,
    );
  });

  test('that is a folder is refused', () => {
    mkdirSync(path);
    expect(faultOf(openMine).message).toMatch(/cannot be opened; check that its folder exists and can be written/);
  });

  test('whose folder is a file is refused', () => {
    writeFileSync(join(folder.dataDir, 'file'), '');
    const inFile = join(folder.dataDir, 'file', 'signalbox.db');
    expect(faultOf(() => openDatabase({ path: inFile }))).toBeInstanceOf(StorageError);
  });

  test.each([
    [5, /locked by another program; close it/],
    [5 | (1 << 8), /locked by another program/],
    [6, /locked by another program/],
    [8, /cannot be written; check the owner and permissions/],
    [10, /the disk failed .* check the disk and free space/],
    [11, /damaged/],
    [13, /is full; free some space/],
    [14, /cannot be opened/],
    [26, /is not a SQLite database/],
  ])('SQLite code %i becomes a sentence with the remedy', (errcode, words) => {
    const cause = Object.assign(new Error('raw'), { errcode });
    const fault = inWords(cause, path);
    expect(fault.message).toMatch(words);
    expect(fault.message).toContain(path);
    expect(fault.cause).toBe(cause);
  });

  test('anything else keeps its own words, and a storage error stays as it is', () => {
    expect(inWords(new Error('odd'), path).message).toBe(`storage failed at ${path}: odd`);
    expect(inWords('odd', path).message).toContain('odd');
    expect(inWords(new Error('odd'), '/nowhere/at/all/x.db').message).toMatch(/does not exist .* check DATA_DIR/);
    const fault = new StorageError('said');
    expect(inWords(fault, path)).toBe(fault);
  });
});

describe('the look at a data folder', () => {
  test('tells that a missing folder will be made', async () => {
    const missing = join(folder.dataDir, 'none');
    const detail = `${missing} is not there; it will be made at the first start`;
    expect(await checkDataDir(missing)).toMatchObject([{ ok: 'ok', detail }]);
    // Who names a folder expects something in it.
    expect(await checkDataDir(missing, { isNamed: true })).toMatchObject([{ ok: 'warn', detail }]);
  });

  test('finds whole databases whole and missing ones not yet made', async () => {
    openMine().close();
    const checks = await checkDataDir(folder.dataDir);
    expect(checks.map(({ ok }) => ok)).toEqual(['ok', 'ok', 'ok']);
    expect(checks[1]?.detail).toBe(`${path} is whole`);
    expect(checks[2]?.detail).toMatch(/settings\.db will be made/);
  });

  test('finds a damaged page that opening does not notice', async () => {
    const db = openMine();
    const rows = db.prepare(`INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source, decision)
      VALUES (?, 0, 'BTCUSDT', 'LONG', 'api', 'accepted')`);
    for (let i = 0; i < 500; i++) rows.run(`id-${i}-${'x'.repeat(100)}`);
    db.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, bytes.length - 8192));
    writeFileSync(join(folder.dataDir, 'databases.json'), '["signalbox.db"]');
    const checks = await checkDataDir(folder.dataDir);
    const data = checks.find(({ detail }) => detail.startsWith(path));
    expect(data).toMatchObject({ ok: 'fail' });
    expect(data?.remedy).toMatch(/restore a backup/);
  });

  test('says that a file is no database', async () => {
    writeFileSync(path, 'not a database, '.repeat(400));
    const [, data] = await checkDataDir(folder.dataDir);
    expect(data).toMatchObject({ ok: 'fail' });
    expect(data?.detail).toMatch(/is not a SQLite database/);
  });
});

test('opens a database whose first process died while it was being made, also for reading only', () => {
  const made = join(folder.dataDir, 'made.db');
  const db = new DatabaseSync(made);
  db.exec('CREATE TABLE kept (text TEXT); PRAGMA cache_size = 1; BEGIN');
  // More than fits into its memory: the file is changed before the commit, and the journal can undo that.
  for (let row = 0; row < 100; row++) db.prepare('INSERT INTO kept VALUES (?)').run('x'.repeat(4000));
  for (const end of ['', '-journal']) copyFileSync(`${made}${end}`, `${path}${end}`);
  db.close();
  const opened = openDatabase({ path, readOnly: true });
  expect(opened.prepare('SELECT count(*) AS n FROM kept').get()).toEqual({ n: 0 });
  expect(() => opened.exec("INSERT INTO kept VALUES ('y')")).toThrow(/readonly/);
  opened.close();
});
