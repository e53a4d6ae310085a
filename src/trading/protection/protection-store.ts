// The port that keeps protections. What a write says is on disk when it resolves, and writes are carried out in their order.

import type { Levels, PositionName, Protection } from './protection.ts';

/** What an entry asked for. The journal writes it down with the entry: neither is ever there without the other. */
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
  write(change: ProtectionChange): Promise<void>;
}
