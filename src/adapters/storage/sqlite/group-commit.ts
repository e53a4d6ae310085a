// Runs writes in one open transaction, makes every batch durable in the commit log, and commits the transaction in bulk.
//
//   batch ──► run in the open transaction ──► record in the log, on disk ──► answered
//                                                     │
//              every fraction of a second ────────────┴──► COMMIT, log starts over
//
// A crash before the COMMIT takes the transaction back; the log's records are then run again, in the same order and with
// the same results. The same happens in place when a statement or the COMMIT fails. One bad write fails alone.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageError } from '../../../trading/storage-error.ts';
import { type CommitLog, logPath } from './commit-log.ts';
import { fileGuard, inWords, statements } from './database.ts';
import { hasManyUnrecorded, recordAccepted } from './journal-mutations.ts';
import { writeAllLate } from './late-writes.ts';
import { MUTATIONS, type MutationName } from './mutations.ts';

/** Often enough that recovery looks at a few thousand rows, seldom enough to cost nothing. */
const MARK_EVERY_MS = 1000;

export type Write = readonly [name: MutationName, args: readonly unknown[]];
export type WriteResult = { readonly ok: unknown } | { readonly error: string };

export interface GroupCommit {
  /** The text is JSON of a list of writes. Everything that is answered with `ok` is durable. */
  write(text: string): WriteResult[];
  /** Work that the commit would otherwise have to do, for a moment when nobody waits. */
  prepareCommit(): void;
  /** True while writes are durable in the log only, unseen by other connections. */
  isOpen(): boolean;
  /** Brings everything into the database for others to see; throws when that is not possible now. */
  commit(): void;
}

const parse = (text: string): readonly Write[] => JSON.parse(text) as readonly Write[];

export function createGroupCommit(options: {
  db: DatabaseSync;
  path: string;
  log: CommitLog;
  onCommit: (loggedBytes: number) => void;
}): GroupCommit {
  const { db, path, log, onCommit } = options;
  let sql = statements(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commitNow = db.prepare('COMMIT');
  const assertSameFile = fileGuard(path);
  /** Number of the newest record, and of the newest one that the database has committed. */
  let last = 0;
  let applied = 0;
  let markedAtMs = 0;

  const apply = ([name, args]: Write): unknown => {
    const mutation = MUTATIONS[name] as (sql: (text: string) => StatementSync, args: readonly unknown[]) => unknown;
    return mutation(sql, args);
  };

  const moveRecoveryMark = (): void => {
    markedAtMs = performance.now();
    // Walks over what has ended since the last time: every row is passed once.
    sql(`UPDATE recovery_mark SET seq = coalesce(
      (SELECT seq FROM trades WHERE trades.seq >= recovery_mark.seq AND state IN ('accepted', 'sending')
        ORDER BY seq LIMIT 1),
      (SELECT max(seq) + 1 FROM trades), 0)`).run();
  };

  const finish = (): void => {
    if (performance.now() - markedAtMs > MARK_EVERY_MS) moveRecoveryMark();
    writeAllLate(sql);
    recordAccepted(sql);
    sql('UPDATE commit_log SET applied = ?').run(last);
    commitNow.run();
    applied = last;
    onCommit(log.startOver());
  };

  const takeBack = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK');
    // What the mutations remember about rows goes with the statements: it may have been taken back.
    sql = statements(db);
  };

  /** What is acknowledged but was taken back is run again from the log. */
  const redo = (): void => {
    const records = log.after(applied);
    if (records.length === 0) return;
    begin.run();
    for (const { text } of records) parse(text).forEach(apply);
    finish();
  };

  const commit = (): void => {
    try {
      assertSameFile();
      if (db.isTransaction) finish();
      else if (applied !== last) redo();
    } catch (error) {
      takeBack();
      throw inWords(error, path);
    }
  };

  /** In the log, or when it cannot take it, in the database. */
  const makeDurable = (text: string): void => {
    let logged = false;
    try {
      logged = log.append(last + 1, text);
    } catch {
      // A log that cannot be written is no reason to refuse what the database may still take.
    }
    if (logged) last++;
    else finish();
  };

  const runTogether = (writes: readonly Write[], text: string): WriteResult[] => {
    assertSameFile();
    if (!db.isTransaction && applied !== last) redo();
    if (!db.isTransaction) begin.run();
    const results = writes.map((write) => ({ ok: apply(write) }));
    makeDurable(text);
    return results;
  };

  /** Each in a transaction of its own, so that only the one at fault fails. */
  const runAlone = (write: Write): WriteResult => {
    try {
      if (applied !== last) redo();
      begin.run();
      const ok = apply(write);
      finish();
      return { ok };
    } catch (error) {
      takeBack();
      return { error: inWords(error, path).message };
    }
  };

  const start = (): void => {
    applied = Number(sql('SELECT applied FROM commit_log').get()?.applied);
    const records = log.after(applied);
    last = records.at(-1)?.number ?? applied;
    if (last - records.length !== applied) {
      throw new StorageError(
        `${path} is older than its commit log (a restored backup?); to go on without the log, move ${logPath(path)} away`,
      );
    }
    if (log.isForeign && records.length > 0) {
      throw new StorageError(
        `${logPath(path)} holds writes of another version of Signalbox; start that version once and stop it, then start this one`,
      );
    }
    if (log.isForeign) log.adopt();
    commit();
  };

  start();
  return {
    write(text) {
      const writes = parse(text);
      try {
        return runTogether(writes, text);
      } catch (error) {
        takeBack();
        if (writes.length > 1 && !isAboutTheFile(error)) return writes.map(runAlone);
        const { message } = inWords(error, path);
        return writes.map(() => ({ error: message }));
      }
    },
    prepareCommit() {
      if (!db.isTransaction || !hasManyUnrecorded(sql)) return;
      try {
        recordAccepted(sql);
      } catch {
        // The next write or commit starts again from the log.
        takeBack();
      }
    },
    isOpen: () => db.isTransaction || applied !== last,
    commit,
  };
}

const CONSTRAINT = 19;
const MISMATCH = 20;
const isAboutTheFile = (error: unknown): boolean => {
  const code = (error as { errcode?: number }).errcode;
  return (
    error instanceof StorageError || (code !== undefined && (code & 0xff) !== CONSTRAINT && (code & 0xff) !== MISMATCH)
  );
};
