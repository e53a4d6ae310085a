// The venue port: what trading needs of an exchange, and how an exchange's failures must be told apart.

import type { Exchange } from '../exchanges/exchange.ts';
import type { Decimal } from './decimal.ts';
import type { LeverageTiers } from './leverage-tiers.ts';
import type { TimeInForce } from './signal.ts';

/** From no money at all to real money. */
export const VENUE_MODES = ['paper', 'testnet', 'live'] as const;
export type VenueMode = (typeof VENUE_MODES)[number];
export type PositionSide = 'LONG' | 'SHORT';
export type PositionMode = 'one-way' | 'hedge';
/** What backs a position: the whole account, what is bound for it alone, or the account as its risks add up. */
export type MarginMode = 'cross' | 'isolated' | 'portfolio';
export type MarginModes = Readonly<Record<PositionSide, MarginMode>>;
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
  /** Why nothing can be opened there at the moment, in words; what is held there may be closed, as far as the venue lets it. */
  readonly noEntries?: string;
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
  /** After this moment it must not leave any more: the prices that it was planned by are too old then. */
  readonly notAfterMs?: number;
  /** It gives up the share of a strategy; netted with those of others the account's position may grow by it, so it does not only reduce. */
  readonly closesShare?: boolean;
}

/** Whether it gives up what is held: such an order goes before others, and an account on which nothing is opened takes it. */
export const isClosing = ({ reduceOnly, closesShare }: Pick<OrderRequest, 'reduceOnly' | 'closesShare'>): boolean =>
  reduceOnly || closesShare === true;

/** The first of some orders that a venue would refuse, and why. */
export interface RefusedOrder {
  readonly index: number;
  readonly reason: string;
}

/** What is done before orders are sent. */
export interface BeforeOrders {
  /** Set for the market; absent where it stays as it is. */
  readonly leverage?: number | undefined;
  /** Client order ids of resting orders that are gone by then. */
  readonly canceled: readonly string[];
}

/** `urgent`: asked to close or guard something. Where a venue's limits are short it goes before what opens something. */
export type Urgency = 'usual' | 'urgent';

export type OrderStatus = 'submitted' | 'partially_filled' | 'filled' | 'canceled' | 'rejected' | 'expired';

export interface Fill {
  /** The venue's own id of the fill: the same fill reported twice is one fill. */
  readonly fillId: string;
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly fee: Decimal;
  readonly atMs: number;
  /** What it has earned by closing, before fees, as the venue counts it; absent where the venue does not tell. */
  readonly realizedPnl?: Decimal;
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
  /** Of an order of the venue's own: the id under which earlier versions of Signalbox may have booked it. */
  readonly formerId?: string;
}

/** An order that rests, without its fills. */
export type RestingOrder = Omit<OrderReport, 'fills'>;

/** An order of somebody else that rests, of a kind that cannot be read. */
export interface UnreadableOrder {
  readonly orderId: string;
  /** As the venue names it. */
  readonly market: string;
  /** What can be read of it. */
  readonly words: string;
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
  readonly liquidationPrice?: Decimal | undefined;
  /** What it is valued at, and what it would earn, as the venue counts it; absent where our own count is all there is. */
  readonly markPrice?: Decimal;
  readonly unrealizedPnl?: Decimal;
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

const IS_AWAY = /^\w+ cannot be reached: /;

/** For whoever says that a venue cannot be reached: why, without saying so again. */
export const whyAway = (reason: string): string => reason.replace(IS_AWAY, '');

/** There is no such market at the venue: the remedy is with the sender. */
export class UnknownMarket extends VenueError {
  constructor(message: string, options?: ErrorOptions) {
    super('rejected', message, options);
    this.name = 'UnknownMarket';
  }
}

/** What a stop waits for: that the market turns against the position, or that it has come far enough. */
export type StopKind = 'stop' | 'take-profit';

/**
 * A stop that waits at the venue itself and then sends a reduce-only market order, whether we live or not. Its id is decided and
 * on disk before it is sent, and never used again.
 */
export interface StopRequest {
  /** Begins with our prefix, like every order of ours. */
  readonly clientStopId: string;
  readonly market: string;
  readonly kind: StopKind;
  /** The position that it closes. */
  readonly positionSide: PositionSide;
  /** Already on the step. */
  readonly quantity: Decimal;
  /** Already on the tick. */
  readonly triggerPrice: Decimal;
}

/** `waiting`: for its price. `sent`: its order is at the venue; `findOrder` finds it by the stop's id. `ended`: without an order. */
export type StopState = 'waiting' | 'sent' | 'ended';

export interface VenueStop extends StopRequest {
  readonly state: StopState;
}

/** `certain`: the venue can never show this stop later. */
export type StopLookup =
  | { readonly found: true; readonly stop: VenueStop }
  | { readonly found: false; readonly certain: boolean };

/** The market is past the price of a stop already: what it was to close must be closed now. */
export class StopPassed extends VenueError {
  constructor(message: string, options?: ErrorOptions) {
    super('rejected', message, options);
    this.name = 'StopPassed';
  }
}

/** Stops that a venue keeps. Their failures are told apart like those of orders. */
export interface VenueStops {
  /** The venue ends a stop by itself when it has waited for so long; absent where it never does. */
  readonly livesForMs?: number | undefined;
  /** Resolves when the venue has it, also where it had it already. Throws `StopPassed` where it would act at once. */
  place(request: StopRequest): Promise<void>;
  find(market: string, clientStopId: string): Promise<StopLookup>;
  /** Our own (by prefix) that wait, in one market or in all of them. */
  waiting(market?: string): Promise<readonly VenueStop[]>;
  /** Resolves when it does not wait any more, whether it was canceled, had ended or has sent its order: `find` says. */
  cancel(market: string, clientStopId: string): Promise<void>;
  /**
   * Tells of a stop that an earlier process may have sent, before anything else is asked about it. A venue that keeps no ids of
   * ours finds it again only so: without this it is in doubt for ever there. `sentAtMs` is by our clock.
   */
  recall?(request: StopRequest, sentAtMs: number): Promise<void>;
  /** Tells of stops that wait no more and have sent no order, because they were canceled by hand or dropped by the venue. */
  watchEnded?(listener: (stop: Pick<VenueStop, 'clientStopId' | 'market'>) => void): void;
}

/** The best prices on both sides of a market. */
export interface Quote {
  readonly bid: Decimal;
  readonly ask: Decimal;
  /** When it was so, by the venue's word where it tells, on our clock. */
  readonly atMs: number;
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

/** As far as every venue tells it. */
export type Funding = Pick<FundingPayment, 'market' | 'atMs' | 'amount'>;

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
  /** As it was last read. */
  positionMode(): Promise<PositionMode>;
  /** Reads it again; absent where its owner cannot change it at the venue. */
  readPositionMode?(): Promise<PositionMode>;
  /** What would back a position in a market; absent where it is always the whole account. */
  marginModes?(market: string): Promise<MarginModes>;
  /** Fresh from the venue, only positions that are not flat. */
  positions(market: string, urgency?: Urgency): Promise<readonly VenuePosition[]>;
  /** Fresh from the venue, in all markets; absent where nobody else can trade on the account. */
  allPositions?(): Promise<readonly VenuePosition[]>;
  /** Every order that rests on the account, whoever sent it, without its fills; absent where nobody else can trade on the account. */
  allOpenOrders?(): Promise<readonly (RestingOrder | UnreadableOrder)[]>;
  /** The best prices now; absent where the venue has none. Rejects while they are missing. `aside`: no order waits for them, nor for it. */
  quote?(market: string, place?: 'aside'): Promise<Quote>;
  /** Absent where the venue keeps no stops: then only we guard. */
  readonly stops?: VenueStops;
  /** Sets the leverage; "not modified" is success. Throws when it cannot: then no order may be sent. */
  ensureLeverage(market: string, leverage: number): Promise<void>;
  /** As it is set for what is opened on a side of the market; undefined where the venue does not tell. */
  leverageOf?(market: string, side: PositionSide): Promise<number | undefined>;
  /**
   * How large a position may be at which leverage; undefined where the venue does not tell it now. Absent where orders are tried
   * with `tryOrders`, or where a position of any size may have any leverage.
   */
  leverageTiers?(market: string): Promise<LeverageTiers | undefined>;
  /**
   * Which of these orders of one market would be refused, were they sent now one after the other: by the very checks that would
   * refuse it. Changes nothing. Absent where the venue cannot be asked that.
   */
  tryOrders?(orders: readonly OrderRequest[], before: BeforeOrders): Promise<RefusedOrder | undefined>;
  placeOrder(request: OrderRequest): Promise<OrderReport>;
  findOrder(market: string, clientOrderId: string): Promise<OrderLookup>;
  /** Our own resting orders (by prefix) in one market, without their fills: who clears a side needs none. */
  openOrders(market: string): Promise<readonly RestingOrder[]>;
  /** Returns the order's final word: it may have filled first. */
  cancelOrder(market: string, clientOrderId: string): Promise<OrderReport>;
  /**
   * Orders that the venue itself has placed on the account, such as liquidations, oldest first; at least those of the last
   * week. `findOrder` finds them by their client order ids, which do not begin with our prefix.
   */
  forcedOrders?(): Promise<readonly OrderReport[]>;
  /** What holding has cost and earned in [fromMs, toMs), in order of time. */
  funding?(fromMs: number, toMs: number): Promise<readonly Funding[]>;
  /** What holding has cost and earned since the account was opened; at a real venue, since it was first opened here. */
  fundingTotal?(): Promise<Decimal>;
  /** Asks a real venue for what was paid since it was last asked; both of the above tell what is known by then. */
  readFunding?(): Promise<void>;
  /**
   * This process trades on the account from now on, however long the venue has been open: another one may have sent orders until
   * this moment, and what it sent may still appear. Absent where nothing appears late.
   */
  takeOver?(): void;
  /** Reports on orders that change after their answer (a resting limit order fills), and on orders of its own. Returns how to stop. */
  watchOrders(listener: (report: OrderReport) => void): () => void;
  /** Told when what a venue tells by itself was lost for a while and is back. One listener. Absent where nothing is lost. */
  watchGaps?(listener: () => void): void;
  close(): Promise<void>;
}
