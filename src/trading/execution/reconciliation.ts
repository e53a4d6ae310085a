// What came out when an account was compared with its venue: its differences, and what became of each.

import type { AccountName } from '../accounts.ts';

/**
 * - `position`: the venue holds something else than our books.
 * - `order-ended`: an order of ours rests in our books and not at the venue.
 * - `order-unknown`: an order with our prefix rests at the venue, and our books do not have it.
 * - `order-foreign`: an order rests at the venue that we have not sent.
 * - `balance`: the balance has changed by more than fills, fees and funding explain.
 */
export type DifferenceKind = 'position' | 'order-ended' | 'order-unknown' | 'order-foreign' | 'balance';

/**
 * - `adopted`: our books say now what the venue says.
 * - `told`: nothing was changed; its owner must look at it.
 * - `open`: it could not be settled yet, or is not believed yet, and is looked at again at the next comparison.
 */
export type DifferenceOutcome = 'adopted' | 'told' | 'open';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly outcome: DifferenceOutcome;
  /** Absent where it is of the whole account. */
  readonly market?: string;
  readonly detail: string;
}

/** One comparison of a whole account. */
export interface Comparison {
  readonly atMs: number;
  /** How many the venue has. */
  readonly positions: number;
  readonly orders: number;
  readonly differences: readonly Difference[];
}

/** How an account stands. */
export interface Reconciliation extends AccountName {
  /** The last comparison that came to its end; absent where there was none since the start. */
  readonly last?: Comparison;
  /** Why the latest comparison could not be made; absent where it was. */
  readonly error?: string;
  /** Differences of earlier comparisons since the start, the newest first. */
  readonly earlier: readonly (Difference & { readonly atMs: number })[];
}
