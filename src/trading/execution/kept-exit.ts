// Exits of real money: they wait for their venue, what they leave open is closed by a second order, and one that ends although something
// of it is still open is told to the owner.

import { ACTION_MEANING } from '../action.ts';
import type { Leg, Trade, TradeState } from '../books/journal.ts';
import { type Decimal, floorTo, minus, smaller, toText, ZERO } from '../decimal.ts';
import { isDirectClose, OWNER } from '../signal.ts';

/** Whether it waits for its venue beyond SIGNAL_MAX_AGE_S. Paper has no position that somebody could lose money with. */
export const isKeptExit = ({ mode, order }: Pick<Trade, 'mode' | 'order'>): boolean =>
  mode !== 'paper' && ACTION_MEANING[order.action].closes;

/** Asked for by a signal or by the owner: stops look after their positions themselves, and the venue after its own orders. */
const isAskedFor = (trade: Pick<Trade, 'mode' | 'order' | 'source'>): boolean =>
  isKeptExit(trade) && (!isDirectClose(trade) || trade.source === OWNER);

/** Whether what it leaves open is closed, too. Whoever names a price wants no other. */
export const closesRest = (trade: Pick<Trade, 'mode' | 'order' | 'source'>): boolean =>
  isAskedFor(trade) && trade.order.price === undefined;

/** Whether this order of it may leave something that is closed by another one. */
export const isFirstClose = (trade: Pick<Trade, 'mode' | 'order' | 'source'>, leg: Leg): boolean =>
  leg === 'close' && closesRest(trade);

/** Whether an order that was found after a crash was to close all there was, as far as its signal tells. */
export const wasToCloseAll = ({ order }: Pick<Trade, 'order'>, sent: Decimal): boolean =>
  order.closesAll === true || (order.quantityType === undefined && order.quantity > sent);

/** What is known of a trade when it ends. A `TradeRun` works some of it out when it is read: `...` would leave that behind. */
export interface EndOfTrade {
  readonly trade: Trade;
  readonly state: TradeState;
  readonly error: string | undefined;
  /** Whether an order of it may have reached the venue; where none has, whoever lets it expire tells that. */
  readonly placed: boolean;
  /** What our books have of its strategy on the side that it closes. */
  readonly bookedShare: Decimal;
  readonly executedQuantity: Decimal;
  /** The step of its market, where that is known: less than one cannot be traded, and is no rest of anything. */
  readonly stepSize: Decimal | undefined;
  /** Orders that it was to cancel and that its venue keeps. */
  readonly leftResting: readonly string[];
  /** The venue has shown that something is left, whatever our books have of it. */
  readonly isLeftOpen: boolean;
}

/** Whether it has closed all that was asked for, or there is nothing left of it. */
export const isClosed = (end: Omit<EndOfTrade, 'state'>): boolean => {
  const { closesAll, quantityType } = end.trade.order;
  if (end.bookedShare === ZERO && !end.isLeftOpen) return true;
  return closesAll !== true && quantityType === undefined && stillAskedFor(end) <= ZERO;
};

/** What it was asked to close and has not, in whole steps. */
function stillAskedFor({ trade, executedQuantity, stepSize }: Omit<EndOfTrade, 'state'>): Decimal {
  const left = minus(trade.order.quantity, executedQuantity);
  return stepSize === undefined ? left : floorTo(left, stepSize);
}

export const restsInWords = (clientOrderId: string): string =>
  `order ${clientOrderId} could not be canceled; it waits at the venue and may open the position again: cancel it there`;

/** What is to be said of an exit that has filled and was to close more, which our books still have. */
export function leftInWords(end: Omit<EndOfTrade, 'state'>): string | undefined {
  const { trade, executedQuantity, bookedShare } = end;
  if (!closesRest(trade) || isClosed(end) || !wasToCloseAll(trade, executedQuantity)) return undefined;
  const left = trade.order.closesAll === true ? bookedShare : smaller(bookedShare, stillAskedFor(end));
  return `${toText(left)} ${trade.order.market} of what it was to close is still open in our books`;
}

/** What its owner has to hear of an exit that has ended; undefined where it closed what it was to, or the owner ended it. */
export const unclosedInWords = (end: EndOfTrade): string | undefined => notAllInWords(end) ?? keptInWords(end);

function keptInWords({ trade, state, leftResting: [stays] }: EndOfTrade): string | undefined {
  if (stays === undefined || state !== 'filled' || trade.mode === 'paper') return undefined;
  return `has closed, but ${restsInWords(stays)}`;
}

function notAllInWords(end: EndOfTrade): string | undefined {
  const { trade, state, error, placed } = end;
  if (!isAskedFor(trade) || isClosed(end)) return undefined;
  const why = error === undefined ? '' : `: ${error}`;
  if (state === 'rejected') return `was refused${why}`;
  const isLeft = state === 'filled' ? error !== undefined : state === 'expired' && placed;
  return isLeft && trade.order.price === undefined ? `has not closed all${why}` : undefined;
}
