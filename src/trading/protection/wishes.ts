// What entries asked for: on disk before the entry is accepted, and turned into a protection with its first fill.
//
// Wishes and trades are in two files, so a crash may come between them. A wish without a trade is harmless, a trade
// without its wish has no stop: a wish is dropped only when it is certain that its trade ended or was never stored.

import { type Acceptance, isFinal, type Journal, type Trade } from '../journal.ts';
import type { ProtectRequest } from '../signal.ts';
import { StorageError, UnknownOutcomeError } from '../storage-error.ts';
import type { Levels } from './protection.ts';
import type { ProtectionStore, Wish } from './protection-store.ts';

export interface Wishes {
  /** Stands before the journal: no entry that asks for a stop is accepted unless the wish is on disk. */
  before(journal: Pick<Journal, 'accept'>): Pick<Journal, 'accept'>;
  get(requestId: string): Wish | undefined;
  /** Is a protection now. */
  granted(requestId: string): void;
  restore(wish: Wish): void;
  /**
   * Drops the wishes of entries that ended; an entry that filled without its wish being granted is handed over first.
   * One of another account of its venue (`grant` says false) waits until that account is used again.
   * Only at the start it is certain that a trade that is not there will not be: later, one whose acceptance hangs or
   * ended with an unknown outcome may still come to light, the latter as late as with the next start.
   */
  sweep(grant: (wish: Wish, trade: Trade) => boolean, when: 'start' | 'running'): Promise<void>;
}

export function createWishes(options: {
  store: Pick<ProtectionStore, 'addWish' | 'write'>;
  find: (requestId: string) => Promise<Trade | undefined>;
  nowMs: () => number;
  onTrouble: (what: string, error: unknown) => void;
}): Wishes {
  const { store, find, nowMs, onTrouble } = options;
  const open = new Map<string, Wish>();

  const drop = (requestId: string): void => {
    open.delete(requestId);
    try {
      store.write({ wishesOver: [requestId] }, 'durable');
    } catch (error) {
      // Found again at the next start, where its trade is long over.
      onTrouble('the stop of an entry that ended is not removed from the disk yet', error);
    }
  };

  /** Whatever has become of the wish itself: the entry is not accepted, and that is certain. */
  const addWish = (wish: Wish): void => {
    try {
      store.addWish(wish);
    } catch (error) {
      throw error instanceof UnknownOutcomeError ? new StorageError(error.message, { cause: error }) : error;
    }
  };

  const acceptWith = async (levels: Levels, requestId: string, accept: () => Promise<Acceptance>) => {
    const wish: Wish = { requestId, createdAtMs: nowMs(), levels };
    addWish(wish);
    open.set(requestId, wish);
    try {
      const acceptance = await accept();
      if (!acceptance.accepted) drop(requestId);
      return acceptance;
    } catch (error) {
      if (error instanceof StorageError && !(error instanceof UnknownOutcomeError)) drop(requestId);
      throw error;
    }
  };

  return {
    before: (journal) => ({
      accept(trade, windowMs) {
        const { protect } = trade.order;
        // Nearly every signal, and the way to the journal is the busiest there is.
        if (protect === undefined) return journal.accept(trade, windowMs);
        return acceptWith(levelsOf(protect), trade.requestId, () => journal.accept(trade, windowMs));
      },
    }),
    get: (requestId) => open.get(requestId),
    granted: (requestId) => void open.delete(requestId),
    restore: (wish) => void open.set(wish.requestId, wish),
    async sweep(grant, when) {
      for (const wish of [...open.values()]) {
        const trade = await find(wish.requestId);
        // A fill may have granted it while the journal was asked.
        if (open.get(wish.requestId) !== wish) continue;
        if (trade === undefined && when === 'running') continue;
        if (trade !== undefined && !isFinal(trade.state)) continue;
        if (trade !== undefined && trade.executedQuantity > 0n && !grant(wish, trade)) continue;
        drop(wish.requestId);
      }
    },
  };
}

const levelsOf = ({ trailPercent, stopLoss, takeProfit }: ProtectRequest): Levels => ({
  ...(trailPercent !== undefined && { trail: { percent: trailPercent } }),
  ...(stopLoss !== undefined && { stopLoss }),
  ...(takeProfit !== undefined && { takeProfit }),
});
