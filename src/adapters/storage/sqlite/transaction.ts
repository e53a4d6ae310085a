// One transaction per step, whole or not at all; and what a COMMIT means that fails.
//
// SQLite writes a commit into its write-ahead log and then syncs that file. When the sync fails, the connection takes the
// commit back, and nobody sees it; but its bytes are in the file, and after a crash the next start would find them whole
// and take them for true (tried, see docs/decisions/0020). The next commit that succeeds is written over them. So such a
// step is run a second time at once. If that succeeds, nothing has happened; if not, nobody can say what the next start
// will find, and the error says exactly that.

import type { DatabaseSync } from 'node:sqlite';
import { UnknownOutcomeError } from '../../../errors/storage-error.ts';
import { assertNoDamageFound } from '../found-damage.ts';
import { fileGuard, inWords, statements } from './database.ts';

const BUSY = 5;
const FULL = 13;
const IOERR_WRITE = 778;

/** Not all of its bytes were written, or none: a start that reads the file finds no commit in them. */
const isCertainlyGone = (errcode: number | undefined): boolean =>
  errcode === BUSY || errcode === FULL || errcode === IOERR_WRITE;

class CommitFailed extends Error {
  readonly isInDoubt: boolean;
  constructor(cause: unknown) {
    super('the commit failed', { cause });
    this.isInDoubt = !isCertainlyGone((cause as { errcode?: number }).errcode);
  }
}

/** When the step is returned, it is on disk. Whatever goes wrong is told in words. */
export function steps(db: DatabaseSync, path: string): <T>(work: () => T) => T {
  const assertSameFile = fileGuard(path);
  const run = <T>(work: () => T): T => {
    assertSameFile();
    try {
      db.exec('BEGIN IMMEDIATE');
      const result = work();
      commit(db);
      return result;
    } finally {
      takeBack(db);
    }
  };
  return (work) => {
    try {
      return run(work);
    } catch (error) {
      const doubt = doubtOf(error, path);
      try {
        return run(work);
      } catch {
        throw doubt;
      }
    }
  };
}

/** The same for work that waits. Whoever calls it sees to it that nobody else uses the connection meanwhile. */
export function waitingSteps(db: DatabaseSync, path: string): <T>(work: () => Promise<T>) => Promise<T> {
  const assertSameFile = fileGuard(path);
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    assertSameFile();
    try {
      db.exec('BEGIN IMMEDIATE');
      const result = await work();
      commit(db);
      return result;
    } finally {
      takeBack(db);
    }
  };
  return async (work) => {
    try {
      return await run(work);
    } catch (error) {
      const doubt = doubtOf(error, path);
      return run(work).catch(() => {
        throw doubt;
      });
    }
  };
}

function commit(db: DatabaseSync): void {
  try {
    db.exec('COMMIT');
  } catch (error) {
    throw new CommitFailed(error);
  }
}

function takeBack(db: DatabaseSync): void {
  if (db.isOpen && db.isTransaction) db.exec('ROLLBACK');
}

/** What to tell if the step fails a second time; a failure that leaves no doubt is told at once. */
function doubtOf(error: unknown, path: string): UnknownOutcomeError {
  if (!(error instanceof CommitFailed)) throw inWords(error, path);
  if (!error.isInDoubt) throw inWords(error.cause, path);
  return new UnknownOutcomeError(inWords(error.cause, path).message, { cause: error.cause });
}

/** A probe that really writes; for databases with a table `heartbeat`. */
export function heartbeat(db: DatabaseSync, path: string): () => void {
  const sql = statements(db);
  const inOneStep = steps(db, path);
  const beat = 'INSERT INTO heartbeat (id, beats) VALUES (1, 1) ON CONFLICT DO UPDATE SET beats = beats + 1';
  return () => {
    assertNoDamageFound(path);
    inOneStep(() => void sql(beat).run());
  };
}
