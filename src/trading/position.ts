// A position in our own books, computed from fills and nothing else.

import { type Decimal, larger, minus, over, plus, smaller, times, ZERO } from './decimal.ts';
import type { Exchange } from './signal.ts';
import type { Fill, OrderSide, PositionSide, VenueMode } from './venue.ts';

export interface Position {
  readonly exchange: Exchange;
  readonly account: VenueMode;
  readonly market: string;
  readonly side: PositionSide;
  readonly quantity: Decimal;
  readonly entryPrice: Decimal;
  readonly realizedPnl: Decimal;
  readonly fees: Decimal;
  readonly updatedAtMs: number;
}

export const positionKey = (p: Pick<Position, 'exchange' | 'account' | 'market' | 'side'>): string =>
  `${p.exchange}:${p.account}:${p.market}:${p.side}`;

export function emptyPosition(of: Pick<Position, 'exchange' | 'account' | 'market' | 'side'>): Position {
  return { ...of, quantity: ZERO, entryPrice: ZERO, realizedPnl: ZERO, fees: ZERO, updatedAtMs: 0 };
}

/** Buying adds to a long and reduces a short. A reduction never flips: what exceeds the position counts for nothing. */
export function applyFill(
  position: Position,
  orderSide: OrderSide,
  fill: Fill,
): { position: Position; realizedPnl: Decimal } {
  const adds = (orderSide === 'BUY') === (position.side === 'LONG');
  const fees = plus(position.fees, fill.fee);
  if (adds) {
    const quantity = plus(position.quantity, fill.quantity);
    const cost = plus(times(position.quantity, position.entryPrice), times(fill.quantity, fill.price));
    const entryPrice = over(cost, quantity);
    return { position: { ...position, quantity, entryPrice, fees, updatedAtMs: fill.atMs }, realizedPnl: ZERO };
  }
  const closed = smaller(position.quantity, fill.quantity);
  const quantity = larger(minus(position.quantity, closed), ZERO);
  const realizedPnl = times(profitPerUnit(position, fill.price), closed);
  return {
    position: {
      ...position,
      quantity,
      entryPrice: quantity === ZERO ? ZERO : position.entryPrice,
      realizedPnl: plus(position.realizedPnl, realizedPnl),
      fees,
      updatedAtMs: fill.atMs,
    },
    realizedPnl,
  };
}

export const profitPerUnit = (position: Pick<Position, 'side' | 'entryPrice'>, price: Decimal): Decimal =>
  position.side === 'LONG' ? minus(price, position.entryPrice) : minus(position.entryPrice, price);

export const unrealizedPnl = (position: Position, markPrice: Decimal): Decimal =>
  times(profitPerUnit(position, markPrice), position.quantity);
