// Real prices for paper trading: the last price never older than seconds, and how far a market traded, as it was seen.

import type { BarFeed } from '../../market-data/bar-feed.ts';
import type { MarketList, QuotedMarket } from '../../market-data/market-list.ts';
import type { Bar, RangeSource } from '../../market-data/price-source.ts';
import { barStart } from '../../market-data/timeframe.ts';
import { LastPrices } from './last-prices.ts';
import { type Extremes, joined } from './market-watch.ts';
import { decimalText } from './read-bar.ts';
import { UpstreamError } from './upstream-error.ts';
import type { VenueFeed } from './venue-feed.ts';
import { WatchedMarkets } from './watched-markets.ts';

export interface LivePricesOptions {
  /** Stays open when the prices are closed: others may use it. */
  readonly feed: VenueFeed;
  /** Who follows streams for us, where somebody shares them among many; else the feed itself. */
  readonly follow?: BarFeed['follow'];
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** Tests wait less. */
  readonly pacing?: Partial<PricePacing>;
}

export interface PricePacing {
  /** So long one answer serves everybody who asks, also the answer that there is none. */
  readonly freshMs: number;
  /** So long the price before it serves while the venue does not answer. With the time of a request, 10 s in all. */
  readonly staleMs: number;
  /** A market that nobody asks about for so long is no longer followed. */
  readonly idleMs: number;
}

export interface LivePrices extends RangeSource, MarketList {
  close(): void;
}

const USUAL: PricePacing = { freshMs: 1_000, staleMs: 5_000, idleMs: 300_000 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer stretches are read in hours, but for their ends. */
const MAX_MINUTES_READ_MS = 48 * HOUR_MS;
/** While the stream is lost only stretches at least this long are answered, from bars: their ends remain unknown. */
const MIN_WITHOUT_STREAM_MS = 5 * MINUTE_MS;
/** So long one list of all markets serves everybody who asks. */
const LIST_KEPT_MS = 5_000;
/** Whoever asks "until now" read the clock a moment ago. */
const PRESENT_MS = 5_000;

export function createLivePrices(options: LivePricesOptions): LivePrices {
  const { feed, follow = feed.follow, nowMs, monotonicMs } = options;
  const { freshMs, staleMs, idleMs } = { ...USUAL, ...options.pacing };
  const lastPrices = new LastPrices({ feed, monotonicMs, freshMs, staleMs });
  const markets = new WatchedMarkets({ follow, nowMs, monotonicMs, idleMs });
  const ranges = new TradedRanges(feed, markets, nowMs);
  const list = new KeptList(feed, monotonicMs);
  return {
    label: feed.label,
    async lastPrice(market) {
      const price = await lastPrices.of(market);
      // An order may follow, and how far the market trades from here on decides when it fills.
      if (!markets.isClosed) markets.watchOf(market);
      return price;
    },
    bars: feed.bars,
    async range(market, fromMs, toMs) {
      if (!Number.isFinite(fromMs) || !Number.isFinite(toMs) || fromMs > toMs)
        throw new RangeError(`from ${fromMs} to ${toMs} is no range of time: use ms since 1970, the earlier first`);
      const range = fromMs < toMs ? await ranges.of(market, fromMs, toMs) : undefined;
      return range && { low: decimalText(range.low), high: decimalText(range.high) };
    },
    markets: () => list.get(),
    close: () => markets.close(),
  };
}

/** The list of all markets: one answer serves everybody for some seconds, so that a page that polls costs the venue little. */
class KeptList {
  readonly #feed: MarketList;
  readonly #monotonicMs: () => number;
  #answer: Promise<readonly QuotedMarket[]> | undefined;
  #askedMs = 0;

  constructor(feed: MarketList, monotonicMs: () => number) {
    this.#feed = feed;
    this.#monotonicMs = monotonicMs;
  }

  get(): Promise<readonly QuotedMarket[]> {
    if (this.#answer !== undefined && this.#monotonicMs() - this.#askedMs < LIST_KEPT_MS) return this.#answer;
    this.#askedMs = this.#monotonicMs();
    const answer = this.#feed.markets();
    this.#answer = answer;
    answer.catch(() => {
      if (this.#answer === answer) this.#answer = undefined;
    });
    return answer;
  }
}

/** How far markets traded: by the stream as far back as it was followed, before that by bars. */
class TradedRanges {
  readonly #feed: Pick<VenueFeed, 'bars'>;
  readonly #markets: WatchedMarkets;
  readonly #nowMs: () => number;

  constructor(feed: Pick<VenueFeed, 'bars'>, markets: WatchedMarkets, nowMs: () => number) {
    this.#feed = feed;
    this.#markets = markets;
    this.#nowMs = nowMs;
  }

  async of(market: string, fromMs: number, toMs: number): Promise<Extremes | undefined> {
    const watch = this.#markets.watchOf(market);
    const { sinceMs } = watch;
    if (sinceMs !== undefined && sinceMs <= fromMs) return watch.extremes(fromMs, toMs);
    if (sinceMs === undefined && toMs - fromMs < MIN_WITHOUT_STREAM_MS && this.#isPresent(toMs))
      throw new UpstreamError(`how far ${market} traded is not known while its stream is being connected; ask again`);
    const told = await this.#ofBars(market, fromMs, toMs);
    const seen = watch.extremes(Math.max(fromMs, sinceMs ?? toMs), toMs);
    return joined([told, seen].filter((part) => part !== undefined));
  }

  /** Of the bars that lie inside; one that still forms lies inside when it began inside and the end is the present. */
  async #ofBars(market: string, fromMs: number, toMs: number): Promise<Extremes | undefined> {
    const isPresent = this.#isPresent(toMs);
    const read = async (timeframeMs: number, startMs: number, endMs: number): Promise<readonly Bar[]> => {
      const bars = startMs < endMs ? await this.#feed.bars(market, timeframeMs, startMs, endMs) : [];
      return bars.filter(({ time }) => time + timeframeMs <= toMs || isPresent);
    };
    if (toMs - fromMs <= MAX_MINUTES_READ_MS) return joined(await read(MINUTE_MS, fromMs, toMs));
    const firstHourMs = barStart(fromMs, HOUR_MS) + HOUR_MS;
    const lastHourMs = barStart(toMs, HOUR_MS);
    const parts = [
      await read(MINUTE_MS, fromMs, firstHourMs),
      await read(HOUR_MS, firstHourMs, lastHourMs),
      await read(MINUTE_MS, lastHourMs, toMs),
    ];
    return joined(parts.flat());
  }

  #isPresent(toMs: number): boolean {
    return toMs >= this.#nowMs() - PRESENT_MS;
  }
}
