// Runs a batch of writes in one durable transaction; one bad write fails alone, a bad disk fails them all.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageError } from '../../../trading/storage-error.ts';
import { fileGuard, inWords, statements } from './database.ts';
import { MUTATIONS, type MutationName } from './mutations.ts';

/** Often enough that recovery looks at a few thousand rows, seldom enough to cost nothing. */
const MARK_EVERY_MS = 1000;

export type Write = readonly [name: MutationName, args: readonly unknown[]];
export type WriteResult = { readonly ok: unknown } | { readonly error: string };

export function createGroupCommit(db: DatabaseSync, path: string): (batch: readonly Write[]) => WriteResult[] {
  const sql = statements(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const assertSameFile = fileGuard(path);

  const apply = ([name, args]: Write): unknown => {
    const mutation = MUTATIONS[name] as (sql: (text: string) => StatementSync, args: readonly unknown[]) => unknown;
    return mutation(sql, args);
  };

  let markedAtMs = 0;
  const moveRecoveryMark = (): void => {
    markedAtMs = performance.now();
    // Walks over what has ended since the last time: every row is passed once.
    sql(`UPDATE recovery_mark SET seq = coalesce(
      (SELECT seq FROM trades WHERE trades.seq >= recovery_mark.seq AND state IN ('accepted', 'sending')
        ORDER BY seq LIMIT 1),
      (SELECT max(seq) + 1 FROM trades), 0)`).run();
  };

  const inOneTransaction = (batch: readonly Write[]): WriteResult[] => {
    assertSameFile();
    begin.run();
    try {
      const results = batch.map((write) => ({ ok: apply(write) }));
      if (performance.now() - markedAtMs > MARK_EVERY_MS) moveRecoveryMark();
      commit.run();
      return results;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };

  return (batch) => {
    try {
      return inOneTransaction(batch);
    } catch (error) {
      const words = inWords(error, path).message;
      if (batch.length === 1 || isAboutTheFile(error)) return batch.map(() => ({ error: words }));
    }
    // One write is at fault: give each its own transaction, so that only that one fails.
    return batch.flatMap((write) => {
      try {
        return inOneTransaction([write]);
      } catch (error) {
        return [{ error: inWords(error, path).message }];
      }
    });
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
