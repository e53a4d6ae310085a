// The port that keeps protections. What a write says is on disk when it resolves, and writes are carried out in their order.

import type { PositionName } from '../books/position.ts';
import type { Levels, Protection } from './protection.ts';

/** What an entry asked for. The journal writes it down with the entry: neither is ever there without the other. */
export interface PendingStop {
  readonly requestId: string;
  readonly createdAtMs: number;
  readonly levels: Levels;
}

/** Everything in it is written in one step, or nothing. */
export interface ProtectionChange {
  readonly save?: readonly Protection[];
  readonly remove?: readonly PositionName[];
  /** Request ids of entries whose pending stops became protections or are no longer wanted. */
  readonly settled?: readonly string[];
}

export interface ProtectionStore {
  load(): { readonly protections: readonly Protection[]; readonly pending: readonly PendingStop[] };
  write(change: ProtectionChange): Promise<void>;
}
