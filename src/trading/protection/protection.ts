// A protection: the stops of one position, and where they stand.
//
//   waiting ──► active ──► closing ──► gone
//      └───────────┴──────────┴─────────┘   the position was closed by somebody else, or the owner took the stop away
//
// `waiting`: the activation price was not reached yet. `closing`: a level was reached; the position is closed by an order
// whose request id was decided when the protection was made, so that no crash can make two of them.

import type { PositionName } from '../books/position.ts';
import type { Decimal } from '../decimal.ts';
import type { ProtectionSource } from '../signal.ts';

/** How far behind the best price the stop follows: in percent of that price, or as a price difference. */
export type Trail = { readonly percent: Decimal } | { readonly amount: Decimal };

export interface Levels {
  readonly trail?: Trail;
  /** The trail begins when this price is reached; absent means at once. */
  readonly activationPrice?: Decimal;
  readonly stopLoss?: Decimal;
  readonly takeProfit?: Decimal;
}

export interface Trigger {
  readonly by: ProtectionSource;
  readonly level: Decimal;
}

export interface Protection extends PositionName, Levels {
  readonly createdAtMs: number;
  /** The entry that asked for it; absent where the owner asked. */
  readonly origin?: string;
  /** The best price since the trail began; absent before that. */
  readonly peak?: Decimal;
  /** The market was looked at up to here: a full second, or the moment in which the stop was made. */
  readonly seenUntilMs: number;
  readonly closeRequestId: string;
  readonly fired?: Trigger & { readonly atMs: number };
}

export type ProtectionStatus = 'waiting' | 'active' | 'closing';

export function statusOf({ fired, trail, peak, stopLoss, takeProfit }: Protection): ProtectionStatus {
  if (fired) return 'closing';
  const isWaiting = trail !== undefined && peak === undefined && stopLoss === undefined && takeProfit === undefined;
  return isWaiting ? 'waiting' : 'active';
}

/** Whole seconds are the grain of every look at the market. */
export const SECOND_MS = 1000;
export const secondBefore = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;
