// What a venue holds of a market, for whoever plans an order by it. Where a position is not there although our books have it, it may
// have been misread: a close is neither refused nor done then, and nothing is opened by it, but both wait until the venue shows the
// position again or has said for a while that it is gone (shrunk-positions.ts).

import { ACTION_MEANING } from '../action.ts';
import { negate, ZERO } from '../decimal.ts';
import {
  type PositionMode,
  type PositionSide,
  type Urgency,
  type Venue,
  VenueError,
  type VenuePosition,
} from '../venue.ts';
import type { PositionsCompared } from './compare-positions.ts';
import { isShared } from './look-at-account.ts';
import { heldFor } from './plan-orders.ts';
import type { TradeRun } from './trade-run.ts';

const SIDES: readonly PositionSide[] = ['LONG', 'SHORT'];

export interface SettlesStops {
  /** Books stops that have acted where our books hold something else than these positions; whether there were any. */
  settle(venue: Venue, market: string, positions: readonly VenuePosition[]): Promise<boolean>;
}

export interface PositionReading {
  /** Stops that wait at venues; undefined where none keeps any. What it does runs in the lane. */
  readonly venueStops?: () => SettlesStops | undefined;
  /** Compares a market with its venue; runs in the lane. */
  readonly compare: (venue: Venue, market: string) => Promise<PositionsCompared>;
  /** Books what the venue has closed there itself; runs in the lane. Absent where nothing is to be written. */
  readonly bookForced?: ((venue: Venue, market: string) => Promise<void>) | undefined;
}

/** The venue does not show what our books have, and is not believed yet. Nothing was sent. */
export class PositionInDoubt extends VenueError {
  constructor(message: string) {
    super('unknown', message);
    this.name = 'PositionInDoubt';
  }
}

/** Fresh, with all booked that stops at the venue have done. Runs in the lane. */
export async function steadyPositions(
  run: TradeRun,
  venue: Venue,
  reading: PositionReading,
  urgency: Urgency,
): Promise<readonly VenuePosition[]> {
  const { market } = run.trade.order;
  const positionMode = await venue.positionMode();
  run.netted = positionMode === 'one-way';
  const read = async (): Promise<readonly VenuePosition[]> => {
    const positions = await venue.positions(market, urgency);
    const isOld = await reading.venueStops?.()?.settle(venue, market, positions);
    return isOld ? venue.positions(market, urgency) : positions;
  };
  const positions = await read();
  if (!isShared(venue) || !seemsGone(run, { positionMode, positions })) return positions;
  const compared = await reading.compare(venue, market);
  if (compared.outcome === 'doubted') throw new PositionInDoubt(compared.detail);
  // What the venue has closed itself is gone. It comes before this order in our books, too: profits are counted in the order of fills.
  if (compared.outcome === 'unclear' && compared.isForced) await reading.bookForced?.(venue, market);
  const again = await read();
  const isExplained = compared.outcome === 'unclear' && compared.isForced;
  if (isExplained || !seemsGone(run, { positionMode, positions: again })) return again;
  throw new PositionInDoubt(
    compared.outcome === 'unclear' ? compared.detail : `${market} is there at one look and gone at the next`,
  );
}

/**
 * Whether nothing is shown of what this order goes by although our books have it: of a close, a share of its strategy; of what opens,
 * any position of its market, which it may have to turn first.
 */
function seemsGone(
  run: TradeRun,
  facts: { readonly positionMode: PositionMode; readonly positions: readonly VenuePosition[] },
): boolean {
  const { action } = run.trade.order;
  const { closes, positionSide } = ACTION_MEANING[action];
  const held = heldFor(action, facts);
  if (!closes) {
    const sides = facts.positionMode === 'one-way' ? SIDES : [positionSide];
    return held.length === 0 && sides.some((side) => run.bookedOn(side) > ZERO);
  }
  if (run.bookedShare === ZERO) return false;
  const { quantity, agrees } = run.shareOf(held);
  const isNone = (positionSide === 'LONG' ? quantity : negate(quantity)) <= ZERO;
  return isNone || (held.length === 0 && !agrees);
}
