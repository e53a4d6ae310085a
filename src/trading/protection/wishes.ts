// What entries asked for: on disk with the acceptance of the entry, and turned into a protection with its first fill.
//
// The journal writes a wish in the transaction that accepts its entry, and load() finds it after a crash. A trade without
// its wish has no stop: a wish is dropped only when it is certain that its trade ended or was never stored.

import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { type Acceptance, isFinal, type Journal, type Trade } from '../books/journal.ts';
import type { ProtectRequest } from '../signal.ts';
import type { Levels } from './protection.ts';
import type { ProtectionStore, Wish } from './protection-store.ts';

export interface Wishes {
  /** Stands before the journal: what an entry asks for is known before its first fill can come. */
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
  store: Pick<ProtectionStore, 'write'>;
  find: (requestId: string) => Promise<Trade | undefined>;
  nowMs: () => number;
  onTrouble: (what: string, error: unknown) => void;
}): Wishes {
  const { store, find, nowMs, onTrouble } = options;
  const open = new Map<string, Wish>();

  const drop = async (requestId: string): Promise<void> => {
    open.delete(requestId);
    try {
      await store.write({ wishesOver: [requestId] });
    } catch (error) {
      // Found again at the next start, where its trade is long over.
      onTrouble('the stop of an entry that ended is not removed from the disk yet', error);
    }
  };

  const acceptWith = async (levels: Levels, requestId: string, accept: () => Promise<Acceptance>) => {
    open.set(requestId, { requestId, createdAtMs: nowMs(), levels });
    try {
      const acceptance = await accept();
      if (!acceptance.accepted) open.delete(requestId);
      return acceptance;
    } catch (error) {
      // Then it is certain that neither is on disk; else the next start tells.
      if (error instanceof StorageError && !(error instanceof UnknownOutcomeError)) open.delete(requestId);
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
        await drop(wish.requestId);
      }
    },
  };
}

/** As a protection has them. */
export const levelsOf = ({ trailPercent, stopLoss, takeProfit }: ProtectRequest): Levels => ({
  ...(trailPercent !== undefined && { trail: { percent: trailPercent } }),
  ...(stopLoss !== undefined && { stopLoss }),
  ...(takeProfit !== undefined && { takeProfit }),
});
