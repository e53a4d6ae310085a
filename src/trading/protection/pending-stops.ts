// The stops that entries ask for: on disk with the acceptance of the entry, and turned into a protection by its first fill.
//
// The journal writes a pending stop in the transaction that accepts its entry, and `load` finds it after a crash. A
// position whose pending stop was lost would stand unprotected, so one is dropped only when it is certain that its trade
// has ended or was never stored.

import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { type Acceptance, isFinal, type Journal, type Trade } from '../books/journal.ts';
import type { ProtectRequest } from '../signal.ts';
import type { Levels } from './protection.ts';
import type { PendingStop, ProtectionStore } from './protection-store.ts';

export interface PendingStopParts {
  readonly store: Pick<ProtectionStore, 'write'>;
  readonly find: (requestId: string) => Promise<Trade | undefined>;
  readonly nowMs: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export class PendingStops {
  readonly #parts: PendingStopParts;
  readonly #pending = new Map<string, PendingStop>();

  constructor(parts: PendingStopParts) {
    this.#parts = parts;
  }

  /** Wraps `accept`: remembers the stops in memory before the trade can fill; the journal stores them. */
  before(journal: Pick<Journal, 'accept'>): Pick<Journal, 'accept'> {
    return {
      accept: (trade, windowMs, further = []) => {
        const { protect } = trade.order;
        // Nearly every signal goes this way, and no other way is as busy.
        if (protect === undefined) return journal.accept(trade, windowMs, further);
        const ids = [trade, ...further].map(({ requestId }) => requestId);
        return this.#acceptWith(levelsOf(protect), ids, () => journal.accept(trade, windowMs, further));
      },
    };
  }

  get(requestId: string): PendingStop | undefined {
    return this.#pending.get(requestId);
  }

  /** It has become a protection, which the protection book writes. */
  settle(requestId: string): void {
    this.#pending.delete(requestId);
  }

  restore(stop: PendingStop): void {
    this.#pending.set(stop.requestId, stop);
  }

  /**
   * Drops the stops of entries that have ended. One whose entry filled without it becoming a protection is given to
   * `protect` first; that returns false for another account of the venue, and the stop waits until that account is used
   * again. Only at the start it is certain that a trade that is not in the journal will not come: while the process runs,
   * an acceptance may hang, or may have ended with an unknown outcome that the next start shows.
   */
  async sweep(protect: (stop: PendingStop, trade: Trade) => boolean, when: 'start' | 'running'): Promise<void> {
    for (const stop of [...this.#pending.values()]) {
      const trade = await this.#parts.find(stop.requestId);
      // A fill may have settled it while the journal was asked.
      if (this.#pending.get(stop.requestId) !== stop) continue;
      if (trade === undefined && when === 'running') continue;
      if (trade !== undefined && !isFinal(trade.state)) continue;
      if (trade !== undefined && trade.executedQuantity > 0n && !protect(stop, trade)) continue;
      await this.#drop(stop.requestId);
    }
  }

  async #acceptWith(levels: Levels, ids: readonly string[], accept: () => Promise<Acceptance>): Promise<Acceptance> {
    const createdAtMs = this.#parts.nowMs();
    for (const requestId of ids) this.#pending.set(requestId, { requestId, createdAtMs, levels });
    const forget = (): void => {
      for (const requestId of ids) this.#pending.delete(requestId);
    };
    try {
      const acceptance = await accept();
      if (!acceptance.accepted) forget();
      return acceptance;
    } catch (error) {
      // Then it is certain that neither the entry nor its stop is on disk; otherwise the next start shows whether they are.
      if (error instanceof StorageError && !(error instanceof UnknownOutcomeError)) forget();
      throw error;
    }
  }

  async #drop(requestId: string): Promise<void> {
    this.#pending.delete(requestId);
    try {
      await this.#parts.store.write({ settled: [requestId] });
    } catch (error) {
      // The next start finds it again and drops it then, because its trade is over.
      this.#parts.onTrouble('the stop of an entry that ended is not removed from the disk yet', error);
    }
  }
}

/** As a protection has them. */
export const levelsOf = ({ trailPercent, stopLoss, takeProfit }: ProtectRequest): Levels => ({
  ...(trailPercent !== undefined && { trail: { percent: trailPercent } }),
  ...(stopLoss !== undefined && { stopLoss }),
  ...(takeProfit !== undefined && { takeProfit }),
});
