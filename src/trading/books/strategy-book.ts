// What of a position belongs to one strategy, and how fills and a venue's word divide a position between strategies.
//
// Long is positive, short negative: on a netted account the sum of all books of a market is its position, and two
// strategies may stand against each other. On a hedge account each side is divided by itself. Signals without a strategy
// have a book too, the nameless one; whatever nobody claims is in it.

import type { AccountName } from '../accounts.ts';
import { absolute, type Decimal, minus, negate, plus, smaller, ZERO } from '../decimal.ts';
import type { Fill, OrderSide, PositionSide } from '../venue.ts';
import { increase, reduce } from './holding.ts';
import {
  applyFill,
  emptyPosition,
  keyInWords,
  type Position,
  type PositionName,
  positionKey,
  withHolding,
} from './position.ts';

/** The strategy of signals that name none. */
export const NAMELESS = '';

export interface StrategyBook extends Position {
  readonly strategy: string;
}

/** A strategy's share of a position. */
export interface ShareName extends PositionName {
  readonly strategy: string;
}

/** As the owner names a share: the mode is that of the account. */
export type ShortShareName = Omit<ShareName, 'mode'>;

/** `binance:BTCUSDT:LONG`, with the strategy behind it where there is one. */
export const shareInWords = (name: ShortShareName): string =>
  name.strategy === NAMELESS ? keyInWords(name) : `${keyInWords(name)} of strategy ${JSON.stringify(name.strategy)}`;

export interface MarketName extends AccountName {
  readonly market: string;
}

/** For maps; people read keyInWords. */
export const marketKey = ({ exchange, mode, account, market }: MarketName): string =>
  `${exchange}:${mode}:${account}:${market}`;

/**
 * Whether the book is a share of this position that is not flat. On a netted account a share may stand on the other side;
 * a hedge account has a position there, whose share it is instead.
 */
export const isShareOf = (book: StrategyBook, position: Position, others: readonly Position[]): boolean =>
  book.quantity > ZERO &&
  positionKey({ ...book, side: position.side }) === positionKey(position) &&
  (book.side === position.side || !others.some((other) => positionKey(other) === positionKey(book)));

/** What of a fill went to which strategy. */
export interface FillShare {
  readonly strategy: string;
  readonly quantity: Decimal;
  readonly realizedPnl: Decimal;
  readonly fee: Decimal;
}

export interface Divided {
  readonly changed: readonly StrategyBook[];
  readonly shares: readonly FillShare[];
}

export const signedQuantity = ({ side, quantity }: Pick<Position, 'side' | 'quantity'>): Decimal =>
  side === 'LONG' ? quantity : negate(quantity);

export const sumOf = (positions: readonly Pick<Position, 'side' | 'quantity'>[]): Decimal =>
  positions.reduce((sum, position) => plus(sum, signedQuantity(position)), ZERO);

const sideOf = (signed: Decimal): PositionSide => (signed < ZERO ? 'SHORT' : 'LONG');

export const emptyBook = (market: MarketName, strategy: string, side: PositionSide): StrategyBook => {
  const { exchange, mode, account, market: name } = market;
  return { ...emptyPosition({ exchange, mode, account, market: name, side }), strategy };
};

const find = (books: readonly StrategyBook[], market: MarketName, strategy: string, side: PositionSide): StrategyBook =>
  books.find((book) => book.strategy === strategy && book.side === side) ?? emptyBook(market, strategy, side);

export interface OwnFill {
  readonly strategy: string;
  readonly side: OrderSide;
  readonly positionSide: PositionSide;
  /** Whether the account nets both sides: then what the strategy held the other way is given up first. */
  readonly netted: boolean;
  readonly fill: Fill;
}

/** A fill of an order that one strategy sent: it touches no other book. */
export function divideOwnFill(books: readonly StrategyBook[], market: MarketName, own: OwnFill): Divided {
  const { strategy, side, positionSide, netted, fill } = own;
  const grows: PositionSide = side === 'BUY' ? 'LONG' : 'SHORT';
  const shrinks: PositionSide = side === 'BUY' ? 'SHORT' : 'LONG';
  const other = find(books, market, strategy, netted ? shrinks : positionSide);
  const givenUp = netted ? smaller(other.quantity, fill.quantity) : fill.quantity;
  const first = givenUp === ZERO ? undefined : applyFill(other, side, { ...fill, quantity: givenUp });
  const added = minus(fill.quantity, givenUp);
  const rest = added === ZERO ? undefined : { ...fill, quantity: added, fee: first ? ZERO : fill.fee };
  const second = rest && applyFill(find(books, market, strategy, grows), side, rest);
  const changed = [first, second].flatMap((applied) => (applied ? [{ ...applied.position, strategy }] : []));
  const realizedPnl = plus(first?.realizedPnl ?? ZERO, second?.realizedPnl ?? ZERO);
  return { changed, shares: [{ strategy, quantity: fill.quantity, realizedPnl, fee: fill.fee }] };
}

/** At what price and when a position became what the books are aligned with; without a price nobody earns or loses by it. */
export interface Alignment {
  readonly atMs: number;
  readonly price?: Decimal;
  readonly fee?: Decimal;
  /** For what nobody knew of: what the venue says it cost. */
  readonly entryPrice?: Decimal;
}

/**
 * Makes the books add up to `target`, which is right: a stop or the owner closed the position, it was liquidated, or
 * somebody traded beside us. An increase is the nameless book's. A decrease is taken from the nameless book first and
 * then from the largest; a flat position leaves every book flat. No book but the nameless one ever changes its side.
 */
export function alignBooks(
  books: readonly StrategyBook[],
  market: MarketName,
  target: Decimal,
  alignment: Alignment,
): Divided {
  const missing = minus(target, sumOf(books));
  if (missing === ZERO) return { changed: [], shares: [] };
  const held = books.filter(({ quantity }) => quantity > ZERO);
  const hasGrown = target !== ZERO && sideOf(missing) === sideOf(target) && absolute(target) >= absolute(missing);
  const giving = target === ZERO ? held : held.filter((book) => isGiver(book, missing, hasGrown));
  // The fee goes with the first: it must be the same one after a restart, which reads the books in another order.
  const givers = giving.toSorted(namelessFirst);
  const divider = new Divider(alignment);
  let left = absolute(missing);
  for (const book of givers) {
    const taken = target === ZERO ? book.quantity : smaller(book.quantity, left);
    if (taken === ZERO) break;
    divider.take(book, taken);
    left = minus(left, taken);
  }
  if (target !== ZERO && left > ZERO) divider.add(find(books, market, NAMELESS, sideOf(missing)), left);
  return divider.divided();
}

/** What stands the other way can give; where the position grew, only the nameless book does. */
const isGiver = (book: StrategyBook, missing: Decimal, hasGrown: boolean): boolean =>
  book.side !== sideOf(missing) && (!hasGrown || book.strategy === NAMELESS);

const namelessFirst = (a: StrategyBook, b: StrategyBook): number =>
  rank(a) - rank(b) || (a.quantity < b.quantity ? 1 : a.quantity > b.quantity ? -1 : a.strategy < b.strategy ? -1 : 1);
const rank = ({ strategy }: StrategyBook): number => (strategy === NAMELESS ? 0 : 1);

/** Gathers what an alignment takes from books and adds to them; the fee goes with the first share. */
class Divider {
  readonly #alignment: Alignment;
  readonly #changed: StrategyBook[] = [];
  readonly #shares: FillShare[] = [];

  constructor(alignment: Alignment) {
    this.#alignment = alignment;
  }

  take(book: StrategyBook, quantity: Decimal): void {
    const { price } = this.#alignment;
    const { holding, realizedPnl } = reduce(book, book.side, quantity, price ?? book.entryPrice);
    this.#note({ ...book, ...withHolding(book, holding) }, quantity, price === undefined ? ZERO : realizedPnl);
  }

  add(book: StrategyBook, quantity: Decimal): void {
    const { price, entryPrice } = this.#alignment;
    const holding = increase(book, quantity, price ?? entryPrice ?? book.entryPrice);
    this.#note({ ...book, ...withHolding(book, holding) }, quantity, ZERO);
  }

  divided(): Divided {
    return { changed: this.#changed, shares: this.#shares };
  }

  #note(book: StrategyBook, quantity: Decimal, realizedPnl: Decimal): void {
    const { atMs, fee = ZERO } = this.#alignment;
    const own = this.#shares.length === 0 ? fee : ZERO;
    this.#changed.push({
      ...book,
      realizedPnl: plus(book.realizedPnl, realizedPnl),
      fees: plus(book.fees, own),
      updatedAtMs: atMs,
    });
    this.#shares.push({ strategy: book.strategy, quantity, realizedPnl, fee: own });
  }
}
