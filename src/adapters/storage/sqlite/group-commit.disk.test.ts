// Group commit: one bad write fails alone, a bad file fails them all, and nothing is acknowledged that a crash can take.

import { copyFileSync, cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommitLog, logPath, openCommitLog } from './commit-log.ts';
import { openDatabase, openMigrated } from './database.ts';
import { createGroupCommit, type GroupCommit, type Write, type WriteResult } from './group-commit.ts';
import { DATA_MIGRATIONS } from './open-data.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

let folder: TestFolder;
let path: string;
let db: DatabaseSync;
let log: CommitLog;
let group: GroupCommit;
let commits: number;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.dataDir, 'signalbox.db');
  commits = 0;
  openGroup();
});
afterEach(() => {
  closeGroup();
  folder.remove();
});

function openGroup(): void {
  db = openMigrated(path, DATA_MIGRATIONS);
  log = openCommitLog(logPath(path), String(db.prepare('SELECT identity FROM commit_log').get()?.identity));
  group = createGroupCommit({ db, path, log, onCommit: () => commits++ });
}
function closeGroup(): void {
  db.close();
  log.close();
}
const write = (batch: readonly Write[]): WriteResult[] => group.write(JSON.stringify(batch));
/** As one batch, in the database for all to see. */
function commit(batch: readonly Write[]): WriteResult[] {
  const results = write(batch);
  group.commit();
  return results;
}

const signal = (id: string, symbol = 'BTCUSDT'): Write => ['addSignal', [id, 0, symbol, 'LONG', 'api', 'accepted']];
const storedIds = (from: DatabaseSync = db): unknown[] =>
  from
    .prepare('SELECT signal_id FROM trade_signals ORDER BY seq')
    .all()
    .map((row) => row.signal_id);
const seenFromOutside = (): unknown[] => {
  const other = openDatabase({ path, readOnly: true });
  const ids = storedIds(other);
  other.close();
  return ids;
};
const OK = { ok: undefined };

describe('a batch', () => {
  test('is stored whole and in order, and is there for others when it returns', () => {
    expect(commit([signal('a'), signal('b'), signal('c')])).toEqual([OK, OK, OK]);
    expect(seenFromOutside()).toEqual(['a', 'b', 'c']);
  });

  test('of nothing is fine', () => {
    expect(commit([])).toEqual([]);
  });

  test('is durable at once but in the database only with the next commit, which many share', () => {
    for (let i = 0; i < 50; i++) expect(write([signal(`s${i}`)])).toEqual([OK]);
    expect([commits, seenFromOutside().length, group.isOpen()]).toEqual([0, 0, true]);
    group.commit();
    expect([commits, seenFromOutside().length, group.isOpen()]).toEqual([1, 50, false]);
    group.commit();
    expect(commits).toBe(1);
  });

  test.each([
    ['breaks a constraint', signal('taken')],
    ['has a value no column takes', ['addSignal', ['x', 0, { not: 'text' }, 'LONG', 'api', 'ok']] as Write],
    ['has too few values', ['addSignal', ['x']] as Write],
  ])('with one write that %s stores all the others', (_, bad) => {
    commit([signal('taken')]);
    const results = commit([signal('a'), bad, signal('b')]);
    expect(results[0]).toEqual(OK);
    expect(results[1]).toMatchObject({ error: expect.stringContaining(path) });
    expect(results[2]).toEqual(OK);
    expect(seenFromOutside()).toEqual(['taken', 'a', 'b']);
  });

  test('with many bad writes fails exactly those', () => {
    const batch = Array.from({ length: 20 }, (_, index) => signal(`s${index % 10}`));
    const results = commit(batch);
    expect(results.map((result) => 'ok' in result)).toEqual(batch.map((_, index) => index < 10));
    expect(seenFromOutside()).toHaveLength(10);
  });

  test('leaves no transaction open after a failure', () => {
    commit([signal('a')]);
    commit([signal('a')]);
    expect(db.isTransaction).toBe(false);
    expect(commit([signal('b')])).toEqual([OK]);
  });
});

describe('a bad file', () => {
  const failsAll = (batch: readonly Write[], words: RegExp): void => {
    for (const result of write(batch)) expect(result).toEqual({ error: expect.stringMatching(words) });
  };

  test('a full disk fails the whole batch with the remedy, and all is well when there is room again', () => {
    const pages = db.prepare('PRAGMA page_count').get()?.page_count as number;
    db.exec(`PRAGMA max_page_count = ${pages}`);
    failsAll([signal('a'), signal('b', 'x'.repeat(100_000))], /is full; free some space/);
    expect(seenFromOutside()).toEqual([]);
    db.exec('PRAGMA max_page_count = 1000000');
    expect(commit([signal('c')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['c']);
  });

  test('a locked file fails the whole batch, and the next one passes when the lock is gone', () => {
    db.exec('PRAGMA busy_timeout = 10');
    const other = openDatabase({ path });
    other.exec('BEGIN IMMEDIATE');
    failsAll([signal('a'), signal('b')], /locked by another program; close it/);
    other.exec('ROLLBACK');
    other.close();
    expect(commit([signal('a')])).toEqual([OK]);
  });

  test('a file that cannot be written fails the whole batch', () => {
    db.exec('PRAGMA query_only = ON');
    failsAll([signal('a'), signal('b')], /cannot be written; check the owner and permissions/);
  });

  test('a file that was moved is refused until it is back', () => {
    renameSync(path, `${path}.moved`);
    failsAll(
      [signal('a'), signal('b')],
      /was moved, replaced or deleted while Signalbox runs; put it back and restart/,
    );
    renameSync(`${path}.moved`, path);
    expect(seenFromOutside()).toEqual([]);
    expect(commit([signal('a')])).toEqual([OK]);
  });

  test('a deleted file is refused', () => {
    rmSync(path);
    failsAll([signal('a')], /moved, replaced or deleted/);
  });

  test('a file that was replaced by another is refused', () => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    failsAll([signal('a')], /moved, replaced or deleted/);
  });
});

/** What a crash at this moment leaves: the files as they are, without anything that is only in memory. */
function crash(): void {
  const left = mkdtempSync(join(tmpdir(), 'signalbox-crash-'));
  cpSync(folder.dataDir, left, { recursive: true });
  closeGroup();
  rmSync(folder.dataDir, { recursive: true });
  renameSync(left, folder.dataDir);
}

describe('after a crash', () => {
  test('everything that was acknowledged is there, committed or not, in its order', () => {
    commit([signal('a')]);
    write([signal('b'), signal('c')]);
    write([signal('d')]);
    crash();
    openGroup();
    expect(seenFromOutside()).toEqual(['a', 'b', 'c', 'd']);
    expect(commit([signal('e')])).toEqual([OK]);
    crash();
    openGroup();
    expect(seenFromOutside()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('a record that was cut short in the middle is not there, and those before it are', () => {
    write([signal('a')]);
    write([signal('b')]);
    crash();
    const bytes = readFileSync(logPath(path));
    const at = bytes.lastIndexOf('"b"');
    bytes[at + 1] = 'x'.charCodeAt(0);
    writeFileSync(logPath(path), bytes);
    openGroup();
    expect(seenFromOutside()).toEqual(['a']);
    commit([signal('c')]);
    crash();
    openGroup();
    expect(seenFromOutside()).toEqual(['a', 'c']);
  });

  test('many rounds through the log never bring an old record back', () => {
    const expected: string[] = [];
    for (let round = 0; round < 30; round++) {
      for (let i = 0; i <= round % 7; i++) {
        expected.push(`r${round}-${i}`);
        write([signal(`r${round}-${i}`, 'x'.repeat((round * 131) % 500))]);
      }
      if (round % 3 === 0) group.commit();
      if (round % 4 === 3) {
        crash();
        openGroup();
      }
    }
    group.commit();
    expect(seenFromOutside()).toEqual(expected);
  });

  test('a batch greater than the log is committed at once', () => {
    const batch = Array.from({ length: 30 }, (_, i) => signal(`s${i}`, 'ü'.repeat(120_000)));
    expect(write(batch)).toEqual(batch.map(() => OK));
    expect(seenFromOutside()).toHaveLength(30);
  });

  test('a full log makes the database commit, and nothing is refused', () => {
    for (let i = 0; i < 200; i++) expect(write([signal(`s${i}`, 'x'.repeat(50_000))])).toEqual([OK]);
    expect(commits).toBeGreaterThan(0);
    crash();
    openGroup();
    expect(seenFromOutside()).toHaveLength(200);
  });

  test('a log that is gone starts anew, and one of another database is put aside', () => {
    commit([signal('a')]);
    crash();
    rmSync(logPath(path));
    openGroup();
    commit([signal('b')]);
    crash();
    const bytes = readFileSync(logPath(path));
    bytes.write(`signalbox commit log\n${'0'.repeat(32)}`, 'latin1');
    writeFileSync(logPath(path), bytes);
    openGroup();
    expect(commit([signal('c')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['a', 'b', 'c']);
  });

  test('a log of another version is taken over when it is empty, and refused with the remedy when it is not', () => {
    const asFormat9 = (): void => {
      const bytes = readFileSync(logPath(path));
      bytes.write('9', bytes.indexOf('\n1\n') + 1);
      writeFileSync(logPath(path), bytes);
    };
    commit([signal('a')]);
    crash();
    asFormat9();
    openGroup();
    write([signal('b')]);
    crash();
    openGroup();
    expect(seenFromOutside()).toEqual(['a', 'b']);
    write([signal('c')]);
    crash();
    asFormat9();
    expect(openGroup).toThrow(/another version of Signalbox; start that version once/);
  });

  test('a database older than its log is refused with the remedy, and both are left alone', () => {
    commit([signal('a')]);
    crash();
    const backup = readFileSync(path);
    const wal = readFileSync(`${path}-wal`);
    openGroup();
    commit([signal('b')]);
    write([signal('c')]);
    crash();
    writeFileSync(path, backup);
    writeFileSync(`${path}-wal`, wal);
    rmSync(`${path}-shm`, { force: true });
    const logged = readFileSync(logPath(path));
    expect(openGroup).toThrow(/is older than its commit log .*move .*commit-log away/);
    expect(readFileSync(logPath(path)).equals(logged)).toBe(true);
  });
});

describe('a failure between acknowledging and committing', () => {
  test('a full disk keeps what was acknowledged, refuses what comes, and takes everything in when there is room', () => {
    write([signal('a')]);
    const pages = db.prepare('PRAGMA page_count').get()?.page_count as number;
    db.exec(`PRAGMA max_page_count = ${pages}`);
    expect(write([signal('b', 'x'.repeat(100_000))])).toEqual([{ error: expect.stringMatching(/is full/) }]);
    expect(group.isOpen()).toBe(true);
    db.exec('PRAGMA max_page_count = 1000000');
    expect(commit([signal('c')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['a', 'c']);
  });

  test('a bad write beside good ones neither loses nor repeats what was acknowledged before', () => {
    write([signal('a')]);
    const results = write([signal('b'), signal('a'), signal('c')]);
    expect(results.map((result) => 'ok' in result)).toEqual([true, false, true]);
    crash();
    openGroup();
    expect(seenFromOutside()).toEqual(['a', 'b', 'c']);
  });

  test('a database that vanishes and comes back gets everything', () => {
    write([signal('a')]);
    renameSync(path, `${path}.away`);
    expect(() => group.commit()).toThrow(/moved, replaced or deleted/);
    expect(write([signal('b')])).toEqual([{ error: expect.stringMatching(/moved, replaced or deleted/) }]);
    renameSync(`${path}.away`, path);
    expect(commit([signal('c')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['a', 'c']);
  });

  test('a log that cannot be written any more is no reason to refuse', () => {
    write([signal('a')]);
    rmSync(logPath(path));
    expect(write([signal('b')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['a', 'b']);
  });
});
