// A position in our own books, computed from fills and nothing else.

import { type AccountName, accountInWords } from '../accounts.ts';
import { type Decimal, plus, smaller, ZERO } from '../decimal.ts';
import type { Fill, OrderSide, PositionSide } from '../venue.ts';
import { entryPriceOf, FLAT, type Holding, increase, profitAt, reduce } from './holding.ts';

export interface PositionName extends AccountName {
  readonly market: string;
  readonly side: PositionSide;
}

/** As its owner names a position: the mode is that of the account. */
export type ShortName = Omit<PositionName, 'mode'>;

/** The name of a position outside: `binance:BTCUSDT:LONG` on the main account, `binance:scalp:BTCUSDT:LONG` on another. */
export const keyInWords = (name: ShortName): string => `${accountInWords(name)}:${name.market}:${name.side}`;

export interface Position extends PositionName, Holding {
  /** The average price of what is held, of cost and quantity; zero when nothing is. */
  readonly entryPrice: Decimal;
  readonly realizedPnl: Decimal;
  readonly fees: Decimal;
  readonly updatedAtMs: number;
}

export const positionKey = ({ exchange, mode, account, market, side }: PositionName): string =>
  `${exchange}:${mode}:${account}:${market}:${side}`;

export function emptyPosition(of: PositionName): Position {
  return { ...of, ...FLAT, entryPrice: ZERO, realizedPnl: ZERO, fees: ZERO, updatedAtMs: 0 };
}

/**
 * Buying adds to a long and reduces a short. A reduction never flips: what exceeds the position counts for nothing. What it earned is
 * counted here, unless it is `told`.
 */
export function applyFill(
  position: Position,
  orderSide: OrderSide,
  fill: Fill,
  told?: Decimal,
): { position: Position; realizedPnl: Decimal } {
  const adds = (orderSide === 'BUY') === (position.side === 'LONG');
  const { holding, realizedPnl: counted } = adds
    ? { holding: increase(position, fill.quantity, fill.price), realizedPnl: ZERO }
    : reduce(position, position.side, smaller(position.quantity, fill.quantity), fill.price);
  const realizedPnl = adds ? ZERO : (told ?? counted);
  return {
    position: {
      ...withHolding(position, holding),
      realizedPnl: plus(position.realizedPnl, realizedPnl),
      fees: plus(position.fees, fill.fee),
      updatedAtMs: fill.atMs,
    },
    realizedPnl,
  };
}

export const withHolding = (position: Position, { quantity, cost }: Holding): Position => ({
  ...position,
  quantity,
  cost,
  entryPrice: entryPriceOf({ quantity, cost }),
});

export const unrealizedPnl = (position: Position, markPrice: Decimal): Decimal =>
  profitAt(position, position.side, markPrice);
