// Runs a batch of writes in one transaction, so that they share one wait for the disk. One bad write fails alone.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError, UnknownOutcomeError } from '../../../errors/storage-error.ts';
import { inWords, type Sql, statements } from './database.ts';
import { type Batch, newBatch, writeDeskEvents } from './desk-event-mutations.ts';
import { MUTATIONS, type MutationName } from './mutations.ts';
import { steps } from './transaction.ts';

export type Write = readonly [name: MutationName, args: unknown];
export type WriteFault = { readonly error: string; readonly isUnknown: boolean };
export type WriteResult = { readonly ok: unknown } | WriteFault;

/** Everything that is answered with `ok` is committed and on disk. */
export type GroupCommit = (writes: readonly Write[]) => WriteResult[];

export function createGroupCommit({ db, path }: { db: DatabaseSync; path: string }): GroupCommit {
  const sql = statements(db);
  const inOneStep = steps(db, path);

  const apply = ([name, args]: Write, batch: Batch): unknown => {
    const mutation = MUTATIONS[name] as (sql: Sql, args: unknown, batch: Batch) => unknown;
    return mutation(sql, args, batch);
  };
  /** Its events are written at once: they belong to what can be taken back. */
  const applyOrTell = (write: Write): WriteResult => {
    sql('SAVEPOINT one_write').run();
    try {
      const batch = newBatch();
      const ok = apply(write, batch);
      writeDeskEvents(sql, batch);
      return { ok };
    } catch (error) {
      if (!isOfTheWrite(error)) throw error;
      sql('ROLLBACK TO one_write').run();
      return faultOf(inWords(error, path));
    } finally {
      if (db.isTransaction) sql('RELEASE one_write').run();
    }
  };
  const runAll = (writes: readonly Write[], run: (write: Write, batch: Batch) => WriteResult): WriteResult[] =>
    inOneStep(() => {
      const batch = newBatch();
      const results = writes.map((write) => run(write, batch));
      writeDeskEvents(sql, batch);
      return results;
    });

  return (writes) => {
    try {
      return runAll(writes, (write, batch) => ({ ok: apply(write, batch) }));
    } catch (error) {
      if (!isOfTheWrite((error as Error).cause)) return writes.map(() => faultOf(error as Error));
    }
    // A second time and in the same order, each so that it can be taken back alone: which is slower, and seldom.
    try {
      return runAll(writes, applyOrTell);
    } catch (error) {
      return writes.map(() => faultOf(error as Error));
    }
  };
}

const faultOf = (error: Error): WriteFault => ({
  error: error.message,
  isUnknown: error instanceof UnknownOutcomeError,
});

const CONSTRAINT = 19;
const MISMATCH = 20;

/** The write itself is at fault; anything else is about the file, and concerns them all. */
function isOfTheWrite(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StorageError) return false;
  const code = (error as { errcode?: number }).errcode;
  return code === undefined || (code & 0xff) === CONSTRAINT || (code & 0xff) === MISMATCH;
}
