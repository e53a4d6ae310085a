// The status words of the contract, one for each state of the journal.

import type { TradeState } from './journal.ts';

export const TRADE_STATUSES = [
  'Enqueued',
  'Submitted',
  'PartiallyFilled',
  'Filled',
  'Canceled',
  'Rejected',
  'Expired',
  'Unknown',
] as const;
export type TradeStatus = (typeof TRADE_STATUSES)[number];

export const STATUS_OF: Readonly<Record<TradeState, TradeStatus>> = {
  accepted: 'Enqueued',
  sending: 'Enqueued',
  submitted: 'Submitted',
  partially_filled: 'PartiallyFilled',
  filled: 'Filled',
  canceled: 'Canceled',
  rejected: 'Rejected',
  expired: 'Expired',
  unknown: 'Unknown',
};

export const statesOf = (status: TradeStatus): readonly TradeState[] =>
  (Object.keys(STATUS_OF) as TradeState[]).filter((state) => STATUS_OF[state] === status);
