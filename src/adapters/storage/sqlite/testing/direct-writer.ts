// The writer without its thread, for tests of what is written: the same group commit, one write at a time, in the process itself.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../../errors/storage-error.ts';
import { SerialQueue } from '../../../../timing/serial-queue.ts';
import type { Write } from '../../sql/trading/group-commit.ts';
import { errorOf } from '../../sql/trading/write-fault.ts';
import type { Writer } from '../../sql/trading/writer.ts';
import { sqliteGroupCommit } from '../commit-engine.ts';

export function directWriter(db: DatabaseSync, path: string): Pick<Writer, 'run'> {
  const commit = sqliteGroupCommit({ db, path });
  const turns = new SerialQueue();
  return {
    async run(name, args) {
      // As it crosses the thread.
      const writes = JSON.parse(JSON.stringify([[name, args]])) as Write[];
      const [result] = await turns.run(() => commit(writes));
      if (result === undefined) throw new StorageError('no answer');
      if ('error' in result) throw errorOf(result);
      return structuredClone(result.ok) as never;
    },
  };
}
