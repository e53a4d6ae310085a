// The twin marks port: which live trades have a twin, and where the market stood at the two moments that tell what a delay cost.

import type { AccountName } from '../accounts.ts';
import type { Mark } from './twin-gap.ts';

export interface TwinnedTrade extends Omit<AccountName, 'mode'> {
  /** The same for the live trade and its twin. */
  readonly tradeId: string;
  readonly acceptedAtMs: number;
}

export interface MarkedTrade extends TwinnedTrade {
  readonly accepted?: Mark;
  readonly sent?: Mark;
}

export const MARKED_MOMENTS = ['accepted', 'sent'] as const;
export type MarkedMoment = (typeof MARKED_MOMENTS)[number];

export interface TwinMarks {
  /** Before the twin trades. */
  begin(trades: readonly TwinnedTrade[]): Promise<void>;
  /** The first mark of a moment counts: a trade may send several orders. */
  mark(tradeId: string, moment: MarkedMoment, mark: Mark): Promise<void>;
  /** Every trade of an account that has a twin, oldest first. */
  of(account: Omit<AccountName, 'mode'>): Promise<readonly MarkedTrade[]>;
}
