// The orders, stops and trades of an emulated futures market, in words that no single venue owns.

import type { Decimal, Product } from '../../../src/trading/decimal.ts';

export type Side = 'BUY' | 'SELL';
/** BOTH is the one position of a one-way account. */
export type PositionSide = 'BOTH' | 'LONG' | 'SHORT';
/** GTX is post-only. */
export type TimeInForce = 'GTC' | 'IOC' | 'FOK' | 'GTX';
export type OrderStatus = 'NEW' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'EXPIRED' | 'REJECTED';

export interface NewOrder {
  readonly clientOrderId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly quantity: Decimal;
  /** Absent means a market order. */
  readonly price?: Decimal;
  readonly timeInForce: TimeInForce;
  /** In hedge mode an order against its position side reduces, whatever this says. */
  readonly reduceOnly: boolean;
}

export interface Trade {
  readonly tradeId: number;
  readonly orderId: number;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly fee: Decimal;
  readonly realizedPnl: Decimal;
  readonly maker: boolean;
  readonly atMs: number;
}

/** One order over its whole life; the market alone changes it. */
export interface FuturesOrder extends NewOrder {
  readonly orderId: number;
  readonly createdMs: number;
  /** Where a stop made it, or the venue itself. */
  readonly stopId: number | undefined;
  readonly forced: 'liquidation' | undefined;
  readonly trades: Trade[];
  status: OrderStatus;
  executed: Decimal;
  /** Exactly what was paid for `executed`. */
  executedValue: Product;
  updatedMs: number;
}

/** The price that a stop watches. */
export type TriggerBy = 'MARK' | 'LAST';

export interface NewStop {
  readonly clientStopId: string;
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly triggerPrice: Decimal;
  readonly triggerBy: TriggerBy;
  /** Whether it waits for the price to rise or to fall to the trigger. */
  readonly waitsFor: 'rise' | 'fall';
  /** Absent: the whole position as it is when the stop triggers. */
  readonly quantity?: Decimal;
  readonly reduceOnly: boolean;
  /** Of the order it makes; absent means a market order. */
  readonly price?: Decimal;
  readonly timeInForce: TimeInForce;
  /** A share such as 0.01: the trigger follows the best price at this distance, once the price was at `triggerPrice`. */
  readonly callbackRate?: Decimal;
  /** What the venue alone understands, such as the type in its own words. */
  readonly venueType: string;
}

/** `TRIGGERING` until there is an order, `TRIGGERED` while that lives, `FINISHED` when it has ended. */
export type StopStatus = 'NEW' | 'TRIGGERING' | 'TRIGGERED' | 'FINISHED' | 'CANCELED' | 'EXPIRED' | 'REJECTED';

export interface StopOrder extends NewStop {
  readonly stopId: number;
  readonly createdMs: number;
  status: StopStatus;
  order: FuturesOrder | undefined;
  /** Why it was rejected when it triggered. */
  reason: string;
  /** Of a trailing stop, once it is active: the best price seen. */
  peak: Decimal | undefined;
  triggeredMs: number;
  updatedMs: number;
}

/** Why the market does not take an order; each venue has its own code for it. */
export type RefusalReason =
  | 'insufficient-margin'
  | 'nothing-to-reduce'
  | 'reduced-by-others'
  | 'would-take'
  | 'would-trigger'
  | 'no-price'
  | 'over-leverage-bracket';

export class Refusal extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(reason);
    this.name = 'Refusal';
    this.reason = reason;
  }
}

/** What happened, in order; whoever sends a user stream translates it. Orders are live: read them at once. */
export type MarketEvent =
  | {
      readonly type: 'order';
      readonly change: 'new' | 'trade' | 'end';
      readonly order: FuturesOrder;
      readonly trade?: Trade;
    }
  | { readonly type: 'stop'; readonly stop: StopOrder }
  | { readonly type: 'account'; readonly symbol: string; readonly reason: 'ORDER' | 'FUNDING_FEE' | 'DEPOSIT' }
  | { readonly type: 'price'; readonly symbol: string }
  | { readonly type: 'leverage'; readonly symbol: string; readonly leverage: number };

export const isOpen = ({ status }: FuturesOrder): boolean => status === 'NEW' || status === 'PARTIALLY_FILLED';
export const opposite = (side: Side): Side => (side === 'BUY' ? 'SELL' : 'BUY');
