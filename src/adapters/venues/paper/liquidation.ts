// When an account can no longer carry its positions, and what becomes of them: cross margin, one account as a whole.
//
// An account is worth its balance and the profit of what is open. When that falls to the margin that its positions must keep,
// the venue cancels the orders that rest in the way and closes the position that loses most, at the market, and the next one,
// until what is left is enough. It takes a fee for it, never more than there is. Where a jump has carried the price past the
// point at which nothing is left, the position is closed at that point: the venue's insurance bears the rest, so that no account
// ends below zero.

import {
  type Decimal,
  floorTo,
  larger,
  minus,
  over,
  plus,
  rounded,
  smaller,
  times,
  ZERO,
} from '../../../trading/decimal.ts';
import { tierAt } from '../../../trading/leverage-tiers.ts';
import type { PositionSide } from '../../../trading/venue.ts';
import type { Account, MarketBook } from './account.ts';
import { type Booking, bookCancel, bookLiquidation } from './booking.ts';
import { maintenanceAt } from './margin-tiers.ts';

/** How far a market traded. */
export interface Range {
  readonly low: Decimal;
  readonly high: Decimal;
}

export type Ranges = ReadonlyMap<string, Range>;

const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];
/** The tier at the price that comes out may be another than the one it was computed with. */
const MAX_TIER_LOOKS = 6;

export const isHeld = ({ LONG, SHORT }: MarketBook): boolean =>
  LONG.holding.quantity > ZERO || SHORT.holding.quantity > ZERO;

export const heldBooks = (account: Account): readonly MarketBook[] => [...account.books.values()].filter(isHeld);

/** Falling prices hurt it; of both sides the larger one counts. */
const isLong = ({ LONG, SHORT }: MarketBook): boolean => LONG.holding.quantity >= SHORT.holding.quantity;

const maintenanceOf = ({ rules, mark, LONG, SHORT }: MarketBook): Decimal =>
  plus(
    maintenanceAt(rules.tiers, times(LONG.holding.quantity, mark)),
    maintenanceAt(rules.tiers, times(SHORT.holding.quantity, mark)),
  );

export const maintenanceOfAll = (account: Account): Decimal => heldBooks(account).map(maintenanceOf).reduce(plus, ZERO);

const cannotCarry = (account: Account): boolean =>
  heldBooks(account).length > 0 && account.equity() <= maintenanceOfAll(account);

/**
 * The price of this market at which the account is liquidated while all others stand still, on the tick; undefined where no
 * price does it.
 */
export function liquidationPriceOf(account: Account, book: MarketBook): Decimal | undefined {
  const { rules, LONG, SHORT } = book;
  const worth = minus(account.equity(), plus(LONG.unrealized, SHORT.unrealized));
  const bound = minus(maintenanceOfAll(account), maintenanceOf(book));
  const cost = minus(rounded(LONG.holding.cost), rounded(SHORT.holding.cost));
  let price = book.mark;
  for (let looks = 0; looks < MAX_TIER_LOOKS; looks++) {
    const long = tierAt(rules.tiers, times(LONG.holding.quantity, price));
    const short = tierAt(rules.tiers, times(SHORT.holding.quantity, price));
    const kept = plus(
      times(LONG.holding.quantity, long.maintenanceRate),
      times(SHORT.holding.quantity, short.maintenanceRate),
    );
    const slope = minus(minus(LONG.holding.quantity, SHORT.holding.quantity), kept);
    const deduction = plus(
      LONG.holding.quantity > ZERO ? long.deduction : ZERO,
      SHORT.holding.quantity > ZERO ? short.deduction : ZERO,
    );
    if (slope === ZERO) return undefined;
    const next = over(minus(plus(minus(bound, deduction), cost), worth), slope);
    if (next <= ZERO) return undefined;
    if (next === price) break;
    price = next;
  }
  const down = floorTo(price, rules.tickSize);
  const onTick = isLong(book) || down === price ? down : plus(down, rules.tickSize);
  return onTick > ZERO ? onTick : undefined;
}

/** Whether the account would be liquidated if every market stood at its worst price of these; changes nothing. */
export function isEndangered(account: Account, ranges: Ranges): boolean {
  const before = heldBooks(account).map((book) => [book, book.mark] as const);
  setWorstMarks(account, ranges);
  const endangered = cannotCarry(account);
  for (const [book, mark] of before) account.setMark(book, mark);
  return endangered;
}

function setWorstMarks(account: Account, ranges: Ranges): void {
  for (const book of heldBooks(account)) {
    const range = ranges.get(book.rules.symbol);
    if (range) account.setMark(book, isLong(book) ? range.low : range.high);
  }
}

/** Where the market stood before it turned against the account. */
export const bestPriceOf = (book: MarketBook, { low, high }: Range): Decimal => (isLong(book) ? high : low);

const lossOf = ({ LONG, SHORT }: MarketBook): Decimal => plus(LONG.unrealized, SHORT.unrealized);
const worstOf = (account: Account): MarketBook | undefined =>
  heldBooks(account).reduce<MarketBook | undefined>(
    (worst, book) => (worst === undefined || lossOf(book) < lossOf(worst) ? book : worst),
    undefined,
  );

/** The market and the price that bring the account down, where these ranges do. */
export function dangerIn(account: Account, ranges: Ranges): { book: MarketBook; price: Decimal } | undefined {
  const before = heldBooks(account).map((book) => [book, book.mark] as const);
  setWorstMarks(account, ranges);
  const book = cannotCarry(account) ? worstOf(account) : undefined;
  const danger = book && { book, price: priceWithin(liquidationPriceOf(account, book), book, ranges) };
  for (const [each, mark] of before) account.setMark(each, mark);
  return danger;
}

/** A market that traded through the price gets it; one that jumped past it gets the first price behind it. */
function priceWithin(price: Decimal | undefined, book: MarketBook, ranges: Ranges): Decimal {
  const range = ranges.get(book.rules.symbol);
  if (price === undefined || range === undefined) return book.mark;
  return smaller(larger(price, range.low), range.high);
}

/** Closes what the account can no longer carry at the worst prices of these ranges. */
export function liquidate(account: Account, ranges: Ranges, atMs: number): readonly Booking[] {
  const danger = dangerIn(account, ranges);
  if (!danger) return [];
  setWorstMarks(account, ranges);
  account.setMark(danger.book, danger.price);
  const bookings: Booking[] = cancelInTheWay(account, danger.book, atMs);
  for (let book: MarketBook | undefined = danger.book; book !== undefined; ) {
    for (const side of SIDES) {
      if (book[side].holding.quantity === ZERO) continue;
      bookings.push(...bookLiquidation(account, book, side, boundedPrice(account, book, side), atMs));
    }
    book = cannotCarry(account) ? worstOf(account) : undefined;
  }
  return bookings;
}

const LIQUIDATED = 'canceled because the account was liquidated';

/** Orders that would open something, anywhere, and whatever rests in the market of the position. */
function cancelInTheWay(account: Account, of: MarketBook, atMs: number): Booking[] {
  return [...account.books.values()].flatMap((book) =>
    [...book.resting.values()]
      .filter(({ order }) => book === of || !order.reduceOnly)
      .map((resting) => bookCancel(account, book, resting, atMs, LIQUIDATED)),
  );
}

/** The mark; better where the account would be worth less than nothing there. */
function boundedPrice(account: Account, book: MarketBook, side: PositionSide): Decimal {
  const missing = minus(ZERO, account.equity());
  if (missing <= ZERO) return book.mark;
  const { quantity } = book[side].holding;
  const better = plus(over(missing, quantity), 1n as Decimal);
  return side === 'LONG' ? plus(book.mark, better) : larger(minus(book.mark, better), 1n as Decimal);
}
