// Runs a batch of writes in one durable transaction; one bad write fails alone, a bad disk fails them all.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageError } from '../../../trading/storage-error.ts';
import { fileGuard, inWords, statements } from './database.ts';
import { MUTATIONS, type MutationName } from './mutations.ts';

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

  const inOneTransaction = (batch: readonly Write[]): WriteResult[] => {
    assertSameFile();
    begin.run();
    try {
      const results = batch.map((write) => ({ ok: apply(write) }));
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
