// The port that keeps protections. What a write says is on disk when it resolves, and writes are carried out in their order.

import type { ShareName } from '../books/strategy-book.ts';
import type { ProtectRequest } from '../signal.ts';
import type { Protection } from './protection.ts';

/** What an entry asks for. The journal writes it down with the entry that brings it; the owner may give it to one that waits. */
export interface PendingStop {
  readonly requestId: string;
  readonly createdAtMs: number;
  readonly asked: ProtectRequest;
  /** What it will guard; absent where its entry is not in the journal. */
  readonly share?: ShareName;
}

/** Everything in it is written in one step, or nothing. */
export interface ProtectionChange {
  readonly save?: readonly Protection[];
  readonly remove?: readonly ShareName[];
  /** Stops that wait, as they are asked for now; also of an entry in the journal that had none until now. */
  readonly pending?: readonly PendingStop[];
  /** Request ids of entries whose pending stops became protections or are no longer wanted. */
  readonly settled?: readonly string[];
}

export interface ProtectionStore {
  load(): Promise<{ readonly protections: readonly Protection[]; readonly pending: readonly PendingStop[] }>;
  write(change: ProtectionChange): Promise<void>;
}
