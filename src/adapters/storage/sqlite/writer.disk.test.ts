// The writer's side of the event loop: order, sharing of commits, closing, and what happens when its thread dies.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../../errors/storage-error.ts';
import type { MutationName } from '../sql/trading/mutations.ts';
import type { Writer } from '../sql/trading/writer.ts';
import { openDatabase } from './database.ts';
import { TRADING } from './database-files.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';
import { openWriter } from './writer.ts';

let folder: TestFolder;
let path: string;
let deaths: Error[];
let writer: Writer;
beforeEach(async () => {
  folder = testFolder();
  path = join(folder.dataDir, 'signalbox.db');
  deaths = [];
  writer = await open();
});
afterEach(async () => {
  await writer.close();
  folder.remove();
});

/** What SQLite calls it: every commit waits until the disk has it. */
const FULL = 2;

const open = (): Promise<Writer> => openWriter(path, TRADING.migrations, (error) => void deaths.push(error));
const SIGNAL = { timestampMs: 0, symbol: 'BTCUSDT', signalType: 'LONG', source: 'api', decision: 'accepted' };
const add = (id: string): Promise<void> => writer.run('addSignal', { signalId: id, ...SIGNAL });
const stored = (): unknown[] => {
  const db = openDatabase({ path, readOnly: true });
  const ids = db.prepare('SELECT signal_id FROM trade_signals ORDER BY seq').all();
  db.close();
  return ids.map((row) => row.signal_id);
};
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);
/** Makes the thread answer with a function: that cannot leave a thread, so it dies of it. */
const killThread = (): Promise<unknown> => writer.run('constructor' as MutationName, [] as never);

describe('the writer', () => {
  test('stores in the order of the calls', async () => {
    await Promise.all(names(200).map(add));
    expect(stored()).toEqual(names(200));
  });

  test('shares commits: what waits while one is under way goes into the next', async () => {
    await Promise.all(names(500).map(add));
    // What gathers while the thread is busy goes to it together.
    expect(writer.commits()).toBeLessThan(20);
    const before = writer.commits();
    await add('later');
    expect(writer.commits()).toBe(before + 1);
  });

  test('gives a few writes of one turn one commit', async () => {
    await Promise.all(names(7).map(add));
    expect(writer.commits()).toBe(1);
  });

  test('cuts a great burst into bounded batches without losing the order', async () => {
    await Promise.all(names(5000).map(add));
    // No batch holds more than 1,024 writes.
    expect(writer.commits()).toBeGreaterThanOrEqual(5);
    expect(stored()).toEqual(names(5000));
  });

  test('has committed a write before it answers', async () => {
    const other = openDatabase({ path, readOnly: true });
    const count = other.prepare('SELECT count(*) AS n FROM trade_signals');
    for (let i = 1; i <= 50; i++) {
      await add(`s${i}`);
      expect(count.get()?.n).toBe(i);
    }
    other.close();
  });

  test('has its connection write through to the disk with every commit', async () => {
    expect(await writer.run('durability', [])).toEqual({ journalMode: 'wal', synchronous: FULL });
  });

  test('lets others write while they have it to themselves, and keeps what comes meanwhile for afterwards', async () => {
    await add('a');
    const order: string[] = [];
    let waiting: Promise<unknown> | undefined;
    const alone = writer.exclusively(async () => {
      const other = openDatabase({ path });
      other.exec('BEGIN IMMEDIATE');
      waiting = add('b').then(() => order.push('b'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      other.exec('COMMIT');
      other.close();
      order.push('alone');
    });
    await Promise.all([alone, writer.exclusively(async () => order.push('second')), add('c')]);
    await waiting;
    expect(order[0]).toBe('alone');
    expect(stored()).toEqual(['a', 'c', 'b']);
  });

  test('goes on when the work that had it alone fails', async () => {
    await expect(writer.exclusively(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    await add('a');
    expect(stored()).toEqual(['a']);
  });

  test('fails one bad write alone, with a storage error', async () => {
    await add('a');
    const [again, other] = await Promise.allSettled([add('a'), add('b')]);
    expect(again).toMatchObject({ status: 'rejected', reason: expect.any(StorageError) });
    expect(other.status).toBe('fulfilled');
    expect(stored()).toEqual(['a', 'b']);
  });

  test('refuses what it cannot keep up with', async () => {
    const outcomes = await Promise.allSettled(names(100_100).map(add));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason.message).toBe('storage cannot keep up; send more slowly');
    // The last ones are refused, and whatever was not refused is stored.
    expect(stored()).toEqual(names(100_100 - refused.length));
  });
});

describe('closing', () => {
  test('carries out what somebody writes who was answered last', async () => {
    const outcomes: string[] = [];
    const late = async (): Promise<void> => {
      await add('first');
      await add('second').then(
        () => outcomes.push('stored'),
        (error: Error) => outcomes.push(error.message),
      );
    };
    const writing = late();
    await writer.close();
    // A promise that is never settled has no outcome, however long one waits.
    await Promise.race([writing, new Promise((resolve) => setImmediate(resolve))]);
    expect([outcomes, stored()]).toEqual([['stored'], ['first', 'second']]);
  });

  test('first stores what was asked for', async () => {
    const writes = names(1500).map(add);
    await writer.close();
    expect((await Promise.allSettled(writes)).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(stored()).toHaveLength(1500);
  });

  test('refuses what comes afterwards, and may be repeated', async () => {
    await writer.close();
    await expect(add('late')).rejects.toThrow('storage is closed');
    await writer.close();
    expect(deaths).toEqual([]);
  });

  test('leaves a database that opens again with everything in it', async () => {
    await add('a');
    await writer.close();
    writer = await open();
    await add('b');
    expect(stored()).toEqual(['a', 'b']);
  });
});

describe('a thread that dies', () => {
  test('fails everything under way and everything after, and tells its owner once', async () => {
    await add('a');
    const lost = [killThread(), add('b')];
    for (const outcome of await Promise.allSettled(lost))
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'UnknownOutcomeError',
          message: expect.stringMatching(/the storage writer stopped: .*; restart Signalbox/),
        },
      });
    await expect(add('c')).rejects.toMatchObject({ name: 'StorageError', message: expect.stringMatching(/restart/) });
    expect(deaths).toHaveLength(1);
    writer = await open();
    expect(stored()).toContain('a');
  });

  test('lets a close in progress end', async () => {
    const lost = killThread();
    lost.catch(() => undefined);
    await writer.close();
    await expect(lost).rejects.toThrow(/restart Signalbox/);
  });
});

test('a file that cannot be opened fails the opening in words', async () => {
  const bad = join(folder.dataDir, 'bad.db');
  writeFileSync(bad, 'not a database, '.repeat(400));
  const opening = openWriter(bad, TRADING.migrations, () => undefined);
  await expect(opening).rejects.toBeInstanceOf(StorageError);
  await expect(opening).rejects.toThrow(/is not a SQLite database; it was left untouched/);
});

test('every mutation has a name the thread knows', async () => {
  const unknown = 'noSuchMutation' as MutationName;
  await expect(writer.run(unknown, [] as never)).rejects.toBeInstanceOf(StorageError);
  await add('still alive');
});
