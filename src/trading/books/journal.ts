// The journal port. The journal is the queue: one row per accepted signal, and every step of its life is durable.
//
//   accepted ──► sending ──► submitted ──► partially_filled ──► filled
//      │            │            └──────────────┴────────────► canceled | expired | rejected
//      │            ├──► filled | partially_filled | rejected | canceled | expired
//      │            ├──► accepted   (proved: the venue never saw it; safe to send)
//      │            └──► unknown ──► any word the venue gives later
//      └──► rejected | canceled | expired   (nothing was sent)
//
// `sending` is durable before a byte leaves. A row found in `sending` after a crash is asked for at the venue by its
// client order id, never sent blindly again.

import type { Exchange } from '../../exchanges/exchange.ts';
import type { Decimal } from '../decimal.ts';
import type { Action, SignalOrder, SignalSource } from '../signal.ts';
import type { OrderRequest, OrderStatus, PositionSide, VenueMode } from '../venue.ts';
import type { ChannelNotice, OutboxMessage } from './outbox.ts';
import type { Position } from './position.ts';
import type { FillShare, StrategyBook } from './strategy-book.ts';

export type TradeState = 'accepted' | 'sending' | 'unknown' | OrderStatus;

const NEXT: Readonly<Record<TradeState, readonly TradeState[]>> = {
  accepted: ['accepted', 'sending', 'rejected', 'canceled', 'expired'],
  sending: [
    'sending',
    'accepted',
    'submitted',
    'partially_filled',
    'filled',
    'rejected',
    'canceled',
    'expired',
    'unknown',
  ],
  submitted: ['submitted', 'partially_filled', 'filled', 'canceled', 'expired', 'rejected'],
  partially_filled: ['partially_filled', 'filled', 'canceled', 'expired'],
  unknown: ['unknown', 'submitted', 'partially_filled', 'filled', 'rejected', 'canceled', 'expired'],
  filled: [],
  rejected: [],
  canceled: [],
  expired: [],
};

export const isFinal = (state: TradeState): boolean => NEXT[state].length === 0;

/** An impossible step is our own fault and must be loud: a trade never leaves a final state. */
export function assertStep(from: TradeState, to: TradeState): void {
  if (!NEXT[from].includes(to)) throw new Error(`a trade cannot go from ${from} to ${to}`);
}

/**
 * A signal is one trade on each of its accounts, and a close of several positions is one in each. The first has the
 * request id itself, the others have it with their number behind it: `<request id>.2`. So every trade has an id, and it
 * tells the request.
 */
export const tradeIdOf = (requestId: string, number: number): string =>
  number === 1 ? requestId : `${requestId}.${number}`;

/** A signal as the gates let it through, before it has a row. */
export interface NewTrade {
  readonly requestId: string;
  readonly receivedAtMs: number;
  readonly source: SignalSource;
  readonly keyLabel: string;
  readonly mode: VenueMode;
  /** The account it is traded on, whether its sender named one or not. */
  readonly account: string;
  readonly order: SignalOrder;
  /** Identity of a body that carries no idempotency key; of a deployed script's alert, that of its delivery to one target. */
  readonly bodyDigest?: Uint8Array;
  /** Identity of the alert under its key, where it has a name. */
  readonly alertClaim?: Uint8Array;
  /** Of a refused signal that is sent again. */
  readonly resendOf?: ResendOf | undefined;
  /** Which version of the controls its gates went by, where several processes may change them. */
  readonly controlsVersion?: number | undefined;
}

/** A refusal whose signal is sent again, so that it cannot trade beside a retry of its own sender. */
export interface ResendOf {
  readonly refusalId: string;
  readonly refusedAtMs: number;
  /** Of a body without any name: what it would be known by if its sender sent it again. */
  readonly bodyDigest?: Uint8Array | undefined;
  /** Until then the same body of its sender counts as a duplicate of this one. */
  readonly guardUntilMs: number;
}

export interface Trade extends NewTrade {
  readonly seq: number;
  readonly state: TradeState;
  readonly orderId?: string;
  readonly executedQuantity: Decimal;
  readonly averagePrice?: Decimal;
  readonly error?: string;
}

export type Acceptance = Accepted | Duplicate;

export interface Accepted {
  readonly accepted: true;
  /** The number of each row, in the order of the trades. They grow, and need not follow each other. */
  readonly seqs: readonly [number, ...number[]];
}

export interface Duplicate {
  readonly accepted: false;
  readonly cause: DuplicateCause;
  readonly originalRequestId: string;
}

/** What made a signal the second one. */
export type DuplicateCause = 'idempotency-key' | 'alert-id' | 'resend' | 'retried';

/** More trades of one request have no client order id (see execution/client-order-id.ts). */
export const MAX_TRADES_OF_REQUEST = 999;

/**
 * What an order is for: what the signal asked for, what a close has left open, what has to be given up before, or what brings the
 * strategy's share to where it was said to be. Sorted by name, the legs of a trade stand in the order in which they are sent.
 */
export const LEGS = ['catch_up_close', 'catch_up_open', 'close', 'close_rest', 'flatten', 'open'] as const;
export type Leg = (typeof LEGS)[number];

/** Whether an order of this leg makes a position, or makes one larger; all others close, whatever else their account nets with them. */
export const isOpening = (leg: Leg): boolean => leg === 'open' || leg === 'catch_up_open';

export const isCatchUp = (leg: Leg): boolean => leg === 'catch_up_close' || leg === 'catch_up_open';

export interface JournalEvent {
  readonly kind: string;
  readonly detail?: string;
}

export interface SendingStep {
  readonly seq: number;
  readonly atMs: number;
  readonly leg: Leg;
  readonly exchange: Exchange;
  readonly mode: VenueMode;
  readonly account: string;
  readonly request: OrderRequest;
  /** Whether the account nets both sides, as it was when the order was planned. */
  readonly netted: boolean;
  /** How much of the order gives up what its strategy held the other way. */
  readonly givenUp: Decimal;
  /** What was decided on the way, such as a clamped leverage. */
  readonly notes: readonly JournalEvent[];
  /** Which version of the controls the order was planned by, where several processes may change them. */
  readonly controlsVersion?: number | undefined;
}

/** A fill as our own books see it. */
export interface BookedFill {
  readonly clientOrderId: string;
  readonly fillId: string;
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly fee: Decimal;
  readonly realizedPnl: Decimal;
  readonly atMs: number;
  /** How it was divided; absent where the position is not divided between strategies. */
  readonly shares?: readonly FillShare[];
}

export const fillKey = (fill: Pick<BookedFill, 'clientOrderId' | 'fillId'>): string =>
  `${fill.clientOrderId}/${fill.fillId}`;

export interface OutcomeStep {
  readonly seq: number;
  readonly atMs: number;
  readonly state: TradeState;
  readonly event: JournalEvent;
  readonly orderId?: string;
  readonly executedQuantity: Decimal;
  readonly averagePrice?: Decimal;
  readonly error?: string;
  /** The order whose word this is; absent when nothing was sent. */
  readonly order?: {
    readonly clientOrderId: string;
    readonly state: TradeState;
    readonly orderId?: string;
    readonly executedQuantity: Decimal;
    readonly averagePrice?: Decimal;
    readonly reason?: string;
  };
  /** Fills of `order`; without an order there are none. */
  readonly fills: readonly BookedFill[];
  /** The positions that the fills changed: on a netted account an order may take one side away and open the other. */
  readonly positions?: readonly Position[];
  /** The strategy books that the fills changed. */
  readonly books?: readonly StrategyBook[];
  /** Leaves after the commit, and not without it. */
  readonly message?: OutboxMessage;
  /** The same for the owner's other channels. */
  readonly notice?: ChannelNotice;
  /** A definite "no order was placed" gives the idempotency key and the alert's name back, as soon as that is so on all accounts of the signal. */
  readonly releaseClaim?: boolean;
  /** What whoever follows the desk is told of it; absent where nothing has changed that is news. */
  readonly words?: string | undefined;
}

/** What is asked of a trade wherever trades are looked for; what is absent may be anything. */
export interface TradeSearch {
  readonly mode?: VenueMode | undefined;
  readonly keyLabel?: string | undefined;
  readonly action?: Action | undefined;
  readonly source?: string | undefined;
  readonly tag?: string | undefined;
  /** Letters that occur, in any case, in what a person would look for. */
  readonly search?: string | undefined;
}

export interface TradeFilter extends TradeSearch {
  readonly limit: number;
  readonly beforeRequestId?: string;
  readonly exchange?: Exchange;
  readonly account?: string;
  readonly market?: string;
  readonly strategy?: string;
  readonly alertId?: string;
  readonly states?: readonly TradeState[];
  /** Received at or after this moment. */
  readonly fromMs?: number | undefined;
  /** Received before it. */
  readonly toMs?: number | undefined;
}

/** `open`: those that are or may be at their venue without an end. */
export interface OrderFilter extends TradeSearch {
  readonly limit: number;
  readonly states: 'open' | 'all' | readonly TradeState[];
  /** The trade and the client order id of an order: only those sent before it. */
  readonly before?: { readonly tradeId: string; readonly clientOrderId: string };
  /** Sent at or after this moment. */
  readonly fromMs?: number | undefined;
  /** Sent before it. */
  readonly toMs?: number | undefined;
  readonly exchange?: Exchange;
  readonly account?: string;
  readonly market?: string;
  readonly strategy?: string;
}

/** What an order can be in while its end is not known. */
export const OPEN_ORDER_STATES: readonly TradeState[] = ['sending', 'submitted', 'partially_filled', 'unknown'];

/** An order with the trade that sent it. */
export interface SentOrder {
  readonly trade: Trade;
  readonly order: TradeOrder;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface TradeOrder {
  readonly clientOrderId: string;
  readonly leg: Leg;
  readonly side: OrderRequest['side'];
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
  readonly netted: boolean;
  readonly givenUp: Decimal;
  readonly quantity: Decimal;
  readonly price?: Decimal;
  readonly state: TradeState;
  readonly orderId?: string;
  readonly executedQuantity: Decimal;
  readonly averagePrice?: Decimal;
  readonly reason?: string;
}

export interface UnfinishedTrade {
  readonly trade: Trade;
  readonly orders: readonly TradeOrder[];
  readonly fills: readonly BookedFill[];
}

export interface TradeDetail extends UnfinishedTrade {
  /** The trades of its request, itself among them, in order. */
  readonly ofSignal: readonly Trade[];
  readonly events: readonly (JournalEvent & { readonly atMs: number })[];
}

/** A market as the venue has it, where our own books had something else. */
export interface Adoption {
  readonly positions: readonly Position[];
  readonly books: readonly StrategyBook[];
  readonly detail: string;
  readonly atMs: number;
}

export interface Journal {
  /**
   * Claims, checks for a resend, and writes the row and the stops that the order asks for, in one transaction; resolves
   * when it is on disk. `further` are the trades of the same signal on other accounts. Rejects with StaleControlsError, and
   * writes nothing, where the controls are newer than the version that it names; so does `sending`.
   */
  accept(trade: NewTrade, windowMs: number, further?: readonly NewTrade[]): Promise<Acceptance>;
  /** The request that an idempotency key stands for, if it was received after this moment and the key was not given back. */
  claimant(idempotencyKey: string, afterMs: number): Promise<string | undefined>;
  /** What `accept` would find in its way, and nothing is claimed or written. Of a refused signal that is sent again it knows less. */
  duplicateOf(trade: NewTrade, windowMs: number): Promise<Duplicate | undefined>;
  sending(step: SendingStep): Promise<void>;
  /**
   * All parts of a step or none. A fill that is already stored stays as it is, so a step may be written again. `mayHold`: a try
   * before ended with an UnknownOutcomeError; a step that is there then is not written again, and names no message.
   */
  record(step: OutcomeStep, mayHold?: boolean): Promise<{ readonly messageId?: number }>;
  /** Takes over what the venue has, with an event that belongs to no trade (`trade_seq` 0). `mayHold` as above. */
  adopt(adoption: Adoption, mayHold?: boolean): Promise<void>;
  /** Senders repeat what was answered 5xx: until `untilMs` the same body counts as a duplicate. */
  guardResend(bodyDigest: Uint8Array, requestId: string, untilMs: number): Promise<void>;
  /** After a crash nobody knows which answers arrived: bodies received since then are guarded like ones answered 5xx. */
  guardUnanswered(receivedSinceMs: number, untilMs: number): Promise<void>;
  /** Oldest first, with their orders, for recovery. */
  unfinished(): Promise<readonly UnfinishedTrade[]>;
  trade(requestId: string): Promise<TradeDetail | undefined>;
  /** Newest first. */
  trades(filter: TradeFilter): Promise<readonly Trade[]>;
  /** What these trades have filled, by their `seq`; a trade without a fill is left out. */
  fillsOf(trades: readonly Pick<Trade, 'seq'>[]): Promise<ReadonlyMap<number, readonly BookedFill[]>>;
  /** Newest first. */
  orders(filter: OrderFilter): Promise<readonly SentOrder[]>;
  positions(): Promise<readonly Position[]>;
  strategyBooks(): Promise<readonly StrategyBook[]>;
  /** Really reads and writes; for readiness. */
  probe(): Promise<void>;
}
