// A folder of version 0.1.0, which kept a commit log beside the database: taken over when the log is empty or all in the
// database, and refused untouched when a crash has left acknowledged signals in the log alone.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { DATA_MIGRATIONS } from '../../src/adapters/storage/sqlite/open-data.ts';
import { freshDataDir, runSignalbox, startProcess } from '../support/process.ts';

const MIGRATIONS_OF_0_1_0 = 4;

/** The database as 0.1.0 left it, with so many records of its log applied. */
function oldDatabase(dataDir: string, applied: number): string {
  mkdirSync(dataDir, { recursive: true });
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
  const names = readdirSync(DATA_MIGRATIONS).sort().slice(0, MIGRATIONS_OF_0_1_0);
  for (const [index, name] of names.entries()) {
    const sql = readFileSync(new URL(name, DATA_MIGRATIONS), 'utf8');
    db.exec(sql);
    const digest = createHash('sha256').update(sql).digest('hex');
    db.prepare('INSERT INTO migrations VALUES (?, ?, ?, 0)').run(index + 1, name, digest);
  }
  db.prepare('UPDATE commit_log SET applied = ?').run(applied);
  const identity = String(db.prepare('SELECT identity FROM commit_log').get()?.identity);
  db.close();
  return identity;
}

/** Its log, with records of these numbers from the front on. */
function oldLog(dataDir: string, identity: string, numbers: readonly number[]): string {
  const records = numbers.map((number) => {
    const text = Buffer.from(`[["probe",[${number}]]]`);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(text.length, 0);
    head.writeDoubleLE(number, 8);
    head.writeUInt32LE(crc32(Buffer.concat([head.subarray(8), text])), 4);
    return Buffer.concat([head, text]);
  });
  const header = Buffer.alloc(4096);
  header.write(`signalbox commit log\n${identity}\n1\n`, 'latin1');
  const path = join(dataDir, 'signalbox.db.commit-log');
  writeFileSync(path, Buffer.concat([header, ...records, Buffer.alloc(4096)]));
  return path;
}

it.each([
  ['without a record', []],
  ['whose records are all in the database', [5, 6, 7]],
  ['of which older rounds are left behind the newest', [6, 7, 3]],
])('a commit log %s is removed, and the folder is upgraded', async (_, numbers) => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, oldDatabase(dataDir, 7), numbers);
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
  expect(existsSync(log)).toBe(false);
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
});

it('a commit log with signals that are not in the database is refused before anything is changed', async () => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, oldDatabase(dataDir, 7), [6, 7, 8]);
  const before = readFileSync(log);
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir });
  expect(code).toBe(1);
  expect(stderr).toContain(log);
  expect(stderr).toContain('start 0.1.0 once on this folder, stop it, then start this version');
  expect(readFileSync(log).equals(before)).toBe(true);
  expect(existsSync(join(dataDir, 'settings.db'))).toBe(false);
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  expect(db.prepare('SELECT max(number) AS n FROM migrations').get()?.n).toBe(MIGRATIONS_OF_0_1_0);
  db.close();
});

it('a commit log of another database is left alone', async () => {
  const dataDir = freshDataDir();
  oldDatabase(dataDir, 7);
  const log = oldLog(dataDir, '0'.repeat(32), [8]);
  expect(await (await startProcess({ dataDir })).stop()).toBe(0);
  expect(existsSync(log)).toBe(true);
});
