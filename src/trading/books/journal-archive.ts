// Old rows leave the journal for files of their own, one for each month.
//
//   looked through ──► leaving (one step per group: reports leave it out) ──► in its file, read back ──► deleted
//
// A row is deleted by the step that finds it unchanged since it was read back from its file. Killed between any two of these,
// the next run goes on: what is leaving still leaves, and what is in its file already is written over with the same.

import type { Timers } from '../../timing/timers.ts';
import { wait } from '../../timing/wait.ts';
import { type OldTrade, SettledTrades } from './settled-trades.ts';

/** The longest that an idempotency key can be claimed, and longer than stops lock a market or venues list liquidations. */
export const YOUNGEST_DAYS = 30;

/** Between two steps the desk has its turn. */
const PAUSE_MS = 2;
/** Numbers of trades that begin to leave in one step, if their groups are small. */
const LEAVING_AT_ONCE = 1000;
/** Somebody changes a row each time that it is about to leave. */
const MAX_TRIES = 5;

/**
 * What leaves, in this order: a refusal that could be sent again goes before the trade that it was sent again as, and the
 * list of signals names no trade that is not there.
 */
export const ARCHIVED_KINDS = ['refusals', 'trades', 'desk_events', 'trade_signals'] as const;
export type ArchivedKind = (typeof ARCHIVED_KINDS)[number];

export type ArchivedValue = string | number | bigint | Uint8Array | null;

/** The rows of one table, in the order of their keys. */
export interface ArchivedTable {
  readonly table: string;
  readonly rows: readonly Readonly<Record<string, ArchivedValue>>[];
}

/** What leaves in one step, a thousand rows at most where they are not those of a single trade. */
export interface ArchiveBatch {
  /** The table whose rows have these numbers; to a trade belong rows of other tables too. */
  readonly of: ArchivedKind;
  readonly seqs: readonly number[];
  /** Of all its rows, as `2025-03`. */
  readonly month: string;
  readonly tables: readonly ArchivedTable[];
  /** Of the rows. */
  readonly digest: string;
}

/** The journal, for whoever takes old rows out of it. */
export interface ArchivableJournal {
  /** Every trade that came before then, oldest first. */
  oldTrades(beforeMs: number): AsyncIterable<readonly OldTrade[]>;
  /** The markets in which nothing is open and nothing was traded since then. */
  closedMarkets(beforeMs: number): Promise<ReadonlySet<string>>;
  /** Since when everything is there; 0 where nothing has left. */
  completeFromMs(): Promise<number>;
  /** In one step; those groups stay of which a trade may not leave after all. */
  beginLeaving(groups: readonly (readonly number[])[], beforeMs: number): Promise<void>;
  /** The next that leaves of this kind behind a number, 0 at first; of trades, those that are leaving. */
  nextBatch(of: ArchivedKind, beforeMs: number, afterSeq: number): Promise<ArchiveBatch | undefined>;
  /** False where a row of it has changed, and then none is deleted. */
  remove(batch: Pick<ArchiveBatch, 'of' | 'seqs' | 'digest'>, beforeMs: number): Promise<boolean>;
}

export interface ArchiveFiles {
  /** Resolves to the digest of what was read back from the disk. */
  write(batch: ArchiveBatch): Promise<string>;
}

export interface ArchiveProgress {
  trades: number;
  rows: number;
  readonly months: Set<string>;
}

export interface ArchiveParts {
  readonly journal: ArchivableJournal;
  readonly files: ArchiveFiles;
  readonly timers: Timers;
}

export interface ArchiveRun {
  readonly beforeMs: number;
  readonly progress: ArchiveProgress;
  /** Ends it between two steps. */
  readonly signal?: AbortSignal | undefined;
}

/** One at a time. */
export async function archiveJournal(parts: ArchiveParts, run: ArchiveRun): Promise<void> {
  // What an earlier run has begun comes first, and refusals before trades.
  await moveOut(parts, run);
  await letTradesLeave(parts, run);
  await moveOut(parts, run);
}

async function letTradesLeave({ journal, timers }: ArchiveParts, { beforeMs, signal }: ArchiveRun): Promise<void> {
  const settled = new SettledTrades(beforeMs);
  for await (const trades of journal.oldTrades(beforeMs)) {
    signal?.throwIfAborted();
    settled.add(trades);
  }
  const closed = await journal.closedMarkets(beforeMs);
  let groups: (readonly number[])[] = [];
  let count = 0;
  for (const group of settled.groups((market) => closed.has(market))) {
    groups.push(group);
    count += group.length;
    if (count < LEAVING_AT_ONCE) continue;
    signal?.throwIfAborted();
    await journal.beginLeaving(groups, beforeMs);
    await wait(PAUSE_MS, { timers });
    [groups, count] = [[], 0];
  }
  if (groups.length > 0) await journal.beginLeaving(groups, beforeMs);
}

async function moveOut(parts: ArchiveParts, run: ArchiveRun): Promise<void> {
  for (const of of ARCHIVED_KINDS) {
    let [after, tries] = [0, 0];
    for (;;) {
      run.signal?.throwIfAborted();
      const batch = await parts.journal.nextBatch(of, run.beforeMs, after);
      if (batch === undefined) break;
      if (await moveBatch(parts, run, batch)) [after, tries] = [batch.seqs.at(-1) as number, 0];
      else if (++tries === MAX_TRIES)
        throw new Error('rows change as fast as they are archived; run the archive again when less is written');
      await wait(PAUSE_MS, { timers: parts.timers });
    }
  }
}

/** False where it has changed meanwhile: it is read anew. */
async function moveBatch(
  { journal, files }: ArchiveParts,
  { beforeMs, progress }: ArchiveRun,
  batch: ArchiveBatch,
): Promise<boolean> {
  if ((await files.write(batch)) !== batch.digest)
    throw new Error(
      `the archive file of ${batch.month} does not hold what was written to it, so nothing of it was deleted; look at the disk`,
    );
  if (!(await journal.remove(batch, beforeMs))) return false;
  progress.trades += batch.of === 'trades' ? batch.seqs.length : 0;
  progress.rows += batch.tables.reduce((sum, { rows }) => sum + rows.length, 0);
  progress.months.add(batch.month);
  return true;
}
