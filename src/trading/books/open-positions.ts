// The positions that are open: those that hold something, and those that hold nothing because the shares of strategies cancel
// each other out exactly. Behind such a one every strategy still has its share, and as soon as one of them closes, the
// position of the others is there.

import { ZERO } from '../decimal.ts';
import { type Position, positionKey } from './position.ts';
import type { StrategyBook } from './strategy-book.ts';

const marketOf = (position: Position): string => positionKey({ ...position, side: 'LONG' });
const holds = ({ quantity }: Position): boolean => quantity > ZERO;

/** One for each market whose shares cancel out, with the quantity 0, besides those that hold something. */
export function openPositionsOf(positions: readonly Position[], books: readonly StrategyBook[]): readonly Position[] {
  const held = positions.filter(holds);
  const ofMarkets = new Set(held.map(marketOf));
  const shared = new Set(books.filter(holds).map(marketOf));
  const canceled = new Map(
    positions
      .filter((position) => shared.has(marketOf(position)) && !ofMarkets.has(marketOf(position)))
      .map((position) => [marketOf(position), position]),
  );
  return [...held, ...canceled.values()];
}

/** The shares behind a position that they cancel out; empty for one that holds something. */
export const sharesBehind = (position: Position, books: readonly StrategyBook[]): readonly StrategyBook[] =>
  holds(position) ? [] : books.filter((book) => holds(book) && marketOf(book) === marketOf(position));
