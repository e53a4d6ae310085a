// Copies of databases that are written meanwhile are those of one moment, and nothing that was there at it is missing.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyDatabases } from './database-copies.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

/** For some seconds; a copy that comes later is made anew all the same. */
const MOST_LOOKS = 1_000_000;

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
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS rows (bytes BLOB)');
  opened.push(db);
  return db;
}

/** Each row makes the file longer. */
const addRow = (db: DatabaseSync): unknown => db.exec('INSERT INTO rows VALUES (zeroblob(10000))');

function rowsIn(name: string): unknown {
  const db = new DatabaseSync(at(name), { readOnly: true });
  opened.push(db);
  return db.prepare('SELECT count(*) AS count FROM rows').get()?.count;
}

test('databases that are written between two of their copies are copied as they were at one moment', async () => {
  const [settings, trading] = [open('settings.db'), open('signalbox.db')];
  let written = 0;
  const writing = {
    from: at('signalbox.db'),
    // It is asked for when the first database is copied and the second is not.
    get to() {
      addRow(settings);
      addRow(trading);
      written++;
      return at('signalbox.copy');
    },
  };
  await copyDatabases([{ from: at('settings.db'), to: at('settings.copy') }, writing]);
  expect(rowsIn('signalbox.copy')).toBe(rowsIn('settings.copy'));
  expect(rowsIn('signalbox.copy')).toBeLessThan(written);
});

test.each([
  ['opens it', false],
  ['opens it and closes it again', true],
])('a database that nobody had open is copied anew when somebody %s and writes meanwhile', async (_, isClosed) => {
  open('settings.db').close();
  const { size } = statSync(at('settings.db'));
  const copied = copyDatabases([{ from: at('settings.db'), to: at('settings.copy') }]);
  const isThere = (): boolean => existsSync(at('settings.copy')) && statSync(at('settings.copy')).size === size;
  // A thread copies the file. This one does not let go before it has, so nobody has looked a second time yet.
  for (let looks = 0; looks < MOST_LOOKS && !isThere(); looks++);
  const db = open('settings.db');
  addRow(db);
  if (isClosed) db.close();
  await copied;
  expect(rowsIn('settings.copy')).toBe(1);
});
