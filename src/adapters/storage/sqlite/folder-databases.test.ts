// What a folder must have before anything in it is opened: its listed databases, and after a crash their write-ahead logs.

import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertDatabasesThere, excuseLogs, listDatabases, openDatabases } from './folder-databases.ts';
import { lockDataDir, readInstanceNote, writeInstanceNote } from './instance-lock.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

const NAMES = ['settings.db', 'signalbox.db', 'scripts.db', 'api_keys.db'];

let folder: TestFolder;
let opened: DatabaseSync[];
beforeEach(() => {
  folder = testFolder();
  opened = [];
});
afterEach(() => {
  for (const db of opened) if (db.isOpen) db.close();
  folder.remove();
});

const at = (name: string): string => join(folder.dataDir, name);

function open(name: string): DatabaseSync {
  const db = new DatabaseSync(at(name));
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS rows (n INTEGER)');
  opened.push(db);
  return db;
}

function make(...names: readonly string[]): void {
  for (const name of names) open(name).close();
}

const refusal = (): string => {
  try {
    assertDatabasesThere(folder.dataDir);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test.each(NAMES)('%s is missed when it was listed and is gone or empty', async (name) => {
  make(...NAMES);
  await listDatabases(folder.dataDir);
  expect(refusal()).toBe('');
  truncateSync(at(name));
  expect(refusal()).toContain(`${at(name)}: missing or empty`);
  rmSync(at(name));
  expect(refusal()).toContain(`take its name out of ${at('databases.json')}`);
});

test('a database of an older version is missed until it was moved, and not after that', async () => {
  make(...NAMES, 'agent.db');
  writeFileSync(at('databases.json'), JSON.stringify(['agent.db', ...NAMES]));
  renameSync(at('agent.db'), at('agent.db.moved'));
  expect(refusal()).toBe('');
  rmSync(at('agent.db.moved'));
  expect(refusal()).toContain(`${at('agent.db')}: missing or empty`);
  writeFileSync(at('agent.db.moved'), '');
  await listDatabases(folder.dataDir);
  rmSync(at('agent.db.moved'));
  expect(refusal()).toBe('');
});

test('a folder without a list whose first start broke off needs nothing', () => {
  make('signalbox.db');
  writeFileSync(at('settings.db'), '');
  expect(refusal()).toBe('');
});

test.each([
  ['signalbox.db', 'trade_signals', 'settings.db'],
  ['settings.db', 'webhook_keys', 'signalbox.db'],
  ['settings.db', 'audit', 'signalbox.db'],
])('a folder without a list whose %s has rows in %s needs its %s', (name, table, other) => {
  open(name).exec(`CREATE TABLE ${table} (n INTEGER); INSERT INTO ${table} VALUES (1)`);
  expect(refusal()).toContain(`${at(other)}: missing or empty`);
  expect(refusal()).toContain(`write into ${at('databases.json')} what is to be there: ["${name}"]`);
  make(other);
  expect(refusal()).toBe('');
  writeFileSync(at('api_keys.db'), '');
  expect(refusal()).toContain(`${at('api_keys.db')}: missing or empty`);
});

/** As a process that died left it: the note names what it had open. */
async function crash(): Promise<void> {
  for (const name of NAMES) open(name).exec('INSERT INTO rows VALUES (1)');
  await listDatabases(folder.dataDir);
  await writeInstanceNote(folder.dataDir, { pid: 1, open: openDatabases(folder.dataDir) });
}

test('after a crash every log that was there is missed, whichever is gone', async () => {
  await crash();
  expect(readInstanceNote(folder.dataDir)?.open?.toSorted()).toEqual(NAMES.toSorted());
  expect(refusal()).toBe('');
  for (const name of NAMES) {
    rmSync(at(`${name}-wal`));
    expect(refusal()).toContain(at(`${name}-wal`));
  }
  rmSync(at('instance.json'));
  expect(refusal()).toBe('');
});

test('an emptied log is missed as well', async () => {
  await crash();
  truncateSync(at('signalbox.db-wal'));
  expect(refusal()).toContain(at('signalbox.db-wal'));
});

test('a note that cannot be read is refused: it would have told what must be there', async () => {
  await crash();
  writeFileSync(at('instance.json'), '');
  expect(refusal()).toContain(`${at('instance.json')} is damaged`);
});

test('a crash of 0.1.0, which kept no list and had both open, needs both logs, empty or not', async () => {
  make('settings.db', 'signalbox.db');
  for (const name of ['settings.db', 'signalbox.db']) writeFileSync(at(`${name}-wal`), '');
  await writeInstanceNote(folder.dataDir, { pid: 1 });
  expect(refusal()).toBe('');
  rmSync(at('settings.db-wal'));
  expect(refusal()).toContain(at('settings.db-wal'));
});

test('a crash of 0.1.0 is excused when all is opened: a start that is killed while it moves databases can be started again', async () => {
  make('settings.db', 'signalbox.db');
  for (const name of ['settings.db', 'signalbox.db']) writeFileSync(at(`${name}-wal`), '');
  await writeInstanceNote(folder.dataDir, { pid: 1 });
  await excuseLogs(folder.dataDir, ['settings.db']);
  rmSync(at('signalbox.db-wal'));
  expect(refusal()).toContain(at('signalbox.db-wal'));
  writeFileSync(at('signalbox.db-wal'), '');
  await excuseLogs(folder.dataDir);
  rmSync(at('signalbox.db-wal'));
  expect(refusal()).toBe('');
});

test('whoever opens databases excuses their logs before, and the others stay missed', async () => {
  await crash();
  await excuseLogs(folder.dataDir, ['settings.db']);
  rmSync(at('settings.db-wal'));
  expect(refusal()).toBe('');
  rmSync(at('scripts.db-wal'));
  expect(refusal()).toContain(at('scripts.db-wal'));
  await excuseLogs(folder.dataDir);
  expect(refusal()).toBe('');
});

test("a living instance's note is left alone", async () => {
  const lock = lockDataDir(folder.dataDir);
  for (const name of NAMES) open(name).exec('INSERT INTO rows VALUES (1)');
  await lock.announce({ pid: process.pid, open: NAMES });
  await excuseLogs(folder.dataDir);
  expect(readInstanceNote(folder.dataDir)?.open).toEqual(NAMES);
  rmSync(at('settings.db-wal'));
  expect(refusal()).toContain(`${at('settings.db-wal')}: removed while Signalbox runs; stop it`);
  lock.release();
});

test("a file of the owner's own is neither listed nor missed", async () => {
  make(...NAMES, 'backup.db');
  await listDatabases(folder.dataDir);
  rmSync(at('backup.db'));
  expect(refusal()).toBe('');
});
