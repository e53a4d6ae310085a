// The port of the runs that users keep. No call for a user reaches another user's rows.

import type { KeptRun } from './kept-run.ts';
import type { Stretch } from './market-stretch.ts';

/** Market and account as they were asked for: with them, the script and its inputs the run is made again. */
export interface AskedRun extends Stretch {
  /** As its owner spelled it. */
  readonly symbol: string;
  readonly interval: string;
  readonly tradeFromMs?: number | undefined;
  readonly tradeToMs?: number | undefined;
  readonly initialCapital?: number | undefined;
  readonly checksRepaint: boolean;
}

export type StoredRun = KeptRun & { readonly asked: AskedRun };
export type RunSummary = Omit<StoredRun, 'trades'>;

/** What a call says is durable when its promise resolves. */
export interface RunStore {
  /** Where there are too many, the oldest without a note goes; `full` where all have one. */
  add(userId: string, run: StoredRun): Promise<'added' | 'full'>;
  /** Newest first. */
  list(userId: string): Promise<readonly RunSummary[]>;
  read(userId: string, id: string): Promise<StoredRun | undefined>;
  /** False where it is not there, as in the next. */
  note(userId: string, id: string, note: string): Promise<boolean>;
  remove(userId: string, id: string): Promise<boolean>;
}
