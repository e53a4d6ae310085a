// The writer without its thread, for tests of what is written: the same group commit, one write at a time, in the process itself.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError, UnknownOutcomeError } from '../../../../errors/storage-error.ts';
import { createGroupCommit, type Write } from '../group-commit.ts';
import type { Writer } from '../writer.ts';

export function directWriter(db: DatabaseSync, path: string): Pick<Writer, 'run'> {
  const commit = createGroupCommit({ db, path });
  return {
    async run(name, args) {
      // As it crosses the thread.
      const [result] = commit(JSON.parse(JSON.stringify([[name, args]])) as Write[]);
      if (result === undefined || 'error' in result)
        throw new (result?.isUnknown ? UnknownOutcomeError : StorageError)(result?.error ?? 'no answer');
      return structuredClone(result.ok) as never;
    },
  };
}
