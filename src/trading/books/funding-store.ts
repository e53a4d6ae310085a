// The funding store port: payments of real venues for holding positions, each kept once.

import type { AccountName } from '../accounts.ts';
import type { Decimal } from '../decimal.ts';
import type { Funding } from '../venue.ts';

export interface VenueFunding extends Funding {
  /** The venue's own id of the payment: told twice, it is one payment. */
  readonly fundingId: string;
}

export interface FundingStore {
  /** Adds those that are not kept yet, and notes that all before this moment were read; both or neither. */
  add(account: AccountName, payments: readonly VenueFunding[], readToMs: number): Promise<void>;
  /** Undefined where they never were read. */
  readTo(account: AccountName): Promise<number | undefined>;
  /** Of payments in [fromMs, toMs), in order of time. */
  range(account: AccountName, fromMs: number, toMs: number): Promise<readonly Funding[]>;
  total(account: AccountName): Promise<Decimal>;
}
