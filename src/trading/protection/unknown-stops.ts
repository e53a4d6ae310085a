// Stops at a venue that carry an id of ours and are not on our disk: of another Signalbox on the same account, or left by a data folder
// that is gone.
//
//   found ──► the venue holds something on that side, or an entry is under way ──► left, and an alarm stands as long as it waits
//     └─► nothing of that ──► a minute later still nothing ──► canceled and told
//
// Our own books are not asked alone: what another Signalbox holds is not in them, and without its stop that position would be naked.

import { accountWithMode } from '../accounts.ts';
import type { PositionBook } from '../books/position-book.ts';
import { toText } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Venue, VenueStop } from '../venue.ts';
import { isAt, marketAt } from './stop-places.ts';

/** Between the two looks that make an orphan: a venue may tell a position later than the fill that made it. */
export const ORPHAN_AFTER_MS = 60_000;
/** More of them than this are counted, not listed. */
const MAX_LISTED = 5;

export interface UnknownStopParts {
  readonly isKnown: (clientStopId: string) => boolean;
  readonly positions: Pick<PositionBook, 'sharesOf'>;
  readonly monotonicMs: () => number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onStanding?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

interface UnknownStop {
  readonly venue: Venue;
  readonly stop: VenueStop;
  /** Since when the venue says that there is nothing it could close; undefined while there is something. */
  readonly idleSinceMs: number | undefined;
}

export class UnknownStops {
  readonly #parts: UnknownStopParts;
  /** By client stop id. */
  readonly #found = new Map<string, UnknownStop>();
  /** The kinds of those that stand. */
  readonly #alarms = new Set<string>();

  constructor(parts: UnknownStopParts) {
    this.#parts = parts;
  }

  /** What the venue's list does not have any more is forgotten. */
  keepOnly(venue: Venue, listed: readonly VenueStop[]): void {
    const ids = new Set(listed.map(({ clientStopId }) => clientStopId));
    for (const [id, found] of this.#found) if (isAt(venue, found.venue) && !ids.has(id)) this.#found.delete(id);
    this.#tell(venue);
  }

  /** Runs in the lane of its market. Rejects where the venue cannot be asked: then it is left. */
  async look(venue: Venue, stop: VenueStop): Promise<void> {
    const { isKnown, monotonicMs, onAlarm } = this.#parts;
    const { clientStopId: id, market } = stop;
    // The list may be older than what has happened since.
    const lookup = await venue.stops?.find(market, id);
    if (isKnown(id) || !lookup?.found || lookup.stop.state !== 'waiting') return this.#forget(venue, id);
    const isNeeded = await this.#mayBeNeeded(venue, stop);
    const idleSinceMs = isNeeded ? undefined : (this.#found.get(id)?.idleSinceMs ?? monotonicMs());
    if (idleSinceMs === undefined || monotonicMs() - idleSinceMs < ORPHAN_AFTER_MS) {
      this.#found.set(id, { venue, stop, idleSinceMs });
      return this.#tell(venue);
    }
    await venue.stops?.cancel(market, id);
    this.#forget(venue, id);
    const what = `a stop waited at ${accountWithMode(venue)} that this data folder does not know: ${inWords(stop)}`;
    onAlarm?.(`unknown stop ${id}`, `${what}. Nothing has been held there for a minute, so it was canceled`);
  }

  #forget(venue: Venue, id: string): void {
    this.#found.delete(id);
    this.#tell(venue);
  }

  /** By the venue's own word, whoever holds it; and an order that opens, whoever sent it, may have it filled in the next moment. */
  async #mayBeNeeded(venue: Venue, { market, positionSide: side }: VenueStop): Promise<boolean> {
    if (this.#parts.positions.sharesOf({ ...marketAt(venue, market), side }).length > 0) return true;
    if ((await venue.positions(market)).some((held) => held.side === side)) return true;
    return (await venue.openOrders(market)).some(({ reduceOnly }) => !reduceOnly);
  }

  /** One alarm for the account: it stands as long as there are any. */
  #tell(venue: Venue): void {
    const { onStanding, onAlarmOver } = this.#parts;
    const alarm = `unknown stops ${venue.exchange}:${venue.mode}:${venue.account}`;
    const left = [...this.#found.values()].filter((found) => isAt(venue, found.venue)).map(({ stop }) => stop);
    if (left.length === 0) {
      if (this.#alarms.delete(alarm)) onAlarmOver?.(alarm);
      return;
    }
    this.#alarms.add(alarm);
    const more = left.length > MAX_LISTED ? `, and ${left.length - MAX_LISTED} more` : '';
    const listed = left.slice(0, MAX_LISTED).map(inWords).join(', ');
    onStanding?.(
      alarm,
      `${accountWithMode(venue)} has stops of a Signalbox that this data folder does not know: ${listed}${more}. ` +
        'Another Signalbox trades on this account, or has left them. Two on one account take positions of each other for their ' +
        'own, which costs money: stop one of them, or give it a sub-account with a key of its own. If the other one is gone for ' +
        'good, cancel at the exchange what nobody needs; what has nothing to close is canceled by itself after a minute',
    );
  }
}

const inWords = ({ clientStopId, market, positionSide, quantity, triggerPrice }: VenueStop): string =>
  `${positionSide} ${toText(quantity)} ${market} at ${toText(triggerPrice)} (${clientStopId})`;
