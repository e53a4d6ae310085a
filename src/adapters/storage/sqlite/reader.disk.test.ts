// Searches in a thread of their own: answered in words, bounded in number, and over when the storage is closed.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StorageError } from '../../../errors/storage-error.ts';
import { openMigrated } from './database.ts';
import { TRADING } from './database-files.ts';
import { createReader, type Reader } from './reader.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

let folder: TestFolder;
let path: string;
let reader: Reader;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.dataDir, 'signalbox.db');
  openMigrated(path, TRADING.migrations).close();
  reader = createReader(path);
});
afterEach(async () => {
  await reader.close();
  folder.remove();
});

test('every question gets its own answer', async () => {
  const questions = Array.from({ length: 20 }, (_, index) =>
    reader.all('SELECT ? AS text, ? AS number', `q${index}`, index),
  );
  const answers = await Promise.all(questions);
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => [{ text: `q${index}`, number: index }]));
});

test('a question with a fault is refused in words, and the next one is answered', async () => {
  await expect(reader.all('SELECT * FROM nowhere')).rejects.toThrow(StorageError);
  await expect(reader.all('SELECT * FROM nowhere')).rejects.toThrow(/no such table: nowhere/);
  expect(await reader.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('nothing can be written here', async () => {
  await expect(reader.all('DELETE FROM trades')).rejects.toThrow(/cannot be written/);
});

test('more questions at once than it takes are refused, and it goes on', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => reader.all('SELECT 1 AS one')));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(6);
  for (const { reason } of refused) expect(reason.message).toBe('too many searches at once; try again in a moment');
  expect(await reader.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a file that cannot be read fails the question in words', async () => {
  const bad = join(folder.dataDir, 'bad.db');
  writeFileSync(bad, 'not a database, '.repeat(400));
  const broken = createReader(bad);
  await expect(broken.all('SELECT 1')).rejects.toThrow(/the journal cannot be read: .*is not a SQLite database/);
  await expect(broken.all('SELECT 1')).rejects.toBeInstanceOf(StorageError);
  await broken.close();
});

test('closing fails what is under way and refuses what comes after', async () => {
  const asked = reader.all('SELECT 1 AS one');
  const outcome = expect(asked).rejects.toThrow('storage is closed');
  await reader.close();
  await outcome;
  await expect(reader.all('SELECT 1 AS one')).rejects.toThrow('storage is closed');
});
