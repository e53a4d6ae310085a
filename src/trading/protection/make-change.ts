// How a change of a share's stops, and of those that wait for the same share, is made: in one write, and undone where it fails.

import type { PositionBook } from '../books/position-book.ts';
import type { ShareName } from '../books/strategy-book.ts';
import { ZERO } from '../decimal.ts';
import type { ProtectRequest } from '../signal.ts';
import type { PendingStops } from './pending-stops.ts';
import { guardsNothing, type Protection } from './protection.ts';
import type { ProtectionBook } from './protection-book.ts';
import type { PendingStop, ProtectionStore } from './protection-store.ts';

/** Stops whose entry is in the journal; an entry that was sent without asks for none. */
export type WaitingStop = PendingStop & { readonly share: ShareName };

export interface ChangeParts {
  readonly book: ProtectionBook;
  readonly pending: PendingStops;
  readonly store: Pick<ProtectionStore, 'write'>;
  readonly positions: Pick<PositionBook, 'share'>;
  /** Gives stops whose entry has filled meanwhile to their shares. */
  readonly sweep: () => Promise<void>;
}

/** A change of one share and of what waits for it. */
export interface Step {
  readonly before: Protection | undefined;
  readonly after: Protection | undefined;
  readonly stops: readonly WaitingStop[];
  /** What each of them asks for after it. */
  readonly asked: (stop: WaitingStop) => ProtectRequest;
}

/** In force first: whatever happens to the share while the disk is waited for then meets it. */
export async function makeChange(parts: ChangeParts, step: Step): Promise<void> {
  const { book, pending, store } = parts;
  const { before, after, stops } = step;
  const now = stops.map((stop): WaitingStop => ({ ...stop, asked: step.asked(stop) }));
  const kept = now.filter(({ asked }) => !guardsNothing(asked));
  const settled = now.filter(({ asked }) => guardsNothing(asked)).map(({ requestId }) => requestId);
  if (after) book.restore(after);
  else if (before) book.forget(before);
  for (const stop of kept) pending.restore(stop);
  for (const requestId of settled) pending.settle(requestId);
  try {
    const remove = before && !after ? [before] : [];
    await store.write({ save: after ? [after] : [], remove, pending: kept, settled });
  } catch (error) {
    await undoChange(parts, step);
    throw error;
  }
}

/**
 * As it was. An entry that has filled meanwhile took what the change had left it: its stops wait again as they were, and are
 * given to their share like those of an entry whose process died with its fill.
 */
async function undoChange(parts: ChangeParts, { before, after, stops }: Step): Promise<void> {
  const { book, pending, positions, sweep } = parts;
  const share = before ?? after ?? stops[0]?.share;
  const present = share && book.get(share);
  const isOfThese = stops.some(({ requestId }) => requestId === present?.origin);
  const isOfAnother = present !== undefined && present.origin !== (after ?? before)?.origin && !isOfThese;
  // Reached meanwhile, or made by an entry that came later: then it is as it should be.
  if (!present?.fired && !isOfAnother) {
    if (before && (positions.share(before)?.quantity ?? ZERO) > ZERO) book.put(before);
    else if (present) book.remove(present);
  }
  for (const stop of stops) {
    if (guardsNothing(stop.asked)) pending.settle(stop.requestId);
    else pending.restore(stop);
  }
  // A journal that cannot be read now is asked again by the next sweep.
  await sweep().catch(() => undefined);
}
