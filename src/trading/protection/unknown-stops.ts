// A stop of ours at a venue that is not on our disk: from a copy of the data folder, or of another instance on the same account.

import { accountInWords } from '../accounts.ts';
import type { PositionBook } from '../books/position-book.ts';
import { toText } from '../decimal.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import type { Venue, VenueStop } from '../venue.ts';
import { marketAt } from './stop-places.ts';

/**
 * Told, and canceled where nothing is held that it could close. Runs in the lane; `isKnown` says whether it is one of ours after all.
 */
export async function dealWithUnknownStop(
  venue: Venue,
  { clientStopId: id, market, positionSide: side, quantity, triggerPrice }: VenueStop,
  parts: {
    readonly isKnown: () => boolean;
    readonly positions: Pick<PositionBook, 'sharesOf'>;
    readonly onAlarm?: OnAlarm | undefined;
  },
): Promise<void> {
  // The list may be older than what has happened since.
  const found = await venue.stops?.find(market, id);
  if (parts.isKnown() || !found?.found || found.stop.state !== 'waiting') return;
  const isHeld = parts.positions.sharesOf({ ...marketAt(venue, market), side }).length > 0;
  if (!isHeld) await venue.stops?.cancel(market, id);
  const what = `a stop ${id} waited at ${accountInWords(venue)} that nobody here knows: ${side} ${toText(quantity)} ${market} at ${toText(triggerPrice)}`;
  const then = isHeld
    ? 'Something is held there, so it was left; cancel it at the exchange unless it is yours'
    : 'Nothing is held there, so it was canceled';
  parts.onAlarm?.(`unknown stop ${id}`, `${what}. ${then}`);
}
