// What is held of one side of a market and what it cost: adding, reducing and profit, exact to the last digit.
//
// The cost is kept, not the average price: an average must be rounded, and an average of rounded averages drifts away
// (3017.852499999997). Adding loses nothing, for the products of prices and quantities are exact. A reduction leaves its
// share of the cost, cut off at the 24th place. The average is one division, rounded once, whenever somebody asks for it.

import { type Decimal, minus, type Product, plus, product, quotient, rounded, shareOf, ZERO } from '../decimal.ts';
import type { PositionSide } from '../venue.ts';

export interface Holding {
  readonly quantity: Decimal;
  /** The sum of price times quantity of everything that is held. */
  readonly cost: Product;
}

const NOTHING = 0n as Product;
export const FLAT: Holding = { quantity: ZERO, cost: NOTHING };

/** For what is known by its average price only: a venue's word, or a row of an earlier version. */
export const heldAt = (quantity: Decimal, entryPrice: Decimal): Holding =>
  quantity === ZERO ? FLAT : { quantity, cost: product(quantity, entryPrice) };

/** Zero when nothing is held. */
export const entryPriceOf = ({ quantity, cost }: Holding): Decimal =>
  quantity === ZERO ? ZERO : quotient(cost, quantity);

export function increase(held: Holding, quantity: Decimal, price: Decimal): Holding {
  return { quantity: plus(held.quantity, quantity), cost: (held.cost + product(quantity, price)) as Product };
}

/** What is left keeps its average price; what went earns its share of the move. Never turns a position around. */
export function reduce(
  held: Holding,
  side: PositionSide,
  quantity: Decimal,
  price: Decimal,
): { readonly holding: Holding; readonly realizedPnl: Decimal } {
  if (quantity > held.quantity) throw new RangeError('a position cannot be reduced by more than it holds');
  const left = minus(held.quantity, quantity);
  const holding = left === ZERO ? FLAT : { quantity: left, cost: shareOf(held.cost, left, held.quantity) };
  const costOfReduced = (held.cost - holding.cost) as Product;
  return { holding, realizedPnl: profit(side, costOfReduced, product(quantity, price)) };
}

/** What the position would earn if it were closed at this price, before fees. */
export const profitAt = ({ quantity, cost }: Holding, side: PositionSide, price: Decimal): Decimal =>
  profit(side, cost, product(quantity, price));

const profit = (side: PositionSide, cost: Product, worth: Product): Decimal =>
  rounded((side === 'LONG' ? worth - cost : cost - worth) as Product);
