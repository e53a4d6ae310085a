// Group commit: one bad write fails alone, a bad file fails them all, and a commit in doubt is told as such.

import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GroupCommit, Write } from '../sql/trading/group-commit.ts';
import type { NewTradeRecord } from '../sql/trading/journal-mutations.ts';
import { sqliteGroupCommit } from './commit-engine.ts';
import { openDatabase, openMigrated } from './database.ts';
import { TRADING } from './database-files.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

let folder: TestFolder;
let path: string;
let db: DatabaseSync;
let commit: GroupCommit;
beforeEach(() => {
  folder = testFolder();
  path = join(folder.dataDir, 'signalbox.db');
  db = openMigrated(path, TRADING.migrations);
  commit = sqliteGroupCommit({ db, path });
});
afterEach(() => {
  db.close();
  folder.remove();
});

const SIGNAL = { timestampMs: 0, symbol: 'BTCUSDT', signalType: 'LONG', source: 'api', decision: 'accepted' };
const signal = (signalId: string, changes: object = {}): Write => ['addSignal', { signalId, ...SIGNAL, ...changes }];
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
  test('is stored whole and in order, and is there for others when it returns', async () => {
    expect(await commit([signal('a'), signal('b'), signal('c')])).toEqual([OK, OK, OK]);
    expect(seenFromOutside()).toEqual(['a', 'b', 'c']);
  });

  test('of nothing is fine', async () => {
    expect(await commit([])).toEqual([]);
  });

  test.each([
    ['breaks a constraint', signal('taken')],
    ['has a value no column takes', signal('x', { symbol: { not: 'text' } })],
    ['has too few values', ['addSignal', { signalId: 'x' }] as Write],
    ['tells what cannot be stored', ['addDeskEvents', { events: [{ kind: 'alarm', facts: {} }] }] as Write],
  ])('with one write that %s stores all the others', async (_, bad) => {
    await commit([signal('taken')]);
    const results = await commit([signal('a'), bad, signal('b')]);
    expect(results[0]).toEqual(OK);
    expect(results[1]).toMatchObject({ error: expect.stringContaining(path) });
    expect(results[2]).toEqual(OK);
    expect(seenFromOutside()).toEqual(['taken', 'a', 'b']);
  });

  test('with many bad writes fails exactly those', async () => {
    const batch = Array.from({ length: 20 }, (_, index) => signal(`s${index % 10}`));
    const results = await commit(batch);
    expect(results.map((result) => 'ok' in result)).toEqual(batch.map((_, index) => index < 10));
    expect(seenFromOutside()).toHaveLength(10);
  });

  test('keeps the order of its writes also when one of them is bad', async () => {
    const seen = await commit([signal('a'), ['accept', {}] as Write, signal('a'), signal('b')]);
    expect(seen.map((result) => 'ok' in result)).toEqual([true, false, false, true]);
    expect(seenFromOutside()).toEqual(['a', 'b']);
  });

  test('takes back all of a bad write that had begun', async () => {
    await commit([signal('taken')]);
    // The trade's row is written first; that its signal is stored already shows only then.
    const trade: NewTradeRecord = {
      ...{ requestId: 'taken', receivedAtMs: 1, source: 'webhook', keyLabel: 'k', exchange: 'binance' },
      ...{
        mode: 'paper',
        account: 'main',
        action: 'LONG',
        symbol: 'X',
        market: 'X',
        quantity: '1',
        price: null,
        leverage: null,
      },
      ...{
        idempotencyKey: null,
        bodyDigestHex: null,
        alertId: null,
        alertClaimHex: null,
        notify: null,
        closesAll: 0,
        strategy: '',
        comment: null,
        prevMarketPosition: null,
        prevMarketPositionSize: null,
        quantityType: null,
        timeInForce: null,
        postOnly: 0,
        cancelAfterSeconds: null,
      },
    };
    const results = await commit([signal('a'), ['accept', { trade, windowMs: 1 }]]);
    expect(results.map((result) => 'ok' in result)).toEqual([true, false]);
    expect(db.prepare('SELECT count(*) AS n FROM trades').get()?.n).toBe(0);
  });

  test('leaves no transaction open after a failure', async () => {
    await commit([signal('a')]);
    await commit([signal('a')]);
    expect(db.isTransaction).toBe(false);
    expect(await commit([signal('b')])).toEqual([OK]);
  });
});

describe('a bad file', () => {
  const failsAll = async (batch: readonly Write[], words: RegExp): Promise<void> => {
    for (const result of await commit(batch)) {
      expect(result).toEqual({ error: expect.stringMatching(words), kind: 'failed' });
    }
  };

  test('a full disk fails the whole batch with the remedy, and all is well when there is room again', async () => {
    const pages = db.prepare('PRAGMA page_count').get()?.page_count as number;
    db.exec(`PRAGMA max_page_count = ${pages}`);
    await failsAll([signal('a'), signal('b', { symbol: 'x'.repeat(100_000) })], /is full; free some space/);
    expect(seenFromOutside()).toEqual([]);
    db.exec('PRAGMA max_page_count = 1000000');
    expect(await commit([signal('c')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['c']);
  });

  test('a locked file fails the whole batch, and the next one passes when the lock is gone', async () => {
    db.exec('PRAGMA busy_timeout = 10');
    const other = openDatabase({ path });
    other.exec('BEGIN IMMEDIATE');
    await failsAll([signal('a'), signal('b')], /locked by another program; close it/);
    other.exec('ROLLBACK');
    other.close();
    expect(await commit([signal('a')])).toEqual([OK]);
  });

  test('a file that cannot be written fails the whole batch', async () => {
    db.exec('PRAGMA query_only = ON');
    await failsAll([signal('a'), signal('b')], /cannot be written; check the owner and permissions/);
  });

  test('a file that was moved is refused until it is back', async () => {
    renameSync(path, `${path}.moved`);
    await failsAll(
      [signal('a'), signal('b')],
      /was moved, replaced or deleted while Signalbox runs; put it back and restart/,
    );
    renameSync(`${path}.moved`, path);
    expect(seenFromOutside()).toEqual([]);
    expect(await commit([signal('a')])).toEqual([OK]);
  });

  test('a deleted file is refused', async () => {
    rmSync(path);
    await failsAll([signal('a')], /moved, replaced or deleted/);
  });

  test('a file that was replaced by another is refused', async () => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    await failsAll([signal('a')], /moved, replaced or deleted/);
  });
});

/** A connection whose COMMITs fail as a disk makes them fail; what the real disk does, tests/durability/disk-faults has. */
function failingCommits(errcodes: (number | undefined)[]): void {
  const exec = db.exec.bind(db);
  db.exec = (text: string) => {
    const errcode = text === 'COMMIT' ? errcodes.shift() : undefined;
    if (errcode === undefined) return exec(text);
    exec('ROLLBACK');
    throw Object.assign(new Error('disk I/O error'), { errcode });
  };
}
const IOERR_FSYNC = 1034;
const IOERR_WRITE = 778;
const FULL = 13;

describe('a commit that fails', () => {
  test('in doubt is run again at once, and then nothing has happened', async () => {
    failingCommits([IOERR_FSYNC]);
    expect(await commit([signal('a'), signal('b')])).toEqual([OK, OK]);
    expect(seenFromOutside()).toEqual(['a', 'b']);
  });

  test.each([
    ['the same way', IOERR_FSYNC],
    ['for another reason', FULL],
  ])('in doubt, and again %s, has an unknown outcome', async (_, second) => {
    failingCommits([IOERR_FSYNC, second]);
    const unknown = { error: expect.stringMatching(/the disk failed/), kind: 'unknown' };
    expect(await commit([signal('a'), signal('b')])).toEqual([unknown, unknown]);
    expect(await commit([signal('c')])).toEqual([OK]);
    expect(seenFromOutside()).toEqual(['c']);
  });

  test.each([
    ['finds no room', FULL, /is full/],
    ['cannot write all of it', IOERR_WRITE, /the disk failed/],
  ])('because it %s has stored nothing, for certain', async (_, errcode, words) => {
    failingCommits([errcode]);
    expect(await commit([signal('a')])).toEqual([{ error: expect.stringMatching(words), kind: 'failed' }]);
    expect(seenFromOutside()).toEqual([]);
  });

  test('beside a bad write has an unknown outcome for all', async () => {
    await commit([signal('taken')]);
    failingCommits([IOERR_FSYNC, IOERR_FSYNC]);
    expect(await commit([signal('a'), signal('taken')])).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
  });
});
