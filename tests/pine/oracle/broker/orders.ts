// Orders and brackets of the oracle's broker, and the prices that set them off.

import type { Row } from './books.ts';
import type { Side, Terms } from './market.ts';

export type Reason = 'market' | 'stop' | 'limit' | 'trail';

/** A price that must be reached from one side: when it is, something fills at `fillAt`, or at an open beyond it. */
export interface Trigger {
  readonly at: number;
  readonly isRising: boolean;
  readonly fillAt: number;
  readonly reason: Reason;
}

export const isPast = ({ at, isRising }: Trigger, price: number): boolean => (isRising ? price >= at : price <= at);

/** Whether a move goes over the price in the right direction; a move that begins or ends on it does. */
export const isOn = ({ at, isRising }: Trigger, from: number, to: number): boolean =>
  isRising ? from <= at && at <= to : from >= at && at >= to;

export const stopTrigger = (side: Side, level: number, reason: 'stop' | 'trail' = 'stop'): Trigger => ({
  at: level,
  isRising: side > 0,
  fillAt: level,
  reason,
});

/** The price must pass a limit by the slack. */
export const limitTrigger = (side: Side, level: number, terms: Terms): Trigger => ({
  at: terms.nearestTick(level - side * terms.limitSlack),
  isRising: side < 0,
  fillAt: level,
  reason: 'limit',
});

/** How far a bar has come: its open, its three legs, its close. */
export const NODE = { open: 0, close: 4 } as const;

export interface Order {
  readonly kind: 'entry' | 'order' | 'close' | 'close_all';
  readonly id: string;
  readonly side: Side;
  /** Its own; NaN while a fill price must tell it. */
  quantity: number;
  readonly isByDefault: boolean;
  readonly limit: number;
  readonly stop: number;
  readonly comment: string;
  readonly ocaName: string;
  readonly ocaType: string;
  readonly bar: number;
  readonly node: number;
  /** The run of the script that placed it. */
  readonly run: number;
  /** What was held, with its sign, when it was placed. */
  readonly heldAtPlacement: number;
  readonly equityAtPlacement: number;
  /** What a turning entry with a price found held against it. */
  carry: number;
  /** Given twice in one run. */
  readonly isRepeated: boolean;
  /** What others of its group have taken from a size that only a fill price tells. */
  reducedBy: number;
  readonly isImmediate: boolean;
  /** Where in the script a close was called. */
  readonly site: number;
  isTriggered: boolean;
  /** The bar on which it waits although it was reached. */
  waitsOnBar: number;
}

export const isMarket = ({ limit, stop }: Order): boolean => Number.isNaN(limit) && Number.isNaN(stop);
export const isClosing = ({ kind }: Order): boolean => kind === 'close' || kind === 'close_all';
export const isStopOrder = ({ stop, isTriggered }: Order): boolean => !Number.isNaN(stop) && !isTriggered;

/** What sets an order with a price off next: its stop, and its limit once the stop was reached. */
export function triggerOf(order: Order, terms: Terms): Trigger {
  if (isStopOrder(order)) return stopTrigger(order.side, order.stop);
  return limitTrigger(order.side, order.limit, terms);
}

export interface ExitCall {
  readonly id: string;
  readonly fromEntry: string;
  readonly quantity: number;
  readonly percent: number;
  readonly profit: number;
  readonly limit: number;
  readonly loss: number;
  readonly stop: number;
  readonly trailPrice: number;
  readonly trailPoints: number;
  readonly trailOffset: number;
  readonly comments: Readonly<Record<Reason, string>>;
}

/** One exit() around one filled entry. */
export interface Bracket {
  readonly row: Row;
  call: ExitCall;
  /** Of the entry; infinite for whatever others leave. */
  wanted: number;
  limit: number;
  stop: number;
  activation: number;
  /** NaN without one. */
  offset: number;
  isArmed: boolean;
  /** The best price since it was armed. */
  best: number;
  isAsleep: boolean;
  /** Legs that lay behind an entry inside the bar. */
  limitWaits: boolean;
  stopWaits: boolean;
  askedOnBar: number;
  readonly bar: number;
  readonly node: number;
}

export interface WaitingExit {
  readonly call: ExitCall;
  /** The id of the entry that is to come. */
  readonly order: Order;
}

const isGiven = (value: number): boolean => !Number.isNaN(value);

export const hasPrices = (call: ExitCall): boolean =>
  [call.profit, call.limit, call.loss, call.stop, call.trailPrice, call.trailPoints].some(isGiven);

/** Of a price and one from a distance in ticks: in v6 the one that the market reaches first, in v5 the price. */
function oneOf(price: number, byTicks: number, isRising: boolean, version: number): number {
  if (!isGiven(price)) return byTicks;
  if (!isGiven(byTicks) || version < 6) return price;
  return isRising ? Math.min(price, byTicks) : Math.max(price, byTicks);
}

/** The levels of a bracket, on their ticks. */
export function levelsOf(call: ExitCall, row: Row, terms: Terms) {
  const { side, price } = row;
  const isLong = side > 0;
  const ticks = (count: number): number => Math.ceil(count - 1e-4) * terms.tick;
  const limit = terms.onTick(call.limit, side);
  const stop = terms.onTick(call.stop, -side as Side);
  const trail = terms.onTick(call.trailPrice, side);
  return {
    limit: oneOf(limit, terms.nearestTick(price + side * ticks(call.profit)), isLong, terms.version),
    stop: oneOf(stop, terms.nearestTick(price - side * ticks(call.loss)), !isLong, terms.version),
    activation: oneOf(trail, terms.nearestTick(price + side * ticks(call.trailPoints)), isLong, terms.version),
    offset: Math.floor(call.trailOffset + 1e-4) * terms.tick,
  };
}

/** What can set a bracket off, the first that counts at one price first. */
export function triggersOf(bracket: Bracket, terms: Terms): Trigger[] {
  const { row, limit, stop, activation, offset, isArmed, best } = bracket;
  if (bracket.isAsleep) return [];
  const out = -row.side as Side;
  const found: Trigger[] = [];
  if (isGiven(stop) && !bracket.stopWaits) found.push(stopTrigger(out, stop));
  if (isGiven(activation)) {
    if (offset > 0) {
      if (isArmed) found.push(stopTrigger(out, best - row.side * offset, 'trail'));
      // Without an offset it sells where it is armed: on the way up, although it is no limit.
    } else found.push({ at: activation, isRising: row.side > 0, fillAt: activation, reason: 'trail' });
  }
  if (isGiven(limit) && !bracket.limitWaits) found.push(limitTrigger(out, limit, terms));
  return found;
}

/** The price has come there: a trailing stop is armed, or follows. */
export function follow(bracket: Bracket, price: number): void {
  const { row, activation, offset } = bracket;
  // One with an offset of nothing looks only at the price that is there.
  if (!isGiven(activation) || offset === 0) return;
  if (bracket.isArmed) bracket.best = row.side > 0 ? Math.max(bracket.best, price) : Math.min(bracket.best, price);
  else if ((price - activation) * row.side >= 0) {
    bracket.isArmed = true;
    bracket.best = price;
  }
}
