// The entries that wait for their first fill, also those that were sent without stops: the owner can give them some.

import { ACTION_MEANING } from '../action.ts';
import type { Trade } from '../books/journal.ts';
import { keyInWords, type PositionName } from '../books/position.ts';
import { type ShareName, shareInWords } from '../books/strategy-book.ts';
import { type Decimal, ZERO } from '../decimal.ts';
import { fixedLevels, wrongSide } from '../fixed-levels.ts';
import { breakEvenAlone, type NotChanged } from './change-refusals.ts';
import type { WaitingStop } from './make-change.ts';
import { shareOf } from './pending-stops.ts';

/** As if it had been sent without stops, and the price at which it waits: one at the market has none. */
export interface WaitingEntry {
  readonly stop: WaitingStop;
  readonly price: Decimal | undefined;
}

/** Of one position. What has filled in part is held already, and guarded as a share. */
export function waitingEntries(unfinished: readonly Trade[], position: PositionName): readonly WaitingEntry[] {
  return unfinished.flatMap((trade) => {
    const share = shareOf(trade);
    const isHere = share.mode === position.mode && keyInWords(share) === keyInWords(position);
    if (!isHere || ACTION_MEANING[trade.order.action].closes || trade.executedQuantity > ZERO) return [];
    const { requestId, receivedAtMs: createdAtMs, order } = trade;
    return [{ stop: { requestId, createdAtMs, asked: {}, share }, price: order.price }];
  });
}

/** All that waits for this share, the oldest first: with the stops that are pending now, or with none. */
export function waitingFor(
  share: ShareName,
  pending: readonly WaitingStop[],
  entries: readonly WaitingEntry[],
): readonly WaitingStop[] {
  const known = new Set(pending.map(({ requestId }) => requestId));
  const without = entries.flatMap(({ stop }) =>
    shareInWords(stop.share) === shareInWords(share) && !known.has(stop.requestId) ? [stop] : [],
  );
  return [...pending, ...without].sort((a, b) => a.createdAtMs - b.createdAtMs);
}

/** One at the market has no price yet: its levels are judged when its turn has come. */
export function waitingFault(
  { asked, share: { side } }: WaitingStop,
  { price, tick }: { readonly price: Decimal | undefined; readonly tick: Decimal },
): NotChanged | undefined {
  const { breakEvenAfter, targets = [] } = asked;
  if (breakEvenAfter !== undefined && breakEvenAfter > targets.length)
    return { conflict: breakEvenAlone(targets.length), cause: 'invalid' };
  const wrong = price && wrongSide(fixedLevels(asked, { side, price, tick }), { side, price, tick, what: 'entry' });
  return wrong ? { conflict: `${wrong}; nothing was changed`, cause: 'wrong-side' } : undefined;
}
