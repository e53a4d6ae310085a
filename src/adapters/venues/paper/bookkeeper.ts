// Applies changes to the books and gets them on disk: one at a time in memory, many at once on their way to the ledger.

import { type OrderReport, VenueError } from '../../../trading/venue.ts';
import type { Account } from './account.ts';
import type { Booking, Change } from './booking.ts';
import type { PaperEntry, PaperLedger } from './ledger.ts';
import { LedgerCommits } from './ledger-commits.ts';

/** An entry that fails takes those behind it along, and they are tried again. After so many tries the ledger is at fault. */
const MAX_ATTEMPTS = 4;

export class Bookkeeper {
  readonly #commits: LedgerCommits;
  readonly #watchers = new Set<(report: OrderReport) => void>();
  #account: Account;

  constructor(ledger: PaperLedger, account: Account, reload: () => Promise<Account>) {
    this.#account = account;
    this.#commits = new LedgerCommits(ledger, async () => {
      this.#account = await reload();
    });
  }

  /** Only for reading, and only in the same turn: after a failure another takes its place. */
  get account(): Account {
    return this.#account;
  }

  /** What memory says of the market, or of all when none is named, is then on disk. */
  settled(market?: string): Promise<void> {
    return this.#commits.settled(market);
  }

  isSettled(market: string): boolean {
    return this.#commits.isSettled(market);
  }

  /** `apply` checks and changes the account in one go, so no two changes can spend the same margin. */
  async change<T>(apply: (account: Account) => Change<T>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      while (!this.#commits.inStep) await this.#commits.ready();
      const change = apply(this.#account);
      if (!change.entry) return change.answer;
      const own = this.#commits.submit(change.market, change.entry);
      for (const booking of change.consequences ?? []) void this.#book(booking);
      const result = await own;
      if (result === 'committed') return change.answer;
      if (result === 'duplicate') throw new VenueError('duplicate', 'the venue already has this client order id');
    }
    throw new VenueError('not-sent', 'the paper venue could not store the order: its books keep changing under it');
  }

  /** Steps that nobody waits for; returns how many reached the disk. Does nothing unless the account is still the present one. */
  async bookAll(account: Account, apply: () => readonly Booking[]): Promise<{ committed: number; whole: boolean }> {
    if (account !== this.#account || !this.#commits.inStep) return { committed: 0, whole: false };
    const results = await Promise.all(apply().map((booking) => this.#book(booking)));
    const committed = results.filter(Boolean).length;
    return { committed, whole: committed === results.length };
  }

  /** A step of the account that no order makes; true once it is on disk. */
  async bookEntry(account: Account, market: string, apply: () => PaperEntry): Promise<boolean> {
    if (account !== this.#account || !this.#commits.inStep) return false;
    return (await this.#commits.submit(market, apply()).catch(() => 'failed')) === 'committed';
  }

  watch(listener: (report: OrderReport) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  tell(report: OrderReport): void {
    for (const watcher of this.#watchers) watcher(report);
  }

  async close(): Promise<void> {
    await this.#commits.drained();
    this.#watchers.clear();
  }

  /** A step that fails is not told: the books go back to the disk, and the next comparison finds the order again. */
  async #book({ entry, report }: Booking): Promise<boolean> {
    const result = await this.#commits.submit(report.market, entry).catch(() => 'failed');
    if (result !== 'committed') return false;
    this.tell(report);
    return true;
  }
}
