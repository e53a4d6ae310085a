// The paper venue's own books: what it must have on disk before it answers, as a real exchange would.

import type { Exchange } from '../../../exchanges/exchange.ts';
import type { OrderReport } from '../../../trading/venue.ts';

/** Whose books a row belongs to. */
export interface PaperAccountName {
  readonly exchange: Exchange;
  readonly account: string;
}

/** Decimal values are text here: rows keep them exactly. */
export interface PaperOrderRow extends PaperAccountName {
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly market: string;
  readonly side: OrderReport['side'];
  readonly positionSide: OrderReport['positionSide'];
  readonly reduceOnly: boolean;
  readonly status: OrderReport['status'];
  readonly quantity: string;
  /** null for a market order. */
  readonly price: string | null;
  readonly executedQuantity: string;
  readonly averagePrice: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface PaperFillRow extends PaperAccountName {
  readonly fillId: string;
  readonly clientOrderId: string;
  readonly quantity: string;
  readonly price: string;
  readonly fee: string;
  readonly realizedPnl: string;
  readonly atMs: number;
}

export interface PaperPositionRow extends PaperAccountName {
  readonly market: string;
  readonly side: OrderReport['positionSide'];
  readonly quantity: string;
  readonly entryPrice: string;
  /** What it cost in all, from which the entry price is computed; null in rows of an earlier version. */
  readonly cost: string | null;
}

export interface PaperLeverageRow extends PaperAccountName {
  readonly market: string;
  readonly leverage: number;
}

/** What holding a position cost or earned at a funding time. */
export interface PaperFundingRow extends PaperAccountName {
  readonly market: string;
  readonly side: OrderReport['positionSide'];
  readonly atMs: number;
  readonly quantity: string;
  readonly price: string;
  readonly rate: string;
  /** Negative where the account has paid. */
  readonly amount: string;
}

export interface PaperAccountRow extends PaperAccountName {
  /** Wallet balance in USDT after every fill so far. */
  readonly balance: string;
  readonly nextOrderNumber: number;
  /** How far the market has been compared with resting orders. */
  readonly matchedUntilMs: number;
  /** Counts the entries of this account, the first is 1. Rows hold whole values, so each builds on the one before it. */
  readonly version: number;
}

/** One step of the books, committed whole or not at all. */
export interface PaperEntry {
  readonly account: PaperAccountRow;
  /** `insert: true` claims the client order id; an id that exists makes the whole entry a duplicate. */
  readonly order?: { readonly row: PaperOrderRow; readonly insert: boolean };
  readonly fills?: readonly PaperFillRow[];
  /** A quantity of "0" removes the position. */
  readonly position?: PaperPositionRow;
  readonly leverage?: PaperLeverageRow;
  readonly funding?: readonly PaperFundingRow[];
}

export interface PaperBooks {
  readonly account: PaperAccountRow | undefined;
  readonly positions: readonly PaperPositionRow[];
  readonly leverages: readonly PaperLeverageRow[];
  /** Resting orders only (submitted or partially filled). */
  readonly openOrders: readonly PaperOrderRow[];
}

export interface PaperLedger {
  /** Every account that was ever opened. */
  accounts(): Promise<readonly PaperAccountName[]>;
  load(name: PaperAccountName): Promise<PaperBooks>;
  /**
   * Resolves once the entry is on disk; entries are written in the order of the calls. When it rejects, nothing was
   * written; with an UnknownOutcomeError it may be, or may be later. `duplicate`: the client order id exists, nothing was written but the attempt's count. `stale`: the account on
   * disk is not at `version - 1` (no account counts as 0), so an entry before this one was not written; nor was this one.
   */
  commit(entry: PaperEntry): Promise<'committed' | 'duplicate' | 'stale'>;
  /** Orders whose client order id begins like this, with their fills; the newest last, at most 1,000 of the newest. */
  ordersNamed(name: PaperAccountName, prefix: string): Promise<readonly PaperOrderWithFills[]>;
  /** In order of time, of [fromMs, toMs). */
  funding(name: PaperAccountName, fromMs: number, toMs: number): Promise<readonly PaperFundingRow[]>;
  /** The sum of all its amounts, exact; `0` where there are none. */
  fundingTotal(name: PaperAccountName): Promise<string>;
  findOrder(name: PaperAccountName, clientOrderId: string): Promise<PaperOrderWithFills | undefined>;
}

export interface PaperOrderWithFills {
  readonly row: PaperOrderRow;
  readonly fills: readonly PaperFillRow[];
}
