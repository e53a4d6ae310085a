// One event of the past, with the moment at which a replay lets it happen again.

import type { AccountName } from '../accounts.ts';
import type { AuditEntry } from '../intake/controls.ts';
import type { RefusedSignal } from '../intake/refusals.ts';
import type { StopChange } from '../protection/owner-changes.ts';
import type { RecordedTrade } from './recorded-past.ts';

export type ReplayEvent = { readonly atMs: number } /** A change of what lets signals pass. */ & (
  | { readonly kind: 'control'; readonly entry: AuditEntry }
  /** A signal with a trade for each of its accounts. */
  | { readonly kind: 'signal'; readonly trades: readonly [RecordedTrade, ...RecordedTrade[]] }
  | { readonly kind: 'refused'; readonly refused: RefusedSignal }
  /** The turn of a trade in its lane has come. */
  | { readonly kind: 'turn'; readonly requestId: string }
  /** The owner, or a kill switch, closed: its turn in its lane has come. */
  | { readonly kind: 'close'; readonly trade: RecordedTrade }
  | { readonly kind: 'cancel'; readonly clientOrderId: string; readonly by: string }
  /** Stops were looked at, and one was reached. */
  | { readonly kind: 'stop'; readonly share: string }
  /** This account went along with the market: a resting order filled, or the venue closed a position itself. */
  | { readonly kind: 'match'; readonly account: AccountName }
  /** The owner set, moved or took away stops by hand. */
  | { readonly kind: 'guard'; readonly changed: StopChange }
  /** The time of a resting order was over. */
  | { readonly kind: 'due'; readonly clientOrderId: string }
);
