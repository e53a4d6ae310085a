// Folders of earlier versions. Of 0.1.0, which kept a commit log beside the database: taken over when the log is provably empty or
// all in the database, and else refused untouched, for signals that were acknowledged may be in the log alone. Of the versions after
// it: what they left unfinished is carried on.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { retireCommitLog } from '../../src/adapters/storage/sqlite/retired-commit-log.ts';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { runCommandHere } from '../cli/command-line.ts';
import { freshDataDir, runSignalbox, startGatewayProcess } from '../support/process.ts';

const MIGRATIONS_OF_0_1_0 = 4;
/** The last version that found unfinished trades behind a mark. */
const MIGRATIONS_WITH_A_MARK = 27;
const LOG_BYTES = 512 * 1024;
const HEADER_BYTES = 4096;
/** Of the records here, whose numbers have one digit. */
const RECORD_BYTES = 16 + '[["probe",[7]]]'.length;
const NUMBER_AT = 8;
const CHECKSUM_AT = 4;
const START_0_1_0 = 'start 0.1.0 once on this folder, stop it, then start this version';

/** The database of a version that had so many migrations. */
async function databaseWith(dataDir: string, migrations: number): Promise<DatabaseSync> {
  await openSettingsStorage(dataDir).close();
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`);
  const names = readdirSync(TRADING.migrations).sort().slice(0, migrations);
  for (const [index, name] of names.entries()) {
    const sql = readFileSync(new URL(name, TRADING.migrations), 'utf8');
    db.exec(sql);
    const digest = createHash('sha256').update(sql).digest('hex');
    db.prepare('INSERT INTO migrations VALUES (?, ?, ?, 0)').run(index + 1, name, digest);
  }
  return db;
}

/** The database as 0.1.0 left it, with so many records of its log applied. */
async function oldDatabase(dataDir: string, applied: number): Promise<string> {
  const db = await databaseWith(dataDir, MIGRATIONS_OF_0_1_0);
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
  const log = Buffer.alloc(LOG_BYTES);
  log.write(`signalbox commit log\n${identity}\n1\n`, 'latin1');
  Buffer.concat(records).copy(log, HEADER_BYTES);
  const path = join(dataDir, 'signalbox.db.commit-log');
  writeFileSync(path, log);
  return path;
}

/** As a crash leaves it, of a process that wrote to neither database. */
function leaveNote(dataDir: string): void {
  writeFileSync(join(dataDir, 'instance.json'), '{"pid":1}');
  for (const name of ['signalbox.db', 'settings.db']) writeFileSync(join(dataDir, `${name}-wal`), '');
}

const takenOver = async (dataDir: string): Promise<void> => {
  for (const _ of ['upgraded', 'again']) expect(await (await startGatewayProcess({ dataDir })).stop()).toBe(0);
};

const refusedStart = async (dataDir: string): Promise<string> => {
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir });
  expect(code).toBe(1);
  return stderr;
};

/** The step of the start that refuses, by itself: a whole start for each kind of damage would take a minute. */
const refusedStep = async (dataDir: string): Promise<string> => {
  try {
    retireCommitLog(dataDir);
  } catch (error) {
    return (error as Error).message;
  }
  return 'not refused';
};

/** In words, and with nothing changed. */
async function refused(dataDir: string, log: string, words: string | RegExp, tried = refusedStart): Promise<void> {
  // As text: to compare half a megabyte of numbers takes seconds.
  const bytes = (): string => (existsSync(log) ? readFileSync(log, 'latin1') : 'missing');
  const before = bytes();
  const refusal = await tried(dataDir);
  expect(refusal).toContain(log);
  expect(refusal).toMatch(words);
  expect(bytes() === before).toBe(true);
  expect(readdirSync(dataDir)).not.toContain('databases.json');
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  expect(db.prepare('SELECT max(number) AS n FROM migrations').get()?.n).toBe(MIGRATIONS_OF_0_1_0);
  db.close();
}

it.each([
  ['without a record', []],
  ['whose records are all in the database', [5, 6, 7]],
  ['of which older rounds are left behind the newest', [6, 7, 3]],
])('a commit log %s is put aside, and the folder is upgraded', async (_, numbers) => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, await oldDatabase(dataDir, 7), numbers);
  const before = readFileSync(log);
  await takenOver(dataDir);
  expect(existsSync(log)).toBe(false);
  expect(readFileSync(`${log}.retired`).equals(before)).toBe(true);
});

it('a commit log with signals that are not in the database is refused before anything is changed', async () => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, await oldDatabase(dataDir, 7), [6, 7, 8]);
  const before = readdirSync(dataDir).sort();
  const { code, stdout } = await runCommandHere(['doctor'], { DATA_DIR: dataDir });
  expect([code, stdout]).toEqual([1, expect.stringContaining(START_0_1_0)]);
  const made = readdirSync(dataDir).filter((name) => !before.includes(name));
  expect(made.filter((name) => !/-(?:wal|shm)$/.test(name))).toEqual([]);
  await refused(dataDir, log, START_0_1_0);
});

const flip = (log: Buffer, at: number): Buffer => {
  log[at] = (log[at] as number) ^ 1;
  return log;
};
const recordAt = (index: number): number => HEADER_BYTES + index * RECORD_BYTES;

it.each<[string, number[], (log: Buffer) => Buffer, RegExp]>([
  ['whose first record is broken', [8, 9], (log) => flip(log, recordAt(0) + 20), /records are damaged/],
  [
    'whose only record is broken in its number',
    [8],
    (log) => flip(log, recordAt(0) + NUMBER_AT),
    /records are damaged/,
  ],
  [
    'whose only newer record is broken',
    [7, 8],
    (log) => flip(log, recordAt(1) + 20),
    /record that is not .* is damaged/,
  ],
  ['whose newer record has a broken checksum', [7, 8], (log) => flip(log, recordAt(1) + CHECKSUM_AT), /is damaged/],
  ['whose newer record has a broken length', [7, 8], (log) => flip(log, recordAt(1)), /is damaged/],
  ['whose newer record has a broken number', [7, 8], (log) => flip(log, recordAt(1) + NUMBER_AT), /acknowledged/],
  ['with a newer record behind a broken one', [6, 7, 8], (log) => flip(log, recordAt(1) + 20), /records are damaged/],
  ['that is cut behind what is in the database', [7, 8], (log) => log.subarray(0, recordAt(1)), /it was cut off/],
  ['that is cut within its first page', [7], (log) => log.subarray(0, 100), /first page is damaged or cut off/],
  ['that is empty', [7], (log) => log.subarray(0, 0), /first page is damaged or cut off/],
  ['whose first page is broken', [7], (log) => flip(log, 3), /first page is damaged or cut off/],
])('a commit log %s is refused', async (_, numbers, damage, words) => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, await oldDatabase(dataDir, 7), numbers);
  writeFileSync(log, damage(readFileSync(log)));
  await refused(dataDir, log, words, refusedStep);
});

it('a damaged commit log is given up under the name that the refusal names', async () => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, await oldDatabase(dataDir, 7), [8]);
  writeFileSync(log, flip(readFileSync(log), recordAt(0) + 20));
  leaveNote(dataDir);
  await refused(dataDir, log, `rename it to ${log}.retired`);
  renameSync(log, `${log}.retired`);
  await takenOver(dataDir);
});

it('a commit log of another database is refused', async () => {
  const dataDir = freshDataDir();
  await oldDatabase(dataDir, 7);
  await refused(dataDir, oldLog(dataDir, '0'.repeat(32), [7]), /belongs to another database/, refusedStep);
});

it('a commit log that is missing or blank is refused after a crash, and not after a clean stop', async () => {
  for (const isMissing of [true, false]) {
    const dataDir = freshDataDir();
    const log = oldLog(dataDir, await oldDatabase(dataDir, 7), []);
    if (isMissing) rmSync(log);
    leaveNote(dataDir);
    await refused(dataDir, log, /although 0\.1\.0 crashed/, refusedStep);
    rmSync(join(dataDir, 'instance.json'));
    retireCommitLog(dataDir);
  }
});

it('a commit log without its database is refused', async () => {
  const dataDir = freshDataDir();
  const log = oldLog(dataDir, '0'.repeat(32), [7]);
  const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${log}: here without its signalbox.db`)]);
  expect(readdirSync(dataDir)).not.toContain('signalbox.db');
});

it('trades that a version with a recovery mark left unfinished are carried on, each once, and the others stay as they are', async () => {
  const dataDir = freshDataDir();
  const db = await databaseWith(dataDir, MIGRATIONS_WITH_A_MARK);
  // What is older is not traded any more.
  const nowMs = Date.now();
  const id = (number: number): string => `01900000-0000-7000-8000-00000000000${number}`;
  const trade = (number: number, state: string): string =>
    `(${number}, '${id(number)}', ${nowMs}, ${nowMs}, 'webhook', 'k', 'binance', 'paper', 'main', 'LONG', 'BTCUSDT', 'BTCUSDT', '0.01', '${state}', '0')`;
  // Two that ended, one that nobody has touched, one whose order was on its way, and one before the mark that rests at its venue.
  const states = ['submitted', 'rejected', 'accepted', 'filled', 'accepted'];
  db.exec(`INSERT INTO trades (seq, request_id, received_at, updated_at, source, key_label, exchange, mode, account, action, symbol,
      market, quantity, state, executed_quantity) VALUES ${states.map((state, index) => trade(index + 1, state)).join()};
    INSERT INTO orders (client_order_id, trade_seq, leg, exchange, mode, account, market, side, position_side, reduce_only,
      quantity, price, state, executed_quantity, fills, created_at, updated_at, sent_after_step) VALUES
      ('rests', 1, 'open', 'binance', 'paper', 'main', 'BTCUSDT', 'BUY', 'LONG', 0, '0.01', '1', 'submitted', '0', '', 20, 20, 0),
      ('sent', 5, 'open', 'binance', 'paper', 'main', 'BTCUSDT', 'BUY', 'LONG', 0, '0.01', NULL, 'sending', '0', '', 20, 20, 0);
    INSERT INTO open_trades (seq) VALUES (1);
    UPDATE recovery_mark SET seq = 3`);
  db.close();
  const running = await startGatewayProcess({ dataDir });
  const statusOf = async (number: number): Promise<string> => {
    const { result } = (await (await fetch(`${running.url}/trades/${id(number)}`)).json()) as {
      result: { status: string };
    };
    return result.status;
  };
  // An order that never reached the paper venue is sent after all; the one that rested is not there any more.
  await expect
    .poll(() => Promise.all([1, 2, 3, 4, 5].map(statusOf)))
    .toEqual(['Expired', 'Rejected', 'Filled', 'Filled', 'Filled']);
  const { result } = (await (await fetch(`${running.url}/positions`)).json()) as { result: { quantity: number }[] };
  expect(result.map(({ quantity }) => quantity)).toEqual([0.02]);
  expect(await running.stop()).toBe(0);
  const after = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  expect(after.prepare('SELECT count(*) AS n FROM open_trades').get()?.n).toBe(0);
  after.close();
});
