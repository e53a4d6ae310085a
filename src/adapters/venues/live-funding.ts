// Funding of a testnet or live account: read from its venue again and again, kept in our own books, and told from there. So reports
// ask no venue, and payments outlast the time for which a venue shows them.

import type { FundingStore } from '../../trading/books/funding-store.ts';
import type { Venue } from '../../trading/venue.ts';
import type { VenueAdapter, VenueMarket } from './venue-adapter.ts';

/** A payment may be listed later than it was made; each is kept once, however often it is read. */
const OVERLAP_MS = 3_600_000;
/** No venue answers for more than a week at once. */
const STRETCH_MS = 6 * 24 * 3_600_000;

export interface LiveFundingOptions {
  readonly of: Pick<Venue, 'exchange' | 'mode' | 'account'>;
  readonly adapter: Pick<VenueAdapter, 'funding'>;
  readonly store: FundingStore;
  readonly markets: () => Promise<readonly VenueMarket[]>;
  readonly nowMs: () => number;
}

export class LiveFunding {
  readonly #options: LiveFundingOptions;

  constructor(options: LiveFundingOptions) {
    this.#options = options;
  }

  /** From the hour before the account was first opened here, without a gap. */
  async read(): Promise<void> {
    const { of, adapter, store, markets, nowMs } = this.#options;
    const now = nowMs();
    let fromMs = ((await store.readTo(of)) ?? now) - OVERLAP_MS;
    while (fromMs < now) {
      const toMs = Math.min(fromMs + STRETCH_MS, now);
      // What is paid while the last stretch is asked for belongs to it, whatever the venue's clock says.
      const untilMs = toMs === now ? now + OVERLAP_MS : toMs;
      await store.add(of, await adapter.funding(fromMs, untilMs, await markets()), toMs);
      fromMs = toMs;
    }
  }

  range(fromMs: number, toMs: number) {
    return this.#options.store.range(this.#options.of, fromMs, toMs);
  }

  total() {
    return this.#options.store.total(this.#options.of);
  }
}
