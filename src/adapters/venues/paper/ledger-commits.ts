// Entries on their way from the books in memory to the ledger: in order, and after a failure memory goes back to the disk.

import { errorText } from '../../../errors/error-text.ts';
import { UnknownOutcomeError } from '../../../errors/storage-error.ts';
import { VenueError } from '../../../trading/venue.ts';
import type { PaperAccountName, PaperEntry, PaperLedger } from './ledger.ts';

/** One try is lost to an entry that is written meanwhile, and others only to further processes on the same books. */
const MAX_SETTLING_TRIES = 4;

/**
 * in step ──(an entry was not written, or may not be)──▶ broken ──(nothing in flight or unclear, books reloaded)──▶ in step
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
  /** Whose entry may be written or not, and even later than now. */
  #unclear: PaperAccountName | undefined;
  #drained: (() => void) | undefined;
  #repair: Promise<void> | undefined;

  constructor(ledger: PaperLedger, reload: () => Promise<void>) {
    this.#ledger = ledger;
    this.#reload = reload;
  }

  get inStep(): boolean {
    return !this.#broken;
  }

  /** Rejects with `not-sent` when nothing was stored, and with `unknown` when nobody can say it. */
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
        const isUnknown = cause instanceof UnknownOutcomeError;
        if (isUnknown) this.#unclear = entry.account;
        end();
        throw isUnknown ? unclear(cause) : notStored(cause);
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
      if (this.#unclear !== undefined) await this.#settle(this.#unclear);
      this.#unclear = undefined;
      await this.#reload();
    } catch (cause) {
      throw new VenueError('not-sent', `the paper venue cannot read its books: ${errorText(cause)}`, { cause });
    }
    this.#broken = false;
  }

  /**
   * A database that hangs may still carry the unclear entry out after the books were read, and an order that is certainly not
   * there would appear. Of two entries that build on the same version only one is written: so one that changes nothing is
   * put in its place. Once that is on disk, the unclear one is either there too, or never will be.
   */
  async #settle(name: PaperAccountName): Promise<void> {
    for (let tries = 0; tries < MAX_SETTLING_TRIES; tries++) {
      const { account } = await this.#ledger.load(name);
      if (account === undefined) throw new Error(`the account ${name.exchange}:${name.account} is not there`);
      const result = await this.#ledger.commit({ account: { ...account, version: account.version + 1 } });
      if (result === 'committed') return;
    }
    throw new Error('they keep changing');
  }
}

const notStored = (cause: unknown): VenueError =>
  new VenueError('not-sent', `the paper venue could not store the order: ${errorText(cause)}`, { cause });

const unclear = (cause: unknown): VenueError =>
  new VenueError('unknown', `the paper venue does not know whether it has stored the order: ${errorText(cause)}`, {
    cause,
  });
