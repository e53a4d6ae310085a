// Says whether a commit holds whose answer was lost: each writer has one row, into which each of its steps writes its number.
// So the row tells after a crash, a cut connection or a failover which step was the last. The number of a transaction
// would not do: a server that crashes gives one that was never written down to the next transaction.

import { UnknownOutcomeError } from '../../../errors/storage-error.ts';
import { foregroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import type { Connection } from './connection.ts';
import { postgresFault } from './postgres-faults.ts';

export interface StepMark {
  readonly writer: string;
  readonly step: number;
}

export const MARK = `INSERT INTO writer_marks (writer, step, at) VALUES (?, ?, ?)
  ON CONFLICT (writer) DO UPDATE SET step = excluded.step, at = excluded.at`;

/** It waits for a transaction that has written the row and is not over, and keeps it from being written unseen. */
const LOOK = `INSERT INTO writer_marks (writer, step, at) VALUES (?, 0, ?)
  ON CONFLICT (writer) DO UPDATE SET at = excluded.at RETURNING step`;

export const FORGET = 'DELETE FROM writer_marks WHERE writer = ?';
/** Of writers that were killed. A living one that has not written for so long writes its row anew. */
export const FORGET_OLD = 'DELETE FROM writer_marks WHERE at < ?';
export const OLD_MS = 30 * 24 * 3600 * 1000;

/** Longer than a transaction lasts whose client is gone (connection.ts). */
export const SETTLE_MS = 4000;
const PAUSE_MS = 100;

export interface MarkSearch {
  readonly mark: StepMark;
  readonly where: string;
  readonly connect: () => Promise<Connection>;
  /** How long the database may be asked for it. */
  readonly settleMs: number;
}

/** Throws UnknownOutcomeError when nobody can say it in time. */
export async function isCommitted({ mark, where, connect, settleMs }: MarkSearch): Promise<boolean> {
  const deadlineMs = performance.now() + settleMs;
  for (;;) {
    try {
      const connection = await connect();
      const { rows } = await connection.ask(LOOK, [mark.writer, Date.now()]);
      return rows[0]?.step === mark.step;
    } catch (error) {
      if (performance.now() > deadlineMs) throw unknown(where, error);
      await wait(PAUSE_MS, { timers: foregroundTimers });
    }
  }
}

const unknown = (where: string, error: unknown): UnknownOutcomeError =>
  new UnknownOutcomeError(
    `${postgresFault(where, error).message} (it was lost in the moment of a commit, and only it knows whether that holds)`,
    { cause: error },
  );
