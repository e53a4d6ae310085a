// Turns a signal into the orders it takes, given what the venue holds right now. Pure: the lane hands in fresh facts.

import { ACTION_MEANING } from '../action.ts';
import type { JournalEvent, Leg } from '../books/journal.ts';
import { sumOf } from '../books/strategy-book.ts';
import type { OwnShare } from '../books/strategy-books.ts';
import { type Decimal, floorTo, minus, negate, plus, roundTo, smaller, times, toText, ZERO } from '../decimal.ts';
import { fixedLevels, wrongSide } from '../fixed-levels.ts';
import type { LimitCode } from '../intake/limit-rules.ts';
import type { ProtectRequest, SignalOrder } from '../signal.ts';
import type { Market, OrderSide, PositionMode, PositionSide, VenuePosition } from '../venue.ts';
import {
  notClosable,
  nothingToClose,
  nothingToReduce,
  notionalFault,
  oppositeHeld,
  tooLarge,
  tooSmall,
} from './plan-refusals.ts';

export interface PlannedOrder {
  readonly leg: Leg;
  readonly side: OrderSide;
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
  readonly quantity: Decimal;
  readonly price?: Decimal;
  /** How much of it gives up what the strategy held the other way, before the rest counts as what was asked for. */
  readonly givenUp: Decimal;
  /** After it fills, nothing of this position side may be left. */
  readonly mustEndFlat: boolean;
}

export type OrderPlan =
  | {
      readonly orders: readonly PlannedOrder[];
      /** What the signal comes to on this market. */
      readonly quantity: Decimal;
      readonly leverage?: number;
      readonly notes: readonly JournalEvent[];
      /** What the sender should know besides what the plan itself changed. */
      readonly warnings?: readonly string[];
    }
  | { readonly refusal: string; readonly cause?: PlanRefusal | LimitCode };

/** Refusals with a code of their own: their remedy is with the sender. */
export type PlanRefusal =
  | 'opposite-position'
  | 'stop-wrong-side'
  | 'cannot-size'
  | 'unknown-symbol'
  | 'position-differs'
  | 'order-too-large'
  | 'stale-data'
  | 'limits-unread';

export interface VenueFacts {
  /** In words. */
  readonly account: string;
  readonly market: Market;
  readonly positionMode: PositionMode;
  readonly positions: readonly VenuePosition[];
  /** The strategy's own share of `heldFor` the signal. */
  readonly share: OwnShare;
  /** On a hedge account: its share of the other side. */
  readonly other?: OwnShare | undefined;
  /** On a hedge account: what an entry that turns its strategy around leaves behind on the other side, all of it to close. */
  readonly left?: Decimal;
  /** What orders of this very trade have executed already, bought positive: it goes on where it was interrupted. */
  readonly executed: Decimal;
  /** The stops that the signal asks for. */
  readonly stops?: ProtectRequest | undefined;
}

/** The positions that a signal deals with: a netted account has one, a hedge account one for each side. */
export const heldFor = (
  action: SignalOrder['action'],
  { positionMode, positions }: Pick<VenueFacts, 'positionMode' | 'positions'>,
): readonly VenuePosition[] =>
  positionMode === 'one-way' ? positions : positions.filter(({ side }) => side === ACTION_MEANING[action].positionSide);

export const otherSide = ({ action }: Pick<SignalOrder, 'action'>): PositionSide =>
  ACTION_MEANING[action].positionSide === 'LONG' ? 'SHORT' : 'LONG';

export function planOrders(order: SignalOrder, facts: VenueFacts): OrderPlan {
  const quantity = floorTo(order.quantity, facts.market.stepSize);
  const price = order.price === undefined ? undefined : roundTo(order.price, facts.market.tickSize);
  if (price === ZERO)
    return { refusal: `the price is below the smallest tick of ${order.market}, ${toText(facts.market.tickSize)}` };
  return ACTION_MEANING[order.action].closes
    ? planClose(order, facts, quantity, price)
    : planOpen(order, facts, quantity, price);
}

/** What is held, seen in the direction of the signal's orders: what they add to is positive, what they reduce negative. */
interface Stand {
  /** Of the whole account. */
  readonly net: Decimal;
  /** Of the strategy, now and before this trade's first order. */
  readonly own: Decimal;
  readonly ownBefore: Decimal;
}

export function standOf({ action }: Pick<SignalOrder, 'action'>, facts: Omit<VenueFacts, 'market'>): Stand {
  const toward = (signed: Decimal): Decimal => (ACTION_MEANING[action].side === 'BUY' ? signed : negate(signed));
  const own = toward(facts.share.quantity);
  return { net: toward(sumOf(heldFor(action, facts))), own, ownBefore: minus(own, toward(facts.executed)) };
}

/**
 * At most two orders move an account by `amount`: the first reduces what it holds the other way and can do nothing else,
 * the second opens what is left.
 */
function ordersFor(
  { action }: SignalOrder,
  amount: Decimal,
  net: Decimal,
  { leg, endsFlat, givenUp, price }: LegFacts,
): readonly PlannedOrder[] {
  const { side } = ACTION_MEANING[action];
  const [grows, shrinks] = side === 'BUY' ? (['LONG', 'SHORT'] as const) : (['SHORT', 'LONG'] as const);
  const reduced = smaller(amount, net < ZERO ? negate(net) : ZERO);
  const opened = minus(amount, reduced);
  const first: Omit<PlannedOrder, 'leg'> = {
    ...{ side, positionSide: shrinks, reduceOnly: true, quantity: reduced, price },
    givenUp: smaller(givenUp, reduced),
    mustEndFlat: endsFlat && reduced === negate(net),
  };
  const second: Omit<PlannedOrder, 'leg'> = {
    ...{ side, positionSide: grows, reduceOnly: false, quantity: opened, price },
    givenUp: minus(givenUp, first.givenUp),
    mustEndFlat: false,
  };
  if (opened === ZERO) return [{ leg, ...first }];
  return reduced === ZERO
    ? [{ leg, ...second }]
    : [
        { leg: 'flatten', ...first },
        { leg, ...second },
      ];
}

interface LegFacts {
  readonly leg: 'open' | 'close';
  /** Where an order reduces all that is held, nothing may be left of it. */
  readonly endsFlat: boolean;
  readonly givenUp: Decimal;
  readonly price: Decimal | undefined;
}

/** A close takes the strategy's fresh share: never more than there is, and all of it when all, as much or more was asked for. */
function planClose(order: SignalOrder, facts: VenueFacts, floored: Decimal, price: Decimal | undefined): OrderPlan {
  const stand = standOf(order, facts);
  if (stand.ownBefore >= ZERO) return { refusal: nothingToClose(order, facts) };
  const held = negate(stand.ownBefore);
  const whole = order.closesAll === true || order.quantity >= held;
  const wanted = minus(whole ? held : smaller(floored, held), minus(stand.own, stand.ownBefore));
  if (wanted <= ZERO) return { refusal: tooSmall(order, facts) };
  const amount = closable(wanted, stand.net, facts, price);
  const why = notClosable(facts.market, {
    ...{ net: netInWords(order, facts), agrees: facts.share.agrees, atLimit: price !== undefined },
  });
  if (amount === ZERO)
    return { refusal: facts.share.agrees ? nothingToReduce(order, facts, why) : nothingToClose(order, facts) };
  const orders = ordersFor(order, amount, stand.net, {
    ...{ leg: 'close', endsFlat: whole && price === undefined, givenUp: ZERO, price },
  });
  const isCut = amount < wanted;
  const notes = [...roundingNotes(order, whole || isCut ? order.quantity : amount, price)];
  if (whole) notes.push(...wholeNotes(order, held));
  if (!isCut) return { orders, quantity: amount, notes, warnings: moreThanHeld(order, held, amount) };
  const cut = `${toText(whole ? wanted : order.quantity)} were to be closed and only ${toText(amount)} can be: ${why}`;
  notes.push({ kind: 'share-not-there', detail: cut });
  return { orders, quantity: amount, notes, warnings: [`quantity: ${cut}`] };
}

function netInWords({ action, market }: SignalOrder, facts: VenueFacts): string {
  const [held] = heldFor(action, facts);
  return held ? `${held.side} ${toText(held.quantity)} ${market}` : `no ${market}`;
}

/**
 * A strategy whose share stands against the others' may have to open their side to close its own. That is done only where
 * our books explain all that the venue holds: otherwise a close never opens anything.
 */
function closable(wanted: Decimal, net: Decimal, { share, market }: VenueFacts, price: Decimal | undefined): Decimal {
  const reducible = net < ZERO ? smaller(wanted, negate(net)) : ZERO;
  const opened = minus(wanted, reducible);
  const mayOpen = share.agrees && price === undefined && opened >= market.minQuantity && isWorthEnough(market, opened);
  return opened === ZERO || !mayOpen ? reducible : wanted;
}

/** Who wants all of it says so; a size that is too large may be a slip of the pen. */
const moreThanHeld = ({ quantity, closesAll }: SignalOrder, held: Decimal, closed: Decimal): readonly string[] =>
  closesAll || quantity <= held
    ? []
    : [
        `quantity: ${toText(quantity)} were to be closed and only ${toText(held)} are held: ${toText(closed)} are closed`,
      ];

/** The sender believed another size than there is: the trade's story says why so much was closed. */
const wholeNotes = ({ quantity }: SignalOrder, held: Decimal): readonly JournalEvent[] =>
  quantity === held ? [] : [{ kind: 'closes-all', detail: `${toText(held)} are held, ${toText(quantity)} were named` }];

/** What a strategy holds the other way is given up first; on a netted account that reduces what all of them hold. */
function planOpen(order: SignalOrder, facts: VenueFacts, quantity: Decimal, price: Decimal | undefined): OrderPlan {
  if (quantity < facts.market.minQuantity || quantity === ZERO) return { refusal: tooSmall(order, facts) };
  // Known before anything is flattened: a reversal that cannot open again would only lose the position.
  if (facts.market.maxQuantity !== undefined && quantity > facts.market.maxQuantity)
    return { refusal: tooLarge(facts.market, quantity), cause: 'order-too-large' };
  const worthTooLittle = notionalFault(order, facts.market, quantity, price ?? facts.market.lastPrice);
  if (worthTooLittle !== undefined) return { refusal: worthTooLittle };
  const notes = [...roundingNotes(order, quantity, price)];
  const leverage = order.leverage === undefined ? undefined : Math.min(order.leverage, facts.market.maxLeverage);
  if (leverage !== order.leverage) {
    notes.push({ kind: 'leverage-clamped', detail: `${order.leverage} to the market's maximum ${leverage}` });
  }
  const wrongSide = wrongSideOf(order, facts, price);
  if (wrongSide !== undefined) return { refusal: wrongSide, cause: 'stop-wrong-side' };
  const { net, own, ownBefore } = standOf(order, facts);
  if (price !== undefined && (net < ZERO || own < ZERO))
    return { refusal: oppositeHeld(order, facts), cause: 'opposite-position' };
  const target = ownBefore < ZERO ? quantity : plus(ownBefore, quantity);
  const givenUp = own < ZERO ? negate(own) : ZERO;
  const orders = ordersFor(order, minus(target, own), net, { leg: 'open', endsFlat: true, givenUp, price });
  const fault = restFault(orders, facts.market, quantity);
  return fault === undefined
    ? { orders: [...leaveOrders(order, facts), ...orders], quantity, leverage, notes }
    : { refusal: fault };
}

/** A charting platform's strategy has one position: when it turns around on a hedge account, its old one is closed first. */
function leaveOrders(order: SignalOrder, { left = ZERO, positions }: VenueFacts): readonly PlannedOrder[] {
  if (left === ZERO) return [];
  const positionSide = otherSide(order);
  const held = positions.find(({ side }) => side === positionSide)?.quantity;
  return [
    {
      ...{ leg: 'flatten', side: ACTION_MEANING[order.action].side, positionSide, reduceOnly: true, quantity: left },
      ...{ givenUp: left, mustEndFlat: left === held },
    },
  ];
}

/** Where other strategies hold the other side, only a part of the quantity may be left to be opened. */
function restFault(orders: readonly PlannedOrder[], market: Market, quantity: Decimal): string | undefined {
  const opened = orders.at(-1);
  if (opened === undefined || opened.reduceOnly || opened.quantity >= quantity) return undefined;
  const fault =
    opened.quantity < market.minQuantity
      ? `the minimum of ${market.symbol} is ${toText(market.minQuantity)}`
      : isWorthEnough(market, opened.quantity)
        ? undefined
        : `an order must be worth ${toText(market.minNotional)} USDT`;
  return (
    fault &&
    `other strategies hold the other side, and of ${toText(quantity)} only ${toText(opened.quantity)} would be left to open: ${fault}`
  );
}

/**
 * A stop that the market has passed already would close the position the moment it is opened. A limit order that the
 * market has not reached is judged by its own price, any other by the last one.
 */
function wrongSideOf(
  { action }: SignalOrder,
  { market, stops }: VenueFacts,
  price: Decimal | undefined,
): string | undefined {
  const { lastPrice } = market;
  const isLong = ACTION_MEANING[action].positionSide === 'LONG';
  const nearer = price !== undefined && lastPrice !== undefined && (isLong ? price < lastPrice : price > lastPrice);
  const entry = nearer ? price : (lastPrice ?? price);
  if (stops === undefined || entry === undefined) return undefined;
  const side = isLong ? 'LONG' : 'SHORT';
  const levels = fixedLevels(stops, { side, price: entry, tick: market.tickSize });
  const wrong = wrongSide(levels, { side, price: entry, tick: market.tickSize, what: 'entry' });
  return wrong && `${wrong}; nothing was sent`;
}

/** Without a price the venue itself decides. */
const isWorthEnough = ({ minNotional, lastPrice }: Market, quantity: Decimal): boolean =>
  lastPrice === undefined || times(quantity, lastPrice) >= minNotional;

function roundingNotes(order: SignalOrder, quantity: Decimal, price: Decimal | undefined): readonly JournalEvent[] {
  const notes: JournalEvent[] = [];
  if (quantity !== order.quantity) {
    notes.push({ kind: 'quantity-rounded', detail: `${toText(order.quantity)} to ${toText(quantity)}` });
  }
  if (price !== undefined && order.price !== undefined && price !== order.price) {
    notes.push({ kind: 'price-rounded', detail: `${toText(order.price)} to ${toText(price)}` });
  }
  return notes;
}
