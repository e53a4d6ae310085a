// Goes along with the market again and again: limits fill when it trades through them, funding is settled, and positions that
// can no longer be carried are closed.

import type { RangeSource } from '../../../market-data/price-source.ts';
import type { Timers } from '../../../timing/timers.ts';
import type { Account } from './account.ts';
import { bookFunding } from './booking.ts';
import type { Bookkeeper } from './bookkeeper.ts';
import { fundingTerms, fundingTimes, paymentsOf } from './funding.ts';
import { heldBooks } from './liquidation.ts';
import type { MarketPrices } from './market-prices.ts';
import { bookHappened, compareWithMarket, middleOf, type Stretch } from './matching.ts';

/** Passes are a second apart; after a longer time something must have been in the way, such as a stop. */
const BEHIND_MS = 10_000;

export interface MatcherOptions {
  readonly keeper: Bookkeeper;
  readonly markets: MarketPrices;
  readonly prices: RangeSource;
  readonly nowMs: () => number;
  readonly everyMs: number;
  readonly timers: Timers;
}

export class Matcher {
  readonly #options: MatcherOptions;
  #pass: Promise<number> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: MatcherOptions) {
    this.#options = options;
  }

  start(): void {
    const { timers, everyMs } = this.#options;
    const goOn = (): void => {
      if (this.#stopTimer) this.start();
    };
    // A pass that fails leaves its orders as they were; the next one compares the same time again.
    this.#stopTimer = timers.after(everyMs, () => void this.matchNow().then(goOn, goOn));
  }

  async stop(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    await this.#pass?.catch(() => 0);
  }

  /** Returns how many orders changed. There is one pass at a time: whoever asks during a pass gets the outcome of that one. */
  matchNow(): Promise<number> {
    this.#pass ??= this.#match().finally(() => {
      this.#pass = undefined;
    });
    return this.#pass;
  }

  /** Every open position at its last price. */
  async refreshMarks(account: Account): Promise<void> {
    await Promise.all(
      heldBooks(account).map(async (book) =>
        account.setMark(book, await this.#options.markets.price(book.rules.symbol)),
      ),
    );
  }

  /** What passed while nobody looked is gone through before anything new is done with the account; never rejects. */
  catchUp(): Promise<void> | undefined {
    const { keeper, nowMs } = this.#options;
    if (nowMs() - keeper.account.matchedUntilMs <= BEHIND_MS) return undefined;
    return this.matchNow().then(
      () => undefined,
      () => undefined,
    );
  }

  async #match(): Promise<number> {
    const { keeper, nowMs } = this.#options;
    await keeper.settled();
    const { account } = keeper;
    const untilMs = nowMs();
    if (untilMs <= account.matchedUntilMs) return 0;
    const pass: Pass = { changed: 0 };
    if (await this.#walkAll(account, untilMs, pass)) account.matchedUntilMs = untilMs;
    await this.refreshMarks(account);
    return pass.changed;
  }

  /** From one funding time to the next. Only what is whole and on disk counts as compared. */
  async #walkAll(account: Account, untilMs: number, pass: Pass): Promise<boolean> {
    for (const atMs of fundingTimes(account.matchedUntilMs, untilMs)) {
      if (!(await this.#walk(account, { fromMs: account.matchedUntilMs, toMs: atMs }, pass))) return false;
      if (!(await this.#settleFunding(account, atMs))) return false;
    }
    return this.#walk(account, { fromMs: account.matchedUntilMs, toMs: untilMs }, pass);
  }

  /**
   * Goes through a stretch of time; each part is on disk before the next is looked at. False: it could not be gone through
   * whole, because a market cannot be read now or the books went back to the disk; the next pass compares it again.
   */
  async #walk(account: Account, stretch: Stretch, pass: Pass): Promise<boolean> {
    if (stretch.fromMs >= stretch.toMs) return true;
    const { keeper, prices } = this.#options;
    const happened = await compareWithMarket(account, prices, stretch);
    const middleMs = middleOf(stretch, happened, prices.grainMs);
    if (middleMs !== undefined) {
      const { fromMs, toMs } = stretch;
      return (
        (await this.#walk(account, { fromMs, toMs: middleMs }, pass)) &&
        this.#walk(account, { fromMs: middleMs, toMs }, pass)
      );
    }
    if (happened.due.length > 0 || happened.endangered) {
      const { committed, whole } = await keeper.bookAll(account, () => bookHappened(account, happened, stretch.toMs));
      pass.changed += committed;
      if (!whole) return false;
    }
    return happened.complete;
  }

  /** Only with everything before it on disk: the entry also says that the time until there is done. */
  async #settleFunding(account: Account, atMs: number): Promise<boolean> {
    const terms = await fundingTerms(account, this.#options, atMs);
    const [first] = terms;
    if (first) {
      const book = () => bookFunding(account, paymentsOf(terms, atMs), atMs);
      return this.#options.keeper.bookEntry(account, first.book.rules.symbol, book);
    }
    account.matchedUntilMs = atMs;
    return true;
  }
}

/** What a pass has done so far. */
interface Pass {
  /** Steps of orders. */
  changed: number;
}
