// Where stops are kept: a market of an account whose venue keeps them, and the shares that are held there.

import type { AccountName } from '../accounts.ts';
import type { PositionBook } from '../books/position-book.ts';
import type { MarketName, StrategyBook } from '../books/strategy-book.ts';
import { laneNamed } from '../execution/trade-run.ts';
import type { PositionSide, VenueStops as StopsOfVenue, Venue } from '../venue.ts';

export interface Place {
  readonly venue: Venue;
  readonly stops: StopsOfVenue;
  readonly market: string;
}

export const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

export const laneAt = ({ venue, market }: Place): string => laneNamed(venue, market);

export const isAt = (venue: AccountName, { exchange, mode, account }: AccountName): boolean =>
  venue.exchange === exchange && venue.mode === mode && venue.account === account;

/** Undefined where its venue keeps none. */
export function placeOf(venues: readonly Venue[], where: MarketName): Place | undefined {
  const venue = venues.find((each) => isAt(each, where));
  return venue?.stops && { venue, stops: venue.stops, market: where.market };
}

export const marketAt = ({ exchange, mode, account }: AccountName, market: string): MarketName => ({
  ...{ exchange, mode, account, market },
});

/** Of both sides, what is not flat. */
export const sharesIn = (
  positions: Pick<PositionBook, 'sharesOf'>,
  { exchange, mode, account, market }: MarketName,
): readonly StrategyBook[] => SIDES.flatMap((side) => positions.sharesOf({ exchange, mode, account, market, side }));
