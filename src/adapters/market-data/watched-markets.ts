// The markets whose streams are followed because somebody asks about them; those nobody asks about any more are let go.

import type { BarFeed } from '../../market-data/bar-feed.ts';
import { MarketWatch } from './market-watch.ts';
import { UpstreamError } from './upstream-error.ts';

export interface WatchedMarketsOptions {
  readonly follow: BarFeed['follow'];
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** A market that nobody asks about for so long is no longer followed. */
  readonly idleMs: number;
}

/** Each is one of the streams that a venue allows, and charts need theirs. */
const MAX_WATCHED = 50;

export class WatchedMarkets {
  readonly #options: WatchedMarketsOptions;
  readonly #watches = new Map<string, { readonly watch: MarketWatch; askedMs: number }>();
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: WatchedMarketsOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#dropIdle(), options.idleMs).unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The watch of a market, which begins with the first question. */
  watchOf(market: string): MarketWatch {
    const { follow, nowMs, monotonicMs } = this.#options;
    const known = this.#watches.get(market);
    if (known) {
      known.askedMs = monotonicMs();
      return known.watch;
    }
    if (this.#isClosed) throw new UpstreamError('the market data is being closed: Signalbox is stopping');
    const longestAgo = [...this.#watches].sort(([, a], [, b]) => a.askedMs - b.askedMs)[0];
    if (this.#watches.size >= MAX_WATCHED && longestAgo) this.#drop(longestAgo[0], longestAgo[1].watch);
    const watch = new MarketWatch(follow, market, nowMs);
    this.#watches.set(market, { watch, askedMs: monotonicMs() });
    return watch;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const [market, { watch }] of [...this.#watches]) this.#drop(market, watch);
  }

  #dropIdle(): void {
    const { monotonicMs, idleMs } = this.#options;
    for (const [market, { watch, askedMs }] of this.#watches)
      if (monotonicMs() - askedMs >= idleMs) this.#drop(market, watch);
  }

  #drop(market: string, watch: MarketWatch): void {
    watch.close();
    this.#watches.delete(market);
  }
}
