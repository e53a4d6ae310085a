// Entries on their way from the books in memory to the ledger: in order, and after a failure memory goes back to the disk.

import { errorText } from '../../../errors/error-text.ts';
import { VenueError } from '../../../trading/venue.ts';
import type { PaperEntry, PaperLedger } from './ledger.ts';

/**
 * in step ──(an entry was not written)──▶ broken ──(nothing in flight, books reloaded)──▶ in step
 *
 * Memory is ahead of the disk by the entries in flight. Each entry holds whole values that build on the one before, so
 * when one is not written the ledger refuses the later ones as stale; they are lost together and told so. While it
 * is broken nothing new may be applied.
 */
export class LedgerCommits {
  readonly #ledger: PaperLedger;
  readonly #reload: () => Promise<void>;
  readonly #lastOfMarket = new Map<string, Promise<unknown>>();
  #inFlight = 0;
  #broken = false;
  #drained: (() => void) | undefined;
  #repair: Promise<void> | undefined;

  constructor(ledger: PaperLedger, reload: () => Promise<void>) {
    this.#ledger = ledger;
    this.#reload = reload;
  }

  get inStep(): boolean {
    return !this.#broken;
  }

  /** Rejects with `not-sent` when the ledger failed: a failed commit means not stored. */
  submit(market: string, entry: PaperEntry): Promise<'committed' | 'duplicate' | 'stale'> {
    this.#inFlight++;
    const end = (): void => {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#drained?.();
      if (this.#lastOfMarket.get(market) === commit) this.#lastOfMarket.delete(market);
    };
    const commit = this.#ledger.commit(entry).then(
      (result) => {
        if (result !== 'committed') this.#broken = true;
        end();
        return result;
      },
      (cause: unknown) => {
        this.#broken = true;
        end();
        throw new VenueError('not-sent', `the paper venue could not store the order: ${errorText(cause)}`, { cause });
      },
    );
    this.#lastOfMarket.set(market, commit);
    return commit;
  }

  /** True when memory and disk say the same of the market already. */
  isSettled(market: string): boolean {
    return !this.#broken && !this.#lastOfMarket.has(market);
  }

  /** Waits until what memory says of a market, or of all, is on disk too, or memory has gone back to the disk. */
  async settled(market?: string): Promise<void> {
    if (market === undefined) await this.drained();
    else await this.#lastOfMarket.get(market)?.catch(() => undefined);
    await this.ready();
  }

  /** Resolves when memory may be changed; rejects with `not-sent` when the books cannot be read. */
  async ready(): Promise<void> {
    if (!this.#broken) return;
    this.#repair ??= this.#bringBack().finally(() => {
      this.#repair = undefined;
    });
    await this.#repair;
  }

  async drained(): Promise<void> {
    await Promise.allSettled(this.#lastOfMarket.values());
  }

  async #bringBack(): Promise<void> {
    if (this.#inFlight > 0)
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    this.#drained = undefined;
    try {
      await this.#reload();
    } catch (cause) {
      throw new VenueError('not-sent', `the paper venue cannot read its books: ${errorText(cause)}`, { cause });
    }
    this.#broken = false;
  }
}
