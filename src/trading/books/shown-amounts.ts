// How exact amounts are shown to people and clients: as fine as a venue counts, and no finer.
//
// Prices of orders and fills are on the tick and quantities on the step, so they are shown as they are. An average price
// lies between ticks: it is shown to a hundredth of the tick. A stop may lie between ticks too: people are told the first
// price of the market at which it fires. Profits and fees are shown to eight places. Books, rows and arithmetic keep
// every digit.

import type { Exchange } from '../../exchanges/exchange.ts';
import { type Decimal, decimal, floorTo, plus, roundTo } from '../decimal.ts';
import type { PositionSide, Venue } from '../venue.ts';

/** The tick of a market, where its venue has it at hand. */
export type TickOf = (exchange: Exchange, market: string) => Decimal | undefined;

export const ticksOf =
  (venues: readonly Pick<Venue, 'exchange' | 'tickOf'>[]): TickOf =>
  (exchange, market) =>
    venues.find((venue) => venue.exchange === exchange)?.tickOf(market);

const SMALLEST_MONEY = decimal('0.00000001');
/** The smallest a decimal can tell. */
const FINEST = 1n as Decimal;

export function shownAverage(price: Decimal, tick: Decimal | undefined): Decimal {
  if (tick === undefined) return price;
  return roundTo(price, tick >= 100n ? ((tick / 100n) as Decimal) : FINEST);
}

/** The market trades on its ticks only: a long is closed at the next one below the level, a short at the next one above. */
export function shownStop(level: Decimal, side: PositionSide, tick: Decimal | undefined): Decimal {
  if (tick === undefined) return level;
  const below = floorTo(level, tick);
  return side === 'LONG' || below === level ? below : plus(below, tick);
}

/** A take profit is reached from the other side. */
export const shownTarget = (level: Decimal, side: PositionSide, tick: Decimal | undefined): Decimal =>
  shownStop(level, side === 'LONG' ? 'SHORT' : 'LONG', tick);

export const shownMoney = (amount: Decimal): Decimal => roundTo(amount, SMALLEST_MONEY);
