// Orders and stops of one market: what could act beside an order is taken away before it is planned, and what has acted is booked.
//
//   taken away ──► the order is sent ──► what is left of the share has its stop again, before the next order of the market
//       ├────────► the order ends without being sent ──► the stop is back, before the next order of the market
//       ├────────► the order waits, and holds up its lane ──► the stop is back while it waits, and is taken away again
//       └────────► the process dies ──► the next one takes the order up: one of the above
//
// Where the stop cannot be placed again, an alarm names the share (unprotected-shares.ts).
//
// A venue does not know whose is whose. Where two strategies hold something, a close of one of them and its stop could together close
// what belongs to the other one. All of this runs in the lane.

import { seenAgain } from '../../timing/spell.ts';
import { ACTION_MEANING } from '../action.ts';
import type { Trade } from '../books/journal.ts';
import { type PositionBook, strategyOf } from '../books/position-book.ts';
import { sumOf } from '../books/strategy-book.ts';
import { ZERO } from '../decimal.ts';
import type { StopsAtVenue } from '../execution/prepare-plan.ts';
import { accountOf } from '../execution/trade-run.ts';
import { PROTECTION_SOURCES, type SignalSource } from '../signal.ts';
import { type PositionSide, type Venue, VenueError, type VenuePosition } from '../venue.ts';
import { stopInWords } from './closings.ts';
import type { StandingStops } from './standing-stops.ts';
import { marketAt, type Place, placeOf, SIDES, sharesIn } from './stop-places.ts';
import type { StandingStop } from './stop-steps.ts';
import type { StoredStop } from './venue-stop-store.ts';
import { isAloneIn } from './wanted-stops.ts';

export interface InTheWayParts {
  readonly standing: StandingStops;
  readonly venues: readonly Venue[];
  readonly positions: Pick<PositionBook, 'share' | 'sharesOf'>;
  readonly monotonicMs: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** A stop of this market is being taken away: whatever becomes of the order, the market is looked after right behind it. */
  readonly onMadeWay: (place: Place) => void;
  /** Looks after the market now, in the lane, while this trade waits. Never rejects. */
  readonly lookAfter: (place: Place, waiting: Trade) => Promise<void>;
}

/** A stop that cannot be taken away, or whose order the venue does not show, holds up orders for this long at most. */
const HOLD_UP_MS = 10_000;
/** Longer than a venue takes to be certain of an order that it does not show. */
const DOUBT_MS = 120_000;
/** An order asks again much sooner, also where a venue takes its time with every stop: what comes later is another order. */
const OVER_AFTER_MS = 300_000;
const closesByItself: ReadonlySet<SignalSource> = new Set(PROTECTION_SOURCES);

export class StopsInTheWay implements StopsAtVenue {
  readonly #parts: InTheWayParts;

  constructor(parts: InTheWayParts) {
    this.#parts = parts;
  }

  async inTheWayOf(trade: Trade, venue: Venue): Promise<readonly string[]> {
    const place = placeOf(this.#parts.venues, marketAt(accountOf(trade), trade.order.market));
    const stops = place === undefined ? [] : this.#parts.standing.in(place);
    if (stops.length === 0) return [];
    const netted = (await venue.positionMode()) === 'one-way';
    return stops
      .map(({ stored }) => stored)
      .filter((stored) => this.#isInTheWay(stored, trade, netted))
      .map(({ clientStopId }) => clientStopId);
  }

  async makeWay(trade: Trade, venue: Venue, before: () => Promise<unknown>): Promise<void> {
    const { standing } = this.#parts;
    const place = placeOf(this.#parts.venues, marketAt(accountOf(trade), trade.order.market));
    if (place === undefined || standing.in(place).length === 0) return;
    const netted = (await venue.positionMode()) === 'one-way';
    const isInTheWay = ({ stored }: StandingStop): boolean => this.#isInTheWay(stored, trade, netted);
    if (standing.in(place).some(isInTheWay)) await before();
    for (const stop of standing.in(place)) {
      if (!isInTheWay(stop)) continue;
      this.#parts.onMadeWay(place);
      try {
        await standing.remove(place, stop);
      } catch (error) {
        // A close must not be held up for ever by a stop that the venue will not take away: both only reduce.
        const isRefused = error instanceof VenueError && error.failure === 'rejected';
        if (!isRefused && !this.#isHeldUpTooLong(stop, HOLD_UP_MS)) throw error;
        this.#parts.onTrouble(`the stop ${stopInWords(stop.stored)} could not be taken away before an order`, error);
      }
    }
  }

  async putBack(trade: Trade): Promise<void> {
    const place = placeOf(this.#parts.venues, marketAt(accountOf(trade), trade.order.market));
    if (place) await this.#parts.lookAfter(place, trade);
  }

  async settle(venue: Venue, market: string, positions: readonly VenuePosition[]): Promise<boolean> {
    const { standing } = this.#parts;
    const place = placeOf(this.#parts.venues, marketAt(venue, market));
    if (place === undefined || standing.in(place).length === 0) return false;
    const netted = (await venue.positionMode()) === 'one-way';
    const ours = sharesIn(this.#parts.positions, marketAt(venue, market));
    const agrees = netted
      ? sumOf(ours) === sumOf(positions)
      : SIDES.every((side) => sumOf(ours.filter(isOf(side))) === sumOf(positions.filter(isOf(side))));
    if (agrees) return false;
    let hasActed = false;
    for (const stop of standing.in(place)) hasActed = (await standing.check(place, stop)) || hasActed;
    // Whose share is missing cannot be said while one of them may have acted: an order planned now could be at another's expense.
    const doubt = standing.in(place).find(({ phase }) => phase !== 'waiting');
    if (!hasActed && doubt && ours.length > 1 && !this.#isHeldUpTooLong(doubt, DOUBT_MS))
      throw new VenueError('unknown', `it is not clear yet what became of the stop ${doubt.stored.clientStopId}`);
    return hasActed;
  }

  /** Whether a stop of this market may have closed something that is not in our books yet. */
  async isBehind(venue: Venue, market: string): Promise<boolean> {
    const { standing } = this.#parts;
    const place = placeOf(this.#parts.venues, marketAt(venue, market));
    if (place === undefined) return false;
    for (const { stored } of standing.in(place)) {
      const found = await place.stops.find(market, stored.clientStopId);
      if (found.found ? found.stop.state === 'sent' : !found.certain) return true;
    }
    return false;
  }

  #isHeldUpTooLong(stop: StandingStop, mostMs: number): boolean {
    const nowMs = this.#parts.monotonicMs();
    stop.inTheWay = seenAgain(stop.inTheWay, nowMs, OVER_AFTER_MS);
    return nowMs - stop.inTheWay.sinceMs >= mostMs;
  }

  /**
   * Whether a stop could close something beside the order of this trade: one whose share is gone; one of a share that our own guard
   * closes; and one of a share that is reduced while others hold something too, because a venue does not know whose is whose.
   */
  #isInTheWay({ share }: StoredStop, trade: Trade, netted: boolean): boolean {
    if ((this.#parts.positions.share(share)?.quantity ?? ZERO) === ZERO) return true;
    const { closes, positionSide } = ACTION_MEANING[trade.order.action];
    const strategy = strategyOf(trade);
    const isReduced = closes ? share.side === positionSide : share.side !== positionSide;
    if (!isReduced || (strategy !== undefined && strategy !== share.strategy)) return false;
    if (closesByItself.has(trade.source) && trade.source !== 'target') return true;
    return !isAloneIn(share, { netted, shares: sharesIn(this.#parts.positions, share) });
  }
}

const isOf =
  (side: PositionSide) =>
  (held: { readonly side: PositionSide }): boolean =>
    held.side === side;
