// The strategy books of every market in memory; each market is touched by its lane only.
//
// As long as no signal for a market has named a strategy there is nothing to divide: the position itself is the nameless
// book, and nothing is kept or written for it. The first named fill makes the books of that market, and from then on
// they always add up to its position.

import { type Decimal, ZERO } from '../decimal.ts';
import type { PositionSide, VenuePosition } from '../venue.ts';
import type { Position } from './position.ts';
import {
  type Alignment,
  alignBooks,
  type Divided,
  divideOwnFill,
  type MarketName,
  marketKey,
  NAMELESS,
  type OwnFill,
  type StrategyBook,
  sumOf,
} from './strategy-book.ts';

const NOTHING: Divided = { changed: [], shares: [] };
const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

/** A fill of an order: `strategy` undefined means that it closes the position, whoever holds it. */
export interface DividedFill extends Omit<OwnFill, 'strategy'> {
  readonly strategy: string | undefined;
}

export class StrategyBooks {
  readonly #byMarket = new Map<string, readonly StrategyBook[]>();

  constructor(stored: readonly StrategyBook[]) {
    for (const book of stored) this.#put(book, [book]);
  }

  /** Empty while the position is not divided. */
  of(market: MarketName): readonly StrategyBook[] {
    return this.#byMarket.get(marketKey(market)) ?? [];
  }

  all(): readonly StrategyBook[] {
    return [...this.#byMarket.values()].flat();
  }

  /** Whether a fill of this strategy changes any book: without names there is nothing to divide. */
  concerns(market: MarketName, strategy: string | undefined): boolean {
    return (strategy !== undefined && strategy !== NAMELESS) || this.#byMarket.has(marketKey(market));
  }

  /** For fills that concern the books. `before` and `after` are the positions of the market around the fill. */
  note(market: MarketName, own: DividedFill, before: readonly Position[], after: readonly Position[]): Divided {
    const { strategy, fill, netted } = own;
    const isDivided = this.#byMarket.has(marketKey(market));
    // The books begin with what there is: all of it belongs to nobody by name.
    const made = isDivided ? [] : before.filter(hasHistory).map((position) => ({ ...position, strategy: NAMELESS }));
    this.#put(market, made);
    const divided = strategy === undefined ? NOTHING : divideOwnFill(this.of(market), market, { ...own, strategy });
    this.#put(market, divided.changed);
    const aligned = this.align(market, after, netted, {
      atMs: fill.atMs,
      price: fill.price,
      ...(strategy === undefined && { fee: fill.fee }),
    });
    return {
      changed: latest([...made, ...divided.changed, ...aligned.changed]),
      shares: [...divided.shares, ...aligned.shares],
    };
  }

  /** Makes the books of a divided market add up to its positions; changes nothing where they do. */
  align(market: MarketName, positions: readonly Position[], netted: boolean, alignment: Alignment): Divided {
    if (!this.#byMarket.has(marketKey(market))) return NOTHING;
    if (netted) return this.#alignSum(market, this.of(market), sumOf(positions), alignment);
    const sides = SIDES.map((side) => {
      const target = sumOf(positions.filter((position) => position.side === side));
      const books = this.of(market).filter((book) => book.side === side);
      return this.#alignSum(market, books, target, alignment);
    });
    return { changed: sides.flatMap(({ changed }) => changed), shares: sides.flatMap(({ shares }) => shares) };
  }

  #alignSum(market: MarketName, books: readonly StrategyBook[], target: Decimal, alignment: Alignment): Divided {
    const divided = alignBooks(books, market, target, alignment);
    this.#put(market, divided.changed);
    return divided;
  }

  #put(market: MarketName, changed: readonly StrategyBook[]): void {
    if (changed.length === 0) return;
    this.#byMarket.set(marketKey(market), latest([...this.of(market), ...changed]));
  }
}

/** The last word on each book. */
const latest = (books: readonly StrategyBook[]): readonly StrategyBook[] => [
  ...new Map(books.map((book) => [`${book.side} ${book.strategy}`, book])).values(),
];

const hasHistory = ({ quantity, realizedPnl, fees }: Position): boolean =>
  quantity !== ZERO || realizedPnl !== ZERO || fees !== ZERO;

/** What a strategy may give or turn around, long positive; and whether our books explain what the venue holds. */
export interface OwnShare {
  readonly quantity: Decimal;
  readonly agrees: boolean;
}

/**
 * A strategy's share of what the venue holds right now, on the sides that `held` has. Where our books say something else
 * than the venue, the venue is right, and the difference is divided as an alignment would.
 */
export function shareOf(
  books: readonly StrategyBook[],
  market: MarketName,
  strategy: string | undefined,
  held: readonly VenuePosition[],
): OwnShare {
  const net = sumOf(held);
  if (strategy === undefined) return { quantity: net, agrees: true };
  if (books.length === 0) return { quantity: strategy === NAMELESS ? net : ZERO, agrees: true };
  const { changed } = alignBooks(books, market, net, { atMs: 0 });
  const aligned = latest([...books, ...changed]).filter((book) => book.strategy === strategy);
  return { quantity: sumOf(aligned), agrees: changed.length === 0 };
}
