// Group commits on SQLite, for one connection that nobody else uses.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { createGroupCommit, type GroupCommit } from '../sql/trading/group-commit.ts';
import { inWords } from './database.ts';
import { sqlOf } from './sql.ts';
import { waitingSteps } from './transaction.ts';

export function sqliteGroupCommit({ db, path }: { db: DatabaseSync; path: string }): GroupCommit {
  const sql = sqlOf(db);
  const inOneStep = waitingSteps(db, path);
  return createGroupCommit({
    inOneStep: (work) => inOneStep(() => work(sql)),
    inWords: (error) => inWords(error, path),
    isOfTheWrite,
  });
}

const CONSTRAINT = 19;
const MISMATCH = 20;

function isOfTheWrite(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StorageError) return false;
  const code = (error as { errcode?: number }).errcode;
  return code === undefined || (code & 0xff) === CONSTRAINT || (code & 0xff) === MISMATCH;
}
