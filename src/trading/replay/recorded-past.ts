// What a journal and its audit tell of the past: everything a replay sends again, and the moments at which it happened.

import type { AccountName } from '../accounts.ts';
import type { BookedFill, Trade, TradeOrder } from '../books/journal.ts';
import type { Position } from '../books/position.ts';
import type { StrategyBook } from '../books/strategy-book.ts';
import type { Decimal } from '../decimal.ts';
import type { AuditEntry } from '../intake/controls.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import type { StopChange } from '../protection/owner-changes.ts';
import type { Funding } from '../venue.ts';

export interface RecordedOrder extends TradeOrder {
  /** It was about to be sent: the facts it was planned with are of this moment. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When its venue took it, by the venue's own books; absent where it never arrived. */
  readonly placedAtMs?: number;
  readonly fills: readonly BookedFill[];
}

/** Somebody asked for a cancel of the orders of a trade. */
export interface RecordedCancel {
  readonly atMs: number;
  /** In words, as the trade's history has it. */
  readonly detail: string;
}

export interface RecordedTrade {
  /** With the stops it asked for, where they were written down. */
  readonly trade: Trade;
  readonly orders: readonly RecordedOrder[];
  readonly cancels: readonly RecordedCancel[];
  /** Its last word so far. */
  readonly updatedAtMs: number;
}

export interface RecordedAccount extends AccountName {
  /** Before the first fill. */
  readonly startingBalance: Decimal;
  /** What holding positions has brought, or cost where it is negative. */
  readonly funding: readonly Funding[];
  readonly balance: Decimal;
}

export interface RecordedPast {
  /** In the order of acceptance. */
  readonly trades: readonly RecordedTrade[];
  /** Oldest first; also of signals that stand in the journal, because their trade was refused later. */
  readonly refusals: readonly RefusedSignal[];
  /** Oldest first. */
  readonly audit: readonly AuditEntry[];
  /** What the owner changed at stops by hand, oldest first. */
  readonly stopChanges: readonly StopChange[];
  readonly accounts: readonly RecordedAccount[];
  readonly positions: readonly Position[];
  readonly books: readonly StrategyBook[];
}
