// The stops that were sent to MEXC, which keeps no ids of ours for them: which of its plan orders is which stop.
//
// MEXC's answer to a new plan order names it. Where that answer was lost, or came to an earlier process, the plan order is known by
// what was asked for: market, side, direction, trigger price, volume, and by when it was made. Two stops that are alike in all of it
// cannot be told apart, and need not be: they do the same. What also cannot be told is a plan order that the owner made by hand at
// the same minute, with the same price and the same volume.

import { type Decimal, over } from '../../../trading/decimal.ts';
import type { StopRequest } from '../../../trading/venue.ts';
import type { Fields } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import { TITLE } from './dialect.ts';
import { sideOf, sizeOf } from './orders.ts';

export const RISE = 1;
const FALL = 2;
/** How far our idea of MEXC's clock may be off. */
const CLOCK_SLACK_MS = 60_000;
/** So many are remembered at least; a stop that trails is sent anew again and again. */
const MAX_SENT = 10_000;
/** MEXC's states of a plan order; the others are canceled, expired and failed. */
export const WAITING = '1';
export const TRIGGERED = '3';

const read = new AnswerReader(TITLE);

export interface SentStop {
  readonly market: VenueMarket;
  readonly request: StopRequest;
  /** By the venue's clock. */
  readonly sentAtMs: number;
  /** MEXC's ids of the plan order, and of the order that it has placed. */
  planId?: string;
  orderId?: string;
  /** It waits no more, or it never arrived and cannot any more. */
  isOver: boolean;
}

/** What a plan order must be like to be this stop. */
export const planOf = (market: VenueMarket, { kind, positionSide, quantity, triggerPrice }: StopRequest) => ({
  side: sideOf({ positionSide, reduceOnly: true }),
  triggerType: (positionSide === 'LONG') === (kind === 'take-profit') ? RISE : FALL,
  triggerPrice,
  volume: over(quantity, sizeOf(market)),
});

export class SentStops {
  readonly #mayAppearForMs: number;
  readonly #stops = new Map<string, SentStop>();
  readonly #idsOfPlans = new Map<unknown, string>();
  readonly #idsOfOrders = new Map<unknown, string>();

  constructor(mayAppearForMs: number) {
    this.#mayAppearForMs = mayAppearForMs;
  }

  /** Or may have been. */
  note(market: VenueMarket, request: StopRequest, sentAtMs: number): SentStop {
    const stop: SentStop = { market, request, sentAtMs, isOver: false };
    this.#stops.set(request.clientStopId, stop);
    const oldest = this.#stops.size > MAX_SENT ? this.all().find(({ isOver }) => isOver) : undefined;
    if (oldest !== undefined) this.forget(oldest.request.clientStopId);
    return stop;
  }

  forget(clientStopId: string): void {
    const { planId, orderId } = this.#stops.get(clientStopId) ?? {};
    this.#stops.delete(clientStopId);
    this.#idsOfPlans.delete(planId);
    this.#idsOfOrders.delete(orderId);
  }

  has(clientStopId: string): boolean {
    return this.#stops.has(clientStopId);
  }

  get(clientStopId: string): SentStop | undefined {
    return this.#stops.get(clientStopId);
  }

  all(): readonly SentStop[] {
    return [...this.#stops.values()];
  }

  idOfPlan(planId: unknown): string | undefined {
    return this.#idsOfPlans.get(planId);
  }

  idOfOrder(orderId: unknown): string | undefined {
    return this.#idsOfOrders.get(orderId);
  }

  name(stop: SentStop, planId: string): void {
    stop.planId = planId;
    this.#idsOfPlans.set(planId, stop.request.clientStopId);
  }

  /** When its plan order must have been made, by the venue's clock. */
  periodOf({ sentAtMs }: SentStop): { readonly fromMs: number; readonly toMs: number } {
    return { fromMs: sentAtMs - CLOCK_SLACK_MS, toMs: sentAtMs + this.#mayAppearForMs + CLOCK_SLACK_MS };
  }

  /** Its own among the plan orders that were made at that time. */
  find(stop: SentStop, rows: readonly Fields[]): Fields | undefined {
    const row = stop.planId === undefined ? this.#nearest(stop, rows) : rows.find(({ id }) => id === stop.planId);
    if (row === undefined) return undefined;
    this.name(stop, read.text(row.id));
    stop.isOver = row.state !== WAITING;
    if (row.state === TRIGGERED && typeof row.orderId === 'string' && row.orderId !== '0') {
      stop.orderId = row.orderId;
      this.#idsOfOrders.set(row.orderId, stop.request.clientStopId);
    }
    return row;
  }

  #nearest(stop: SentStop, rows: readonly Fields[]): Fields | undefined {
    const distanceMs = ({ createTime }: Fields): number => Math.abs(read.moment(createTime) - stop.sentAtMs);
    const free = rows.filter((row) => this.idOfPlan(row.id) === undefined);
    const alike = free.filter((row) => isReadable(row) && isAlike(row, stop));
    // One that cannot be read may be the owner's or this one: only where this one is found is it the owner's for certain.
    if (alike.length === 0 && free.some((row) => !isReadable(row) && isOnSide(row, stop))) return read.fail();
    return alike.toSorted((a, b) => distanceMs(a) - distanceMs(b))[0];
  }
}

function isReadable({ triggerPrice, vol, createTime }: Fields): boolean {
  try {
    read.decimal(triggerPrice);
    read.decimal(vol);
    read.moment(createTime);
    return true;
  } catch {
    return false;
  }
}

const isOnSide = (row: Fields, { market, request }: SentStop): boolean =>
  row.symbol === market.venueSymbol && row.side === String(planOf(market, request).side);

function isAlike(row: Fields, stop: SentStop): boolean {
  const { triggerType, triggerPrice, volume } = planOf(stop.market, stop.request);
  const is = (value: unknown, wanted: Decimal): boolean => read.decimal(value) === wanted;
  return (
    isOnSide(row, stop) &&
    row.triggerType === String(triggerType) &&
    is(row.triggerPrice, triggerPrice) &&
    is(row.vol, volume)
  );
}
