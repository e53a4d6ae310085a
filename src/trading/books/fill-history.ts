// The fill history port: every fill of the journal with the order and the signal it belongs to, for sums over many trades.

import type { Exchange } from '../../exchanges/exchange.ts';
import type { ProtectRequest } from '../signal.ts';
import type { OrderSide, PositionSide } from '../venue.ts';
import type { BookedFill } from './journal.ts';
import type { MarketName } from './strategy-book.ts';

export interface HistoricFill extends BookedFill, MarketName {
  /** Label of the key whose signal sent the order. */
  readonly keyLabel: string;
  readonly side: OrderSide;
  readonly positionSide: PositionSide;
  /** Whether the account nets both sides. */
  readonly netted: boolean;
}

export interface FillFilter {
  readonly exchange?: Exchange | undefined;
  /** The name of an account, at any exchange. */
  readonly account?: string | undefined;
  /** At least those of these markets; perhaps others too. */
  readonly markets?: readonly string[];
  /** Only orders that were written since then: all fills that we heard of since then, and earlier fills of the same orders. */
  readonly writtenSinceMs?: number;
}

export interface FillHistory {
  /** In the order of their trades, in pages that are small enough not to hold up a signal. */
  pages(filter: FillFilter): AsyncIterable<readonly HistoricFill[]>;
}

/** A fill with the trade that sent its order. */
export interface TradedFill extends HistoricFill {
  readonly requestId: string;
  readonly strategy: string;
}

/** Since when there is every fill; 0 where none was archived. What is earlier may be here or not. */
export interface ArchivedHistory {
  completeFromMs(): Promise<number>;
}

export interface TradedFillHistory extends FillHistory, ArchivedHistory {
  pages(filter: FillFilter): AsyncIterable<readonly TradedFill[]>;
  /** The stops that signals asked for with their entries, by request id; those of a signal on several accounts under its own. */
  stopsAsked(): Promise<ReadonlyMap<string, ProtectRequest>>;
  /** The tags that the owner has given to trades, by request id; a trade without one is left out. */
  tags(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** Whether the fill reduces its position; any other one opens it or adds to it. */
export const isClosing = ({ side, positionSide }: Pick<HistoricFill, 'side' | 'positionSide'>): boolean =>
  (side === 'BUY') !== (positionSide === 'LONG');
