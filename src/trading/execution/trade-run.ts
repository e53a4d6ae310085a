// One trade while it is being worked on: where it stands, which fills are booked, and how its steps reach the journal.

import type { AccountName } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import {
  assertStep,
  fillKey,
  isCatchUp,
  isFinal,
  type JournalEvent,
  type Leg,
  type OutcomeStep,
  type Trade,
  type TradeState,
  type UnfinishedTrade,
} from '../books/journal.ts';
import type { Channel, ChannelNotice, OutboxMessage, StoredMessage } from '../books/outbox.ts';
import { type PositionBook, strategyOf } from '../books/position-book.ts';
import { type OwnShare, shareOf } from '../books/strategy-books.ts';
import { type Decimal, plus, toText, ZERO } from '../decimal.ts';
import { hasClaim } from '../intake/alert-claim.ts';
import type { LimitCode } from '../intake/limit-rules.ts';
import { type OnAlarm, unclosedAlarm } from '../notifications/alarm.ts';
import {
  type Earned,
  earnedBy,
  type Outcome,
  outcomeMessage,
  outcomeNotice,
  summaryOf,
} from '../notifications/outcome-message.ts';
import { LIQUIDATION } from '../signal.ts';
import { type SignalTrace, traced } from '../signal-trace.ts';
import type { OrderReport, OrderSide, PositionSide, VenuePosition } from '../venue.ts';
import { isStopId } from './client-order-id.ts';
import { countedOf, type ExecutedOrder, signedExecution } from './executions.ts';
import { leftInWords, unclosedInWords } from './kept-exit.ts';
import type { LaneJournal } from './lane-journal.ts';
import type { PlanRefusal } from './plan-orders.ts';

/** How a trade stands when its lane lets go of it. A resting order settles as `submitted` and may go on later. */
export interface Settled {
  readonly state: TradeState;
  readonly orderId?: string;
  readonly executedQuantity: Decimal;
  readonly averagePrice?: Decimal;
  readonly error?: string;
  readonly cause?: 'kill-switch' | 'venue-unreachable' | 'internal' | PlanRefusal | LimitCode;
  /** The leverage in force, where one was asked for. */
  readonly leverage?: number;
  /** What the quantity came to, where it was not named in base currency. */
  readonly sized?: SizedQuantity;
  /** The client order ids of resting orders that were canceled because of it. */
  readonly canceled?: readonly string[];
  /** What was sent first, so that the strategy held what it was said to hold. */
  readonly caughtUp?: readonly CaughtUp[];
  /** What the sender should know although the trade went on. */
  readonly warnings?: readonly string[];
  readonly message?: StoredMessage;
  /** The trade has ended and it is certain that no order of it reached the venue: sending the signal again is safe. */
  readonly nothingPlaced: boolean;
}

export interface CaughtUp {
  readonly clientOrderId: string;
  readonly side: OrderSide;
  readonly executedQuantity: Decimal;
  readonly averagePrice?: Decimal | undefined;
}

export interface SizedQuantity {
  /** As the signal said it. */
  readonly requested: Decimal;
  /** In base currency, on the step. */
  readonly quantity: Decimal;
  /** In USDT, at the price it was worked out with. */
  readonly notional?: Decimal;
}

export interface TradeRunParts {
  readonly laneJournal: Pick<LaneJournal, 'record'>;
  readonly book: PositionBook;
  readonly nowMs: () => number;
  /** The chat that is told every outcome, when there is one. */
  readonly ownerChat?: string;
  /** The channels that are told every outcome. */
  readonly tradeChannels?: readonly Channel[];
  readonly trace?: SignalTrace | undefined;
  readonly onAlarm?: OnAlarm;
}

const HALF_REVERSED = 'the opposite position was closed, the new one was not opened';
const CLOSED_IN_PART = 'a part of the position was closed, the rest was not';
const ONLY_CAUGHT_UP = 'what was missing before it was sent, the order itself was not';

/** Whether another order of its trade may follow one of this leg. What an exit opens to catch up is all it sends. */
export const goesBefore = (leg: Leg, { order }: Trade): boolean =>
  leg === 'flatten' || leg === 'catch_up_close' || (leg === 'catch_up_open' && !ACTION_MEANING[order.action].closes);

/** Trades of one lane share a position, so they are worked on and written one after the other. */
export const laneOf = ({ mode, account, order }: Trade): string =>
  `${mode}:${order.exchange}:${account}:${order.market}`;
export const laneNamed = ({ mode, exchange, account }: AccountName, market: string): string =>
  `${mode}:${exchange}:${account}:${market}`;

/** The account of a trade. */
export const accountOf = ({ mode, account, order }: Trade): AccountName => ({
  exchange: order.exchange,
  mode,
  account,
});

/** Whether the venue itself has sent its order, in a liquidation or by a stop that waited there: it is only asked about. */
export const isSentByVenue = ({ source, requestId }: Trade): boolean => source === LIQUIDATION || isStopId(requestId);

/** When the orders of a trade have to be canceled; infinite where no time was named. */
export const cancelAtMs = ({ receivedAtMs, order }: Pick<Trade, 'receivedAtMs' | 'order'>): number =>
  order.cancelAfterSeconds === undefined ? Number.POSITIVE_INFINITY : receivedAtMs + order.cancelAfterSeconds * 1000;

export class TradeRun {
  readonly trade: Trade;
  /** When this process took it over the counter, on a clock that never jumps; undefined for one found at start. */
  readonly startedAtMs: number | undefined;
  state: TradeState;
  orderId: string | undefined;
  executedQuantity: Decimal;
  averagePrice: Decimal | undefined;
  leverage: number | undefined;
  warnings: readonly string[] = [];
  sized: SizedQuantity | undefined;
  /** How its strategy's share differed from what the signal said, in words. */
  difference: string | undefined;
  /** Whether the venue has shown, when it ended, that something is left of what it was to close. */
  isLeftOpen = false;
  /** The step of its market, once that has been looked at. */
  stepSize: Decimal | undefined;
  /** Until when the prices that it was planned by may open something; of an account that goes by none, for ever. */
  pricesUntilMs: number | undefined;
  /** Orders that were canceled to make room for it. */
  canceled: readonly string[] = [];
  /** Those that were to be, and that the venue keeps. */
  leftResting: readonly string[] = [];
  /** What was last said to be wrong with it. */
  error: string | undefined;
  /** Whether its account nets both sides, as it was when its last order was planned. */
  netted: boolean;
  /** Orders of this trade that may have reached the venue. */
  private readonly atVenue: Set<string>;
  private readonly bookedFills: Set<string>;
  /** What its fills have closed, all together. */
  private earned: Earned;
  /** Its orders by client order id. */
  private readonly executions: Map<string, ExecutedOrder>;
  private readonly parts: TradeRunParts;

  constructor(detail: UnfinishedTrade, parts: TradeRunParts, startedAtMs: number | undefined) {
    this.trade = detail.trade;
    this.startedAtMs = startedAtMs;
    this.state = detail.trade.state;
    const mayBeThere = detail.orders.filter(({ state }) => state !== 'accepted' && state !== 'rejected');
    this.atVenue = new Set(mayBeThere.map(({ clientOrderId }) => clientOrderId));
    this.orderId = detail.trade.orderId;
    this.executedQuantity = detail.trade.executedQuantity;
    this.averagePrice = detail.trade.averagePrice;
    this.error = detail.trade.error;
    this.bookedFills = new Set(detail.fills.map(fillKey));
    this.earned = earnedBy(detail.fills, strategyOf(detail.trade));
    this.netted = detail.orders.at(-1)?.netted ?? true;
    this.executions = new Map(detail.orders.map((order) => [order.clientOrderId, order]));
    this.parts = parts;
  }

  /** True once any order of this trade may have reached a venue: then its idempotency key is never given back. */
  get placed(): boolean {
    return this.atVenue.size > 0;
  }

  /** True once an order that the signal itself asked for may have reached a venue. */
  get hasBegun(): boolean {
    return this.placed && !this.placedOnly(isCatchUp);
  }

  /** What its orders have changed already, for a sender who learns that the rest was not sent. */
  get halfDone(): string {
    if (this.placedOnly(isCatchUp)) return ONLY_CAUGHT_UP;
    return this.hasPlaced('close') ? CLOSED_IN_PART : HALF_REVERSED;
  }

  /** What this trade's own orders have executed, bought positive; what caught up before them changed where they began. */
  get executedSoFar(): Decimal {
    // What a hedge account closes on the other side is not a part of the position that these orders make.
    const isOwn = ({ leg }: ExecutedOrder): boolean => !isCatchUp(leg) && (this.netted || leg !== 'flatten');
    const own = [...this.executions.values()].filter(isOwn);
    return own.map(signedExecution).reduce(plus, ZERO);
  }

  /** The orders that brought the share of its strategy to where it was said to be. */
  get caughtUp(): readonly CaughtUp[] {
    return [...this.executions].flatMap(([clientOrderId, { leg, side, executedQuantity, averagePrice }]) =>
      isCatchUp(leg) ? [{ clientOrderId, side, executedQuantity, averagePrice }] : [],
    );
  }

  /** Whether an order of this leg may have reached a venue: then it is never sent again. */
  hasPlaced(leg: Leg): boolean {
    return this.placedAs(leg) !== undefined;
  }

  /** What became of the order of this leg, where it may have reached a venue. */
  placedAs(leg: Leg): ExecutedOrder | undefined {
    return [...this.atVenue].map((id) => this.executions.get(id)).find((each) => each?.leg === leg);
  }

  private placedOnly(isMeant: (leg: Leg) => boolean): boolean {
    return [...this.atVenue].every((id) => isMeant(this.executions.get(id)?.leg ?? 'open'));
  }

  executedBy(clientOrderId: string): Decimal {
    return this.executions.get(clientOrderId)?.executedQuantity ?? ZERO;
  }

  /** The share of its strategy in what the venue holds. */
  shareOf(held: readonly VenuePosition[]): OwnShare {
    const { trade, parts, netted } = this;
    const market = { ...accountOf(trade), market: trade.order.market };
    const sides = new Set(held.map(({ side }) => side));
    const books = parts.book.strategiesIn(market).filter(({ side }) => netted || sides.has(side));
    return shareOf(books, market, strategyOf(trade), held);
  }

  /** Whether all that is held of its market is one share, that of this trade. */
  get isUndivided(): boolean {
    const { trade, parts } = this;
    if (strategyOf(trade) === undefined) return true;
    return parts.book.strategiesIn({ ...accountOf(trade), market: trade.order.market }).length === 0;
  }

  /** What our books have of its strategy, or of the whole position where it is the owner's, on the side of its action. */
  get bookedShare(): Decimal {
    const { trade, parts } = this;
    const { market, action } = trade.order;
    const strategy = strategyOf(trade);
    const side = ACTION_MEANING[action].positionSide;
    if (strategy === undefined) return this.bookedOn(side);
    return parts.book.share({ ...accountOf(trade), market, side, strategy })?.quantity ?? ZERO;
  }

  /** What our books have of the whole position of its market. */
  bookedOn(side: PositionSide): Decimal {
    const { trade, parts } = this;
    return parts.book.get({ ...accountOf(trade), market: trade.order.market, side })?.quantity ?? ZERO;
  }

  /** An order of this trade is about to be sent. */
  noteOrder(clientOrderId: string, order: Pick<ExecutedOrder, 'leg' | 'side' | 'givenUp'>): void {
    const { leg, side, givenUp } = order;
    this.executions.set(clientOrderId, { leg, side, givenUp, executedQuantity: ZERO });
  }

  /** The order may have reached the venue. */
  noteSent(clientOrderId: string): void {
    this.atVenue.add(clientOrderId);
  }

  /** Proved: the order is not at the venue. */
  noteNotSent(clientOrderId: string): void {
    this.atVenue.delete(clientOrderId);
  }

  /** Writes the end of a trade whose last order, without an answer so far, the venue has never seen and never will. */
  neverArrived(clientOrderId: string): Promise<Settled> {
    this.noteNotSent(clientOrderId);
    const reason = 'the order never reached the venue';
    const error = this.placed ? `${reason}; ${this.halfDone}` : reason;
    const order = { clientOrderId, state: 'expired', executedQuantity: ZERO, reason } as const;
    return this.write('expired', { kind: 'expired', detail: reason }, { order, error });
  }

  /** Writes the venue's word on one order, with the fills that are new, the position they make and the state they lead to. */
  book(
    report: OrderReport,
    state: TradeState,
    options: { counts: boolean; error?: string; note?: string },
  ): Promise<Settled> {
    // Before the books are touched: an impossible step must leave no trace in them.
    assertStep(this.state, state);
    const { fills, positions, books } = this.parts.book.apply(this.trade, report, this.bookedFills, this.netted);
    const more = earnedBy(fills, strategyOf(this.trade));
    this.earned = {
      realizedPnl: plus(this.earned.realizedPnl, more.realizedPnl),
      fees: plus(this.earned.fees, more.fees),
    };
    const { leg = 'open', givenUp = ZERO } = this.executions.get(report.clientOrderId) ?? {};
    const { side, executedQuantity, averagePrice: price, status, reason } = report;
    const execution = { leg, side, givenUp, executedQuantity, averagePrice: price, state: status, reason };
    this.executions.set(report.clientOrderId, execution);
    if (options.counts) this.orderId = report.orderId;
    const { quantity, averagePrice } = countedOf([...this.executions.values()]);
    this.executedQuantity = quantity;
    this.averagePrice = averagePrice;
    const order = {
      clientOrderId: report.clientOrderId,
      state: report.status,
      orderId: report.orderId,
      executedQuantity: report.executedQuantity,
      averagePrice: report.averagePrice,
      reason: report.reason,
    };
    const error = options.error ?? (state === 'filled' ? leftInWords(this) : undefined);
    return this.write(state, describe(report, options.note), { order, fills, positions, books, error });
  }

  /** Writes into its history and changes nothing else. */
  async note(event: JournalEvent): Promise<void> {
    await this.write(this.state, event, { error: this.error });
  }

  /** Writes a step that no order report stands behind. */
  write(
    state: TradeState,
    event: JournalEvent,
    extra: Partial<OutcomeStep> & { cause?: Settled['cause'] } = {},
    store: LaneJournal['record'] = this.parts.laneJournal.record,
  ): Promise<Settled> {
    assertStep(this.state, state);
    const { cause, ...step } = extra;
    const outcome = this.outcomeTo(state, extra.error);
    const message = this.messageFor(outcome);
    this.state = state;
    this.error = extra.error;
    const unclosed = this.parts.onAlarm && isFinal(state) && unclosedInWords(this);
    if (unclosed) unclosedAlarm(this.parts.onAlarm, this.trade, unclosed);
    const nothingPlaced = isFinal(state) && !this.placed && this.executedQuantity === ZERO;
    const settled: Settled = {
      state,
      nothingPlaced,
      orderId: this.orderId,
      executedQuantity: this.executedQuantity,
      averagePrice: this.averagePrice,
      error: extra.error,
      cause,
      ...(this.leverage !== undefined && { leverage: this.leverage }),
      ...(this.sized && { sized: this.sized }),
      ...(this.canceled.length > 0 && { canceled: this.canceled }),
      ...(this.caughtUp.length > 0 && { caughtUp: this.caughtUp }),
      ...(this.warnings.length > 0 && { warnings: this.warnings }),
    };
    const whole: OutcomeStep = {
      fills: [],
      ...step,
      seq: this.trade.seq,
      atMs: this.parts.nowMs(),
      state,
      event,
      ...{ orderId: settled.orderId, executedQuantity: settled.executedQuantity, averagePrice: settled.averagePrice },
      message,
      notice: this.noticeFor(outcome),
      words: isNews(outcome, step.fills) ? summaryOf(this.trade, outcome) : undefined,
      ...(nothingPlaced && hasClaim(this.trade.order) && { releaseClaim: true }),
    };
    const record = () => store(whole, laneOf(this.trade));
    const written = isFinal(state)
      ? traced(this.parts.trace, this.trade.requestId, 'outcome', record, () => ({ state }))
      : record();
    return written.then(({ messageId }) =>
      message && messageId !== undefined
        ? { ...settled, message: { id: messageId, seq: this.trade.seq, message, attempts: 0 } }
        : settled,
    );
  }

  private outcomeTo(to: TradeState, error: string | undefined): Outcome {
    const { state: from, orderId, executedQuantity, averagePrice, caughtUp, earned } = this;
    return { from, to, orderId, executedQuantity, averagePrice, error, caughtUp, earned };
  }

  private messageFor(outcome: Outcome): OutboxMessage | undefined {
    const { trade, parts } = this;
    // Most trades have neither a `notify` nor an owner's chat: nothing has to be built for them.
    if (!trade.order.notify && parts.ownerChat === undefined) return undefined;
    return outcomeMessage(trade, outcome, parts.ownerChat);
  }

  private noticeFor(outcome: Outcome): ChannelNotice | undefined {
    const { tradeChannels: channels = [] } = this.parts;
    const message = channels.length === 0 ? undefined : outcomeNotice(this.trade, outcome);
    return message && { channels, message };
  }
}

/** Another state, or more of the same. */
const isNews = ({ from, to }: Outcome, fills: OutcomeStep['fills'] = []): boolean => from !== to || fills.length > 0;

function describe(report: OrderReport, note: string | undefined): JournalEvent {
  const price = report.averagePrice ? ` at ${toText(report.averagePrice)}` : '';
  const amount = report.executedQuantity > ZERO ? `${toText(report.executedQuantity)}${price}` : undefined;
  const detail = [report.orderId, amount, report.reason, note].filter(Boolean).join(', ');
  return { kind: report.status, detail: detail || undefined };
}
