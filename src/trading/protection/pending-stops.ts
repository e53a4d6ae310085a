// The stops that entries ask for: on disk with the acceptance of the entry, or given to it by the owner while it waits, and turned
// into a protection by its first fill.
//
// The journal writes a pending stop in the transaction that accepts its entry, and `load` finds it after a crash. A
// position whose pending stop was lost would stand unprotected, so one is dropped only when it is certain that its trade
// has ended or was never stored.

import { StorageError, UnknownOutcomeError } from '../../errors/storage-error.ts';
import { ACTION_MEANING } from '../action.ts';
import { type Acceptance, isFinal, type Journal, type NewTrade, type Trade } from '../books/journal.ts';
import { NAMELESS, type ShareName, shareInWords } from '../books/strategy-book.ts';
import type { PendingStop, ProtectionStore } from './protection-store.ts';

export interface PendingStopParts {
  readonly store: Pick<ProtectionStore, 'write'>;
  readonly find: (requestId: string) => Promise<Trade | undefined>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What became of a stop whose entry had filled before anybody looked. */
export type LateProtection = 'protected' | 'nothing-held' | 'later';

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
        // Nearly every signal goes this way, and no other way is as busy.
        if (trade.order.protect === undefined) return journal.accept(trade, windowMs, further);
        return this.#acceptWith([trade, ...further], () => journal.accept(trade, windowMs, further));
      },
    };
  }

  /** Those that wait, the oldest first. */
  all(): readonly PendingStop[] {
    return [...this.#pending.values()].sort((a, b) => a.createdAtMs - b.createdAtMs);
  }

  /** Whose entries wait, each once. */
  shares(): readonly ShareName[] {
    const shares = this.all().flatMap(({ share }) => share ?? []);
    return [...new Map(shares.map((share) => [shareInWords(share), share])).values()];
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
   * `protect` first: the process may have ended between the two. That says `later` for an account that is not traded now,
   * and the stop waits until it is again. Only at the start it is certain that a trade that is not in the journal will not
   * come: while the process runs, an acceptance may hang, or may have ended with an unknown outcome that the next start shows.
   */
  async sweep(protect: (stop: PendingStop, trade: Trade) => LateProtection, when: 'start' | 'running'): Promise<void> {
    for (const stop of [...this.#pending.values()]) {
      const trade = await this.#parts.find(stop.requestId);
      // A fill may have settled it while the journal was asked.
      if (this.#pending.get(stop.requestId) !== stop) continue;
      if (trade === undefined && when === 'running') continue;
      const late = trade && trade.executedQuantity > 0n ? protect(stop, trade) : 'nothing-held';
      const isOver = trade === undefined || isFinal(trade.state);
      // A protection takes its pending stop off the disk in its own write: never before it is there itself.
      if (late === 'nothing-held' && isOver) await this.#drop(stop.requestId);
    }
  }

  async #acceptWith(trades: readonly NewTrade[], accept: () => Promise<Acceptance>): Promise<Acceptance> {
    for (const trade of trades) {
      const { requestId, order, receivedAtMs: createdAtMs } = trade;
      const asked = order.protect ?? {};
      this.#pending.set(requestId, { requestId, createdAtMs, asked, share: shareOf(trade) });
    }
    const forget = (): void => {
      for (const { requestId } of trades) this.#pending.delete(requestId);
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

/** What an entry will have a share of. */
export function shareOf({ mode, account, order }: Pick<NewTrade, 'mode' | 'account' | 'order'>): ShareName {
  const { exchange, market, action, strategy = NAMELESS } = order;
  return { exchange, mode, account, market, side: ACTION_MEANING[action].positionSide, strategy };
}
