// Compares what a strategy says it held before an order with its share here, and works out what follows from a difference.
//
// | the order                    | what is sent first to catch up                                                        |
// |------------------------------|---------------------------------------------------------------------------------------|
// | entry, from flat or its side | what brings the share to the size before it, whichever way that is                    |
// | entry, a reversal            | nothing that the reversal gives up itself; what stands on its own side already closes |
// | exit                         | nothing that it closes itself: it closes so much that what the strategy has after it  |
// |                              | is left. Where the share is less than that, or of the other side, only what leads     |
// |                              | there is sent, and nothing is left to close                                           |
//
// Pure: the lane hands in fresh facts. Everything is seen from the side of the signal: what it opens or closes is positive.

import { accountInWords } from '../accounts.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Trade } from '../books/journal.ts';
import { absolute, type Decimal, larger, minus, negate, plus, toText, ZERO } from '../decimal.ts';
import type { PreviousPosition, SignalOrder } from '../signal.ts';
import type { Market, PositionSide } from '../venue.ts';

/** What is done about a difference: nothing, tell it, refuse the order, or send what is missing first. */
export const POSITION_CHECKS = ['off', 'alarm', 'refuse', 'catch_up'] as const;
export type PositionCheck = (typeof POSITION_CHECKS)[number];

/** The strategy's share before the order, long positive, and what of it is on its way. */
export interface ShareFacts {
  readonly market: Pick<Market, 'stepSize'>;
  readonly netted: boolean;
  readonly share: Decimal;
  /** On a hedge account: how much of the other side is the strategy's. */
  readonly other: Decimal;
  /** What orders of the strategy that rest, or whose outcome is not known, may still buy and sell. */
  readonly buying: Decimal;
  readonly selling: Decimal;
}

export type MissingOrder = Pick<SignalOrder, 'action' | 'quantity'>;

/** A share that is not what the signal says. */
export interface Difference {
  /** For people. */
  readonly words: string;
  /** Of the share, from the signal's side. */
  readonly held: Decimal;
  /** What is sent first, in this order. */
  readonly catchUp: readonly MissingOrder[];
  /** Why what is missing cannot be known. */
  readonly unknown?: string;
}

/** From the signal's side. */
interface Seen {
  readonly held: Decimal;
  /** What it may come to by orders that are on their way. */
  readonly least: Decimal;
  readonly most: Decimal;
}

/** Undefined where the two agree, or where the signal says nothing. Less than a step of the market is no difference. */
export function differenceOf(trade: Trade, facts: ShareFacts): Difference | undefined {
  const { order } = trade;
  const { previousPosition: previous } = order;
  if (previous === undefined) return undefined;
  const { positionSide } = ACTION_MEANING[order.action];
  const isLong = positionSide === 'LONG';
  const held = isLong ? facts.share : negate(facts.share);
  const seen = {
    held,
    least: minus(held, isLong ? facts.selling : facts.buying),
    most: plus(held, isLong ? facts.buying : facts.selling),
  };
  const side = sideOf(previous, positionSide, facts.netted);
  const { stepSize } = facts.market;
  // A reversal closes the other side of a hedge account itself, whatever there is.
  const isOtherHeld = facts.other >= stepSize && previous.position !== otherOf(positionSide).toLowerCase();
  if (!isOtherHeld && !differs(seen, side, previous.size, stepSize)) return undefined;
  const other = isOtherHeld && ACTION_MEANING[order.action].closes ? [closing(otherOf(positionSide), facts.other)] : [];
  const { catchUp = [], unknown } = catchUpOf(order, seen, side, previous.size);
  const words = inWords(trade, facts.share, isOtherHeld ? facts.other : ZERO);
  return { words, held, catchUp: [...other, ...catchUp], ...(unknown !== undefined && { unknown }) };
}

const otherOf = (side: PositionSide): PositionSide => (side === 'LONG' ? 'SHORT' : 'LONG');

/** 1: on the signal's side, -1: on the other one, 0: flat. The two sides of a hedge account do not touch each other. */
function sideOf({ position }: PreviousPosition, positionSide: PositionSide, netted: boolean): 1 | 0 | -1 {
  if (position === 'flat') return 0;
  if (position === positionSide.toLowerCase()) return 1;
  return netted ? -1 : 0;
}

function differs({ least, most }: Seen, side: 1 | 0 | -1, size: Decimal | undefined, step: Decimal): boolean {
  if (side !== 0 && size === undefined) return side === 1 ? most < step : negate(least) < step;
  const expected = signed(side, size);
  return minus(least, expected) >= step || minus(expected, most) >= step;
}

const signed = (side: 1 | 0 | -1, size: Decimal = ZERO): Decimal =>
  side === 0 ? ZERO : side === 1 ? size : negate(size);

const NO_SIZE =
  'how much is missing cannot be known without prevMarketPositionSize in the unit of the orders (quantityType base)';

function catchUpOf(
  order: SignalOrder,
  seen: Seen,
  side: 1 | 0 | -1,
  size: Decimal | undefined,
): Partial<Pick<Difference, 'catchUp' | 'unknown'>> {
  const { action } = order;
  const { closes, positionSide } = ACTION_MEANING[action];
  const { least } = seen;
  if (closes) return raiseTo(leftAfter(order) ?? ZERO, seen, positionSide);
  // A reversal gives up the other side itself.
  if (side === -1) return least > ZERO ? { catchUp: [closing(positionSide, least)] } : {};
  if (side === 1 && size === undefined) return seen.most > ZERO ? {} : { unknown: NO_SIZE };
  const expected = signed(side, size);
  if (least > expected) return { catchUp: [closing(positionSide, minus(least, expected))] };
  return raiseTo(expected, seen, positionSide);
}

/** Nothing where as much is there, or on its way. */
function raiseTo(target: Decimal, { held, most }: Seen, side: PositionSide): Partial<Pick<Difference, 'catchUp'>> {
  if (most >= target) return {};
  if (target === ZERO) return { catchUp: [closing(otherOf(side), negate(most))] };
  // An entry against a share of the other side leads to its quantity, whatever that share was.
  const quantity = minus(target, held < ZERO ? minus(most, held) : most);
  return quantity > ZERO ? { catchUp: [{ action: side, quantity }] } : {};
}

const closing = (side: PositionSide, quantity: Decimal): MissingOrder => ({
  action: side === 'LONG' ? 'CLOSE_LONG' : 'CLOSE_SHORT',
  quantity,
});

/** What the strategy has after an exit; undefined where the sizes cannot be compared. */
function leftAfter({ action, quantity, quantityType, previousPosition, closesAll }: SignalOrder): Decimal | undefined {
  const { closes, positionSide } = ACTION_MEANING[action];
  if (closes && closesAll) return ZERO;
  const size = previousPosition?.position === positionSide.toLowerCase() ? previousPosition.size : undefined;
  if (!closes || quantityType !== undefined || size === undefined) return undefined;
  return larger(minus(size, quantity), ZERO);
}

/**
 * How much an exit closes, so that what the strategy has after it is left: more or less than it says where the
 * share was another one. Undefined where the sizes cannot be compared.
 */
export function exitQuantity(order: SignalOrder, share: Decimal): Decimal | undefined {
  const left = leftAfter(order);
  if (left === undefined) return undefined;
  const held = ACTION_MEANING[order.action].positionSide === 'LONG' ? share : negate(share);
  return larger(minus(held, left), ZERO);
}

/** `the alert says that strategy "trend" was long 2 in BTCUSDT before this order, but on binance its share is long 1`. */
function inWords({ account, order }: Trade, share: Decimal, other: Decimal): string {
  const { exchange, market, strategy, previousPosition: previous } = order;
  const who = strategy === undefined ? 'its strategy' : `strategy ${JSON.stringify(strategy)}`;
  const size = previous?.size === undefined ? '' : ` ${toText(previous.size)}`;
  const sides = [share, ACTION_MEANING[order.action].positionSide === 'LONG' ? negate(other) : other];
  const held = sides.filter((each) => each !== ZERO).map(sideInWords);
  const where = accountInWords({ exchange, account });
  const whose = strategy === undefined ? 'what signals without a strategy hold' : 'its share';
  return `the alert says that ${who} was ${previous?.position}${size} in ${market} before this order, but on ${where} ${whose} is ${held.join(' and ') || 'nothing'}`;
}

const sideInWords = (signed: Decimal): string => `${signed > ZERO ? 'long' : 'short'} ${toText(absolute(signed))}`;
