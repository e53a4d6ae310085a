// The head start of a venue's stop: when our own guard sees a level reached, the stop that waits there for it goes first.
//
// That it has not acted in its time must have been seen, not only assumed: where this machine is slow, its fill may be on the way.

import { seenAgain } from '../../timing/spell.ts';
import type { PositionBook } from '../books/position-book.ts';
import { floorTo, ZERO } from '../decimal.ts';
import type { Venue } from '../venue.ts';
import type { RulesOfMarkets } from './market-rules.ts';
import type { Protection, Trigger } from './protection.ts';
import type { StandingStops } from './standing-stops.ts';
import { type Place, placeOf } from './stop-places.ts';
import type { StandingStop } from './stop-steps.ts';
import { isAsNear, levelNow } from './wanted-stops.ts';

export interface HeadStartParts {
  readonly venues: readonly Venue[];
  readonly standing: Pick<StandingStops, 'of'>;
  readonly rules: Pick<RulesOfMarkets, 'of'>;
  readonly positions: Pick<PositionBook, 'share'>;
  readonly monotonicMs: () => number;
  /** A stop of this market is to be looked at. */
  readonly onLook: (place: Place) => void;
}

/** Our own guard lets the venue's stop go first for this long after its price was reached. */
export const WAIT_FOR_VENUE_MS = 5000;
/** The longest that it is waited for where nobody gets to look at it. */
const MOST_MS = 10_000;
/** A level that nobody saw reached for this long was left: the next time the stop has all of its time again. */
const LEFT_AFTER_MS = 30_000;

/** One of an earlier process is, until it was looked at. */
const isExpected = ({ phase, placedMs }: StandingStop): boolean => phase !== 'in doubt' || placedMs === 0;

export class HeadStart {
  readonly #parts: HeadStartParts;

  constructor(parts: HeadStartParts) {
    this.#parts = parts;
  }

  /**
   * Our own guard has seen this level reached. True while the venue has a stop for all of the share there, or nearer, and has not
   * had the time to act; from then on our own close takes that stop away and closes what is left.
   */
  isRunning(protection: Protection, { by, level, target }: Trigger): boolean {
    const { venues, standing, monotonicMs, onLook } = this.#parts;
    const kind = by === 'take-profit' ? 'take-profit' : 'stop';
    const place = placeOf(venues, protection);
    if (place === undefined || level === undefined || target !== undefined) return false;
    const cover = standing
      .of(protection)
      .find((stop) => stop.stored.kind === kind && isExpected(stop) && this.#covers(place, protection, stop));
    if (cover === undefined) return false;
    const nowMs = monotonicMs();
    cover.reached = seenAgain(cover.reached, nowMs, LEFT_AFTER_MS);
    const { sinceMs } = cover.reached;
    const wasSeen = cover.lookedMs !== undefined && cover.lookedMs - sinceMs >= WAIT_FOR_VENUE_MS;
    if (wasSeen || nowMs - sinceMs >= MOST_MS) return false;
    cover.isToLook = true;
    onLook(place);
    return true;
  }

  /** Right after a start, before the rules of the market are known, a stop is taken for the one that was placed. */
  #covers(place: Place, protection: Protection, { stored }: StandingStop): boolean {
    const { rules: known, positions } = this.#parts;
    const rules = known.of(place);
    if (rules === undefined) return true;
    const held = floorTo(positions.share(protection)?.quantity ?? ZERO, rules.market.stepSize);
    const now = levelNow(protection, stored.kind, rules.market.tickSize);
    return (
      stored.quantity >= held && now !== undefined && isAsNear(protection.side, stored.kind, stored.triggerPrice, now)
    );
  }
}
