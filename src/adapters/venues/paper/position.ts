// The arithmetic of one position: adding, reducing, profit and margin; pure and exact.

import { type Decimal, minus, plus, times, ZERO } from '../../../trading/decimal.ts';
import type { PositionSide } from '../../../trading/venue.ts';

export interface Holding {
  readonly quantity: Decimal;
  /** Average price of what is held; zero when nothing is. */
  readonly entryPrice: Decimal;
}

export const FLAT: Holding = { quantity: ZERO, entryPrice: ZERO };

/** The entry price becomes the average, weighted by quantity; one division, so nothing is cut twice. */
export function increase(held: Holding, quantity: Decimal, price: Decimal): Holding {
  const total = plus(held.quantity, quantity);
  const weighted = held.quantity * held.entryPrice + quantity * price;
  return { quantity: total, entryPrice: (weighted / total) as Decimal };
}

/** What is left keeps its entry price; what went earns its share of the move. Never turns a position around. */
export function reduce(
  held: Holding,
  side: PositionSide,
  quantity: Decimal,
  price: Decimal,
): { readonly holding: Holding; readonly realizedPnl: Decimal } {
  if (quantity > held.quantity) throw new RangeError('a position cannot be reduced by more than it holds');
  const left = minus(held.quantity, quantity);
  return {
    holding: left === ZERO ? FLAT : { quantity: left, entryPrice: held.entryPrice },
    realizedPnl: profit(side, quantity, held.entryPrice, price),
  };
}

/** What the position would earn if it were closed at this price, before fees. */
export const unrealizedPnl = (held: Holding, side: PositionSide, mark: Decimal): Decimal =>
  profit(side, held.quantity, held.entryPrice, mark);

/** Margin that a quantity at a price binds. */
export const marginFor = (quantity: Decimal, price: Decimal, leverage: number): Decimal =>
  (times(quantity, price) / BigInt(leverage)) as Decimal;

function profit(side: PositionSide, quantity: Decimal, from: Decimal, to: Decimal): Decimal {
  return times(quantity, side === 'LONG' ? minus(to, from) : minus(from, to));
}
