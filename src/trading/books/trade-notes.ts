// The port of trade notes: what the owner has written beside a trade, and the tags by which he finds it again.

import type { Trade } from './journal.ts';

export interface TradeNote {
  /** Empty where there is none. */
  readonly note: string;
  readonly tags: readonly string[];
}

export const NO_NOTE: TradeNote = { note: '', tags: [] };

/** What is absent stays as it is. */
export type NoteChange = Partial<TradeNote>;

export interface TradeNotes {
  /** By the `seq` of the trade; one without a note is left out. */
  of(trades: readonly Pick<Trade, 'seq'>[]): Promise<ReadonlyMap<number, TradeNote>>;
  /** On disk when it resolves; undefined where there is no such trade. */
  change(
    requestId: string,
    change: NoteChange,
    atMs: number,
  ): Promise<{ readonly before: TradeNote; readonly after: TradeNote } | undefined>;
}
