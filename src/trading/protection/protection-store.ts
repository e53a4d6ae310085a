// The port that keeps protections. Calls are synchronous; what they write survives the end of the process.

import type { Levels, PositionName, Protection } from './protection.ts';

/** What an entry asked for, written down before the entry is accepted. */
export interface Wish {
  readonly requestId: string;
  readonly createdAtMs: number;
  readonly levels: Levels;
}

/** Everything in it is written in one step, or nothing. */
export interface ProtectionChange {
  readonly save?: readonly Protection[];
  readonly remove?: readonly PositionName[];
  /** Request ids of wishes that were granted or are no longer wanted. */
  readonly wishesOver?: readonly string[];
}

export interface ProtectionStore {
  load(): { readonly protections: readonly Protection[]; readonly wishes: readonly Wish[] };
  /**
   * `relaxed` does not wait for the disk: it survives a crash of the process, and a power cut may take it back to the
   * step before, whole.
   */
  write(change: ProtectionChange, how: 'durable' | 'relaxed'): void;
  addWish(wish: Wish): void;
}
