// Compares resting orders with the market again and again, so that limits fill when the market trades through them.

import type { RangeSource } from '../../../market-data/price-source.ts';
import type { Timers } from '../../../timing/timers.ts';
import { ZERO } from '../../../trading/decimal.ts';
import type { Account } from './account.ts';
import { bookMatch } from './booking.ts';
import type { Bookkeeper } from './bookkeeper.ts';
import type { MarketPrices } from './market-prices.ts';
import { compareWithMarket } from './matching.ts';

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
    this.#stopTimer = timers.after(everyMs, async () => {
      // A pass that fails leaves its orders as they were; the next one compares the same time again.
      await this.matchNow().catch(() => 0);
      if (this.#stopTimer) this.start();
    });
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
    const held = [...account.books.values()].filter(
      ({ LONG, SHORT }) => LONG.holding.quantity > ZERO || SHORT.holding.quantity > ZERO,
    );
    await Promise.all(
      held.map(async (book) => account.setMark(book, await this.#options.markets.price(book.rules.symbol))),
    );
  }

  async #match(): Promise<number> {
    const { keeper, prices, nowMs } = this.#options;
    await keeper.settled();
    const { account } = keeper;
    const untilMs = nowMs();
    if (untilMs <= account.matchedUntilMs) return 0;
    const { due, complete } = await compareWithMarket(account, prices, untilMs);
    const { committed, whole } = await keeper.bookAll(account, () =>
      due.flatMap(({ book, resting }) =>
        book.resting.has(resting.order.clientOrderId) ? bookMatch(account, book, resting, untilMs) : [],
      ),
    );
    // Only now: an entry that says "compared until here" must not reach the disk before the fills found on the way.
    if (complete && whole) account.matchedUntilMs = untilMs;
    await this.refreshMarks(account);
    return committed;
  }
}
