// The stops of one market over a venue that says of them what the test wants, and answers at once.

import { nextRequestId, positionOf } from '../../../../tests/ports/sample-trades.ts';
import type { StrategyBook } from '../../books/strategy-book.ts';
import { decimal, ZERO } from '../../decimal.ts';
import type { StopState, Venue, VenueError, VenueStops } from '../../venue.ts';
import type { Protection } from '../protection.ts';
import { StandingStops } from '../standing-stops.ts';
import type { Place } from '../stop-places.ts';
import type { StandingStop } from '../stop-steps.ts';
import { UnprotectedShares } from '../unprotected-shares.ts';
import type { StoredStop } from '../venue-stop-store.ts';
import type { WantedStop } from '../wanted-stops.ts';
import { memoryVenueStopStore } from './memory-venue-stop-store.ts';

/** What the venue says from now on: of every stop, and as its answer to what it is asked to do. */
interface Words {
  of: StopState | 'not there' | 'in doubt';
  place?: VenueError | undefined;
  cancel?: VenueError | undefined;
  find?: VenueError | undefined;
}

const ACCOUNT = { exchange: 'binance', mode: 'paper', account: 'main' } as const;
const MARKET = 'BTCUSDT';

/** What a strategy holds long. */
export const shareOf = (strategy: string): StrategyBook => ({ ...positionOf({ quantity: decimal(3) }), strategy });

export function openKeptStops() {
  const says: Words = { of: 'waiting' };
  const gone: StoredStop[] = [];
  const canceled: string[] = [];
  const obey = async (refusal: VenueError | undefined): Promise<void> => {
    if (refusal) throw refusal;
  };
  const stops: VenueStops = {
    place: () => obey(says.place),
    cancel(_, id) {
      canceled.push(id);
      return obey(says.cancel);
    },
    waiting: async () => [],
    async find(_, id) {
      await obey(says.find);
      if (says.of === 'not there' || says.of === 'in doubt') return { found: false, certain: says.of === 'not there' };
      const { clientStopId, share, kind, quantity, triggerPrice } = (standing.get(id) as StandingStop).stored;
      const { market, side: positionSide } = share;
      const request = { clientStopId, market, kind, positionSide, quantity, triggerPrice };
      return { found: true, stop: { ...request, state: says.of } };
    },
  };
  const venue = {
    ...{ ...ACCOUNT, stops, positionMode: async () => 'one-way' },
    ...{ positions: async () => [], openOrders: async () => [] },
  } as unknown as Venue;
  const place: Place = { venue, stops, market: MARKET };
  const clock = { nowMs: () => 0, monotonicMs: () => 0 };
  const standing = new StandingStops({
    ...{
      ...clock,
      store: memoryVenueStopStore(),
      unprotected: new UnprotectedShares({ ...clock, olderStop: () => undefined }),
    },
    // No stop sends its order here: nothing is booked.
    acted: undefined as never,
    ...{ newRequestId: nextRequestId, onTrouble: () => {}, onBooked: () => {}, onPassed: () => {} },
    onGone: (stop) => gone.push(stop),
  });
  return {
    ...{ says, gone, canceled, standing, venue, place, market: MARKET },
    /** A stop for this share: the venue has taken it, or has not answered. */
    async kept(share: StrategyBook, answer?: VenueError): Promise<StandingStop> {
      says.place = answer;
      const wanted: WantedStop = {
        ...{ kind: 'stop', by: 'stop-loss', quantity: share.quantity, triggerPrice: decimal(97), leeway: ZERO },
        ...{ protection: share as unknown as Protection, isAlone: false },
      };
      await standing.place(place, wanted);
      return standing.all().at(-1) as StandingStop;
    },
  };
}
