// Runs a batch of writes in one transaction, so that they share one wait for the disk. One bad write fails alone.

import type { InOneStep, Sql } from '../sql.ts';
import { type Batch, newBatch, writeDeskEvents } from './desk-event-mutations.ts';
import { MUTATIONS, type MutationName } from './mutations.ts';
import { type WriteFault, writeFaultOf } from './write-fault.ts';

export type Write = readonly [name: MutationName, args: unknown];
export type WriteResult = { readonly ok: unknown } | WriteFault;

/** Everything that is answered with `ok` is committed and on disk. One batch at a time. */
export type GroupCommit = (writes: readonly Write[]) => Promise<WriteResult[]>;

export interface CommitEngine {
  /** Rejects with the fault in words, and the engine's own as its cause. */
  readonly inOneStep: InOneStep;
  readonly inWords: (error: unknown) => Error;
  /** The write itself is at fault; anything else is about the database, and concerns them all. */
  readonly isOfTheWrite: (error: unknown) => boolean;
}

export function createGroupCommit({ inOneStep, inWords, isOfTheWrite }: CommitEngine): GroupCommit {
  const apply = ([name, args]: Write, sql: Sql, batch: Batch): Promise<unknown> => {
    const mutation = MUTATIONS[name] as (sql: Sql, args: unknown, batch: Batch) => Promise<unknown>;
    return mutation(sql, args, batch);
  };
  /** Its events are written at once: they belong to what can be taken back. */
  const applyOrTell = async (write: Write, sql: Sql): Promise<WriteResult> => {
    await sql.run('SAVEPOINT one_write');
    try {
      const batch = newBatch();
      const ok = await apply(write, sql, batch);
      await writeDeskEvents(sql, batch);
      await sql.run('RELEASE one_write');
      return { ok };
    } catch (error) {
      if (!isOfTheWrite(error)) throw error;
      await sql.run('ROLLBACK TO one_write');
      await sql.run('RELEASE one_write');
      return writeFaultOf(inWords(error));
    }
  };
  const together = (writes: readonly Write[]): Promise<WriteResult[]> =>
    inOneStep(async (sql) => {
      const batch = newBatch();
      const results: WriteResult[] = [];
      for (const write of writes) results.push({ ok: await apply(write, sql, batch) });
      await writeDeskEvents(sql, batch);
      return results;
    });
  const eachAlone = (writes: readonly Write[]): Promise<WriteResult[]> =>
    inOneStep(async (sql) => {
      const results: WriteResult[] = [];
      for (const write of writes) results.push(await applyOrTell(write, sql));
      return results;
    });

  return async (writes) => {
    try {
      return await together(writes);
    } catch (error) {
      if (!isOfTheWrite((error as Error).cause)) return writes.map(() => writeFaultOf(error as Error));
    }
    // A second time and in the same order, each so that it can be taken back alone: which is slower, and seldom.
    try {
      return await eachAlone(writes);
    } catch (error) {
      return writes.map(() => writeFaultOf(error as Error));
    }
  };
}
