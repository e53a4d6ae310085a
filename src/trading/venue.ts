// The venue port: what trading needs of an exchange, and how an exchange's failures must be told apart.

import type { Exchange } from '../exchanges/exchange.ts';
import type { Decimal } from './decimal.ts';
import type { TimeInForce } from './signal.ts';

export type VenueMode = 'paper' | 'testnet' | 'live';
export type PositionSide = 'LONG' | 'SHORT';
export type PositionMode = 'one-way' | 'hedge';
export type OrderSide = 'BUY' | 'SELL';

/** Every order of ours carries this prefix, so that ours can be told from the owner's own orders at the venue. */
export const CLIENT_ORDER_PREFIX = 'sbx';

/** A market's rules. Quantities are in base currency; an adapter converts to contracts where its venue counts those. */
export interface Market {
  readonly symbol: string;
  readonly tickSize: Decimal;
  readonly stepSize: Decimal;
  readonly minQuantity: Decimal;
  /** In USDT, for opening orders only: a position may always be closed. */
  readonly minNotional: Decimal;
  readonly maxLeverage: number;
  /** The largest order that opens; absent where the venue has no bound. A position may be closed in one order, however large. */
  readonly maxQuantity?: Decimal;
  /** What it traded at last, where the venue has that at hand: it tells beforehand what a market order is worth. */
  readonly lastPrice?: Decimal;
}

export interface OrderRequest {
  readonly clientOrderId: string;
  readonly market: string;
  readonly side: OrderSide;
  /** The position this order opens, adds to or reduces; a one-way account must agree with it. */
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
  /** Already on the step. */
  readonly quantity: Decimal;
  /** Already on the tick; absent means a market order. */
  readonly price?: Decimal;
  /** Of a limit order; absent means GTC. */
  readonly timeInForce?: TimeInForce;
  /** Of a limit order: must be `rejected` where it would trade at once. */
  readonly postOnly?: boolean;
}

export type OrderStatus = 'submitted' | 'partially_filled' | 'filled' | 'canceled' | 'rejected' | 'expired';

export interface Fill {
  /** The venue's own id of the fill: the same fill reported twice is one fill. */
  readonly fillId: string;
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly fee: Decimal;
  readonly atMs: number;
}

/** The venue's word on one order, always whole: every fill so far, not only the new ones. */
export interface OrderReport {
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly market: string;
  readonly side: OrderSide;
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
  readonly status: OrderStatus;
  readonly quantity: Decimal;
  readonly executedQuantity: Decimal;
  readonly averagePrice: Decimal | undefined;
  readonly fills: readonly Fill[];
  readonly reason?: string;
}

export interface VenuePosition {
  readonly market: string;
  readonly side: PositionSide;
  readonly quantity: Decimal;
  readonly entryPrice: Decimal;
  /** As it is set for the market; absent where the venue does not tell, like the two below. */
  readonly leverage?: number;
  /** What the position binds. */
  readonly margin?: Decimal;
  readonly liquidationPrice?: Decimal;
}

/** `certain`: the venue can never show this order later (nothing is in flight), so sending it again is safe. */
export type OrderLookup =
  | { readonly found: true; readonly order: OrderReport }
  | { readonly found: false; readonly certain: boolean };

/**
 * - `not-sent`: nothing reached the venue (refused connection, DNS); trying again is safe.
 * - `unknown`: something may have reached it (time-out, reset, 5xx); ask by client order id, never send again.
 * - `rejected`: the venue said no; the message is its reason in words.
 * - `duplicate`: the venue already has this client order id; fetch it, that is success.
 */
export type VenueFailure = 'not-sent' | 'unknown' | 'rejected' | 'duplicate';

export class VenueError extends Error {
  readonly failure: VenueFailure;
  constructor(failure: VenueFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VenueError';
    this.failure = failure;
  }
}

/** There is no such market at the venue: the remedy is with the sender. */
export class UnknownMarket extends VenueError {
  constructor(message: string, options?: ErrorOptions) {
    super('rejected', message, options);
    this.name = 'UnknownMarket';
  }
}

/** What holding a position cost or earned at one of the times at which both sides of a perpetual future settle. */
export interface FundingPayment {
  readonly market: string;
  readonly side: PositionSide;
  readonly atMs: number;
  readonly quantity: Decimal;
  readonly price: Decimal;
  /** Longs pay it to shorts; where it is negative, shorts pay longs. */
  readonly rate: Decimal;
  /** In USDT; negative where the account has paid. */
  readonly amount: Decimal;
}

/** What an account is worth. In USDT; markets quoted in another currency are counted as if it were USDT. */
export interface AccountSummary {
  readonly balance: Decimal;
  readonly unrealizedPnl: Decimal;
  readonly equity: Decimal;
  readonly marginInUse: Decimal;
  readonly available: Decimal;
}

/** One account at one exchange. */
export interface Venue {
  readonly exchange: Exchange;
  readonly mode: VenueMode;
  /** The account's name, see accounts.ts. */
  readonly account: string;
  /** At the last prices. Rejects while the price of a position is missing. */
  summary(): Promise<AccountSummary>;
  /** Throws `rejected` for a market the venue does not have. */
  market(symbol: string): Promise<Market>;
  /**
   * Names that may have been meant, where it is certain without asking that nothing can be opened in this market; what is
   * held there can still be closed. Absent, or undefined, where there is such a market or its venue must be asked.
   */
  unlisted?(market: string): readonly string[] | undefined;
  /** The tick of a market whose rules are at hand; never asks anybody, so it may be undefined. */
  tickOf(market: string): Decimal | undefined;
  positionMode(): Promise<PositionMode>;
  /** Fresh from the venue, only positions that are not flat. */
  positions(market: string): Promise<readonly VenuePosition[]>;
  /** Sets the leverage when it differs; "not modified" is success. Throws when it cannot: then no order may be sent. */
  ensureLeverage(market: string, leverage: number): Promise<void>;
  placeOrder(request: OrderRequest): Promise<OrderReport>;
  findOrder(market: string, clientOrderId: string): Promise<OrderLookup>;
  /** Our own resting orders (by prefix) in one market. */
  openOrders(market: string): Promise<readonly OrderReport[]>;
  /** Returns the order's final word: it may have filled first. */
  cancelOrder(market: string, clientOrderId: string): Promise<OrderReport>;
  /**
   * Orders that the venue itself has placed on the account, such as liquidations, oldest first; at least those of the last
   * week. `findOrder` finds them by their client order ids, which do not begin with our prefix.
   */
  forcedOrders?(): Promise<readonly OrderReport[]>;
  /** What holding has cost and earned in [fromMs, toMs), in order of time. */
  funding?(fromMs: number, toMs: number): Promise<readonly FundingPayment[]>;
  /** What holding has cost and earned since the account was opened. */
  fundingTotal?(): Promise<Decimal>;
  /** Reports on orders that change after their answer (a resting limit order fills), and on orders of its own. Returns how to stop. */
  watchOrders(listener: (report: OrderReport) => void): () => void;
  close(): Promise<void>;
}
