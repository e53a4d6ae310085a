// Turns a signal into the orders it takes, given what the venue holds right now. Pure: the lane hands in fresh facts.

import { ACTION_MEANING } from '../action.ts';
import type { JournalEvent, Leg } from '../books/journal.ts';
import { type Decimal, floorTo, roundTo, smaller, times, toText, ZERO } from '../decimal.ts';
import type { ProtectRequest, SignalOrder } from '../signal.ts';
import type { Market, OrderSide, PositionMode, PositionSide, VenuePosition } from '../venue.ts';

export interface PlannedOrder {
  readonly leg: Leg;
  readonly side: OrderSide;
  readonly positionSide: PositionSide;
  readonly reduceOnly: boolean;
  readonly quantity: Decimal;
  readonly price?: Decimal;
  /** After it fills, nothing of this position side may be left. */
  readonly mustEndFlat: boolean;
}

export type OrderPlan =
  | { readonly orders: readonly PlannedOrder[]; readonly leverage?: number; readonly notes: readonly JournalEvent[] }
  | { readonly refusal: string; readonly cause?: PlanRefusal };

/** Refusals with a code of their own: their remedy is with the sender. */
export type PlanRefusal = 'opposite-position' | 'stop-wrong-side';

export interface VenueFacts {
  readonly market: Market;
  readonly positionMode: PositionMode;
  readonly positions: readonly VenuePosition[];
  /** The stops that the signal asks for. */
  readonly stops?: Pick<ProtectRequest, 'stopLoss' | 'takeProfit'> | undefined;
}

export function planOrders(order: SignalOrder, facts: VenueFacts): OrderPlan {
  const quantity = floorTo(order.quantity, facts.market.stepSize);
  const price = order.price === undefined ? undefined : roundTo(order.price, facts.market.tickSize);
  if (price === ZERO)
    return { refusal: `the price is below the smallest tick of ${order.market}, ${toText(facts.market.tickSize)}` };
  return ACTION_MEANING[order.action].closes
    ? planClose(order, facts, quantity, price)
    : planOpen(order, facts, quantity, price);
}

/** A close takes the fresh size: never more than there is, and all of it when all, as much or more was asked for. */
function planClose(order: SignalOrder, facts: VenueFacts, floored: Decimal, price: Decimal | undefined): OrderPlan {
  const { side, positionSide } = ACTION_MEANING[order.action];
  const held = facts.positions.find((position) => position.side === positionSide);
  if (!held) {
    return {
      refusal: `there is no ${positionSide.toLowerCase()} position in ${order.market} on ${order.exchange} to close`,
    };
  }
  const whole = order.closesAll === true || order.quantity >= held.quantity;
  const quantity = whole ? held.quantity : smaller(floored, held.quantity);
  if (quantity === ZERO) return { refusal: tooSmall(order, facts.market) };
  const close: PlannedOrder = {
    leg: 'close',
    side,
    positionSide,
    reduceOnly: true,
    quantity,
    price,
    mustEndFlat: whole && price === undefined,
  };
  const notes = roundingNotes(order, whole ? order.quantity : quantity, price);
  return { orders: [close], notes: order.closesAll ? [...notes, ...wholeNotes(order, held)] : notes };
}

/** The sender believed another size than the venue holds: the trade's story says why so much was closed. */
const wholeNotes = ({ quantity }: SignalOrder, held: VenuePosition): readonly JournalEvent[] =>
  quantity === held.quantity
    ? []
    : [{ kind: 'closes-all', detail: `${toText(held.quantity)} are held, ${toText(quantity)} were named` }];

/** A one-way account cannot hold both sides: what is held the other way is closed first, then the new side opens. */
function planOpen(order: SignalOrder, facts: VenueFacts, quantity: Decimal, price: Decimal | undefined): OrderPlan {
  const { side, positionSide } = ACTION_MEANING[order.action];
  if (quantity < facts.market.minQuantity || quantity === ZERO) return { refusal: tooSmall(order, facts.market) };
  // Known before anything is flattened: a reversal that cannot open again would only lose the position.
  const worthTooLittle = notionalFault(order, facts.market, quantity, price ?? facts.market.lastPrice);
  if (worthTooLittle !== undefined) return { refusal: worthTooLittle };
  const open: PlannedOrder = {
    leg: 'open',
    side,
    positionSide,
    reduceOnly: false,
    quantity,
    price,
    mustEndFlat: false,
  };
  const notes = [...roundingNotes(order, quantity, price)];
  const leverage = order.leverage === undefined ? undefined : Math.min(order.leverage, facts.market.maxLeverage);
  if (leverage !== order.leverage) {
    notes.push({ kind: 'leverage-clamped', detail: `${order.leverage} to the market's maximum ${leverage}` });
  }
  const wrongSide = wrongSideOf(order, facts, price);
  if (wrongSide !== undefined) return { refusal: wrongSide, cause: 'stop-wrong-side' };
  const opposite = facts.positions.find((position) => position.side !== positionSide);
  if (facts.positionMode === 'hedge' || !opposite) return { orders: [open], leverage, notes };
  if (price !== undefined) return { refusal: oppositeHeld(order, opposite), cause: 'opposite-position' };
  const flatten: PlannedOrder = {
    leg: 'flatten',
    side,
    positionSide: opposite.side,
    reduceOnly: true,
    quantity: opposite.quantity,
    mustEndFlat: true,
  };
  return { orders: [flatten, open], leverage, notes };
}

/** The limit may never be reached, so the position that is held must not be given up for it. */
const oppositeHeld = ({ market, exchange }: SignalOrder, { side, quantity }: VenuePosition): string =>
  `${exchange} holds ${side} ${toText(quantity)} ${market}, and a one-way account cannot wait for the other side meanwhile: ` +
  `send CLOSE_${side} first, or leave out price to reverse at market, or let the account hold both sides (hedge mode; paper accounts: ` +
  'PAPER_POSITION_MODE=hedge); nothing was sent';

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
  const { stopLoss, takeProfit } = stops;
  const [loss, gain] = isLong ? ['below', 'above'] : ['above', 'below'];
  const where = `the entry at about ${toText(entry)}, or it would close the position at once; nothing was sent`;
  if (stopLoss !== undefined && (isLong ? stopLoss >= entry : stopLoss <= entry))
    return `stopLoss ${toText(stopLoss)} of a ${isLong ? 'long' : 'short'} belongs ${loss} ${where}`;
  if (takeProfit !== undefined && (isLong ? takeProfit <= entry : takeProfit >= entry))
    return `takeProfit ${toText(takeProfit)} of a ${isLong ? 'long' : 'short'} belongs ${gain} ${where}`;
  return undefined;
}

const tooSmall = (order: SignalOrder, market: Market): string =>
  `${toText(order.quantity)} is too small for ${order.market} on ${order.exchange}: ` +
  `the minimum is ${toText(market.minQuantity)}, in steps of ${toText(market.stepSize)}`;

/** Without a price the venue itself decides. */
function notionalFault(order: SignalOrder, market: Market, quantity: Decimal, price: Decimal | undefined) {
  const notional = price === undefined ? undefined : times(quantity, price);
  if (notional === undefined || notional >= market.minNotional) return undefined;
  const minimum = `the minimum of ${toText(market.minNotional)} USDT on ${market.symbol}`;
  const cut = quantity === order.quantity ? '' : ` (${quantityCut(order, market, quantity)})`;
  return `an order of ${toText(notional)} USDT is below ${minimum}${cut}; raise the quantity`;
}

/** Why the venue is asked for less than the signal said. */
export const quantityCut = ({ quantity }: SignalOrder, { symbol, stepSize }: Market, cutTo: Decimal): string =>
  `${toText(quantity)} was cut to ${toText(cutTo)}: ${symbol} trades in steps of ${toText(stepSize)}`;

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
