// Real prices for paper trading: the last price never older than seconds, and how far a market traded, as it was seen.

import type { BarFeed } from '../../market-data/bar-feed.ts';
import type { Bar, RangeSource } from '../../market-data/price-source.ts';
import { barStart } from '../../market-data/timeframe.ts';
import { type Extremes, joined, MarketWatch } from './market-watch.ts';
import { decimalText } from './read-bar.ts';
import { UpstreamError } from './upstream-error.ts';
import type { VenueFeed } from './venue-feed.ts';

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

export interface LivePrices extends RangeSource {
  close(): void;
}

const USUAL: PricePacing = { freshMs: 1_000, staleMs: 5_000, idleMs: 300_000 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer stretches are read in hours, but for their ends. */
const MAX_MINUTES_READ_MS = 48 * HOUR_MS;
/** While the stream is lost only stretches at least this long are answered, from bars: their ends remain unknown. */
const MIN_WITHOUT_STREAM_MS = 5 * MINUTE_MS;
/** "Until now" was said a moment ago. */
const PRESENT_MS = 5_000;
/** Each is a stream of the venue's, and charts need theirs. */
const MAX_WATCHED = 50;
const MAX_PRICES = 1_000;

interface PriceNote {
  asking?: Promise<void> | undefined;
  text?: string;
  textMs: number;
  fault?: unknown;
  faultMs: number;
}

export function createLivePrices(options: LivePricesOptions): LivePrices {
  const { feed, follow = feed.follow, nowMs, monotonicMs } = options;
  const { freshMs, staleMs, idleMs } = { ...USUAL, ...options.pacing };
  const notes = new Map<string, PriceNote>();
  const watches = new Map<string, { watch: MarketWatch; askedMs: number }>();
  let isClosed = false;
  const sweep = setInterval(() => {
    for (const [market, { watch, askedMs }] of watches) if (monotonicMs() - askedMs >= idleMs) drop(market, watch);
  }, idleMs);
  sweep.unref();

  function drop(market: string, watch: MarketWatch): void {
    watch.close();
    watches.delete(market);
  }

  function noteOf(market: string): PriceNote {
    const known = notes.get(market);
    if (known) return known;
    const oldest = notes.keys().next();
    if (notes.size >= MAX_PRICES && !oldest.done) notes.delete(oldest.value);
    const note: PriceNote = { textMs: Number.NEGATIVE_INFINITY, faultMs: Number.NEGATIVE_INFINITY };
    notes.set(market, note);
    return note;
  }

  /** One question at a time for each market, whoever asks. Its outcome is in the note. */
  const ask = (market: string, note: PriceNote): Promise<void> =>
    feed
      .lastPrice(market)
      .then((text) => Object.assign(note, { text, textMs: monotonicMs() }))
      .catch((fault) => Object.assign(note, { fault, faultMs: monotonicMs() }))
      .then(() => {
        note.asking = undefined;
      });

  async function lastPrice(market: string): Promise<string> {
    const note = noteOf(market);
    const isFresh = (): boolean => note.text !== undefined && monotonicMs() - note.textMs < freshMs;
    if (!isFresh() && monotonicMs() - note.faultMs >= freshMs) {
      note.asking ??= ask(market, note);
      await note.asking;
    }
    const isUsable = isFresh() || (note.fault instanceof UpstreamError && monotonicMs() - note.textMs < staleMs);
    if (note.text === undefined || !isUsable) throw note.fault;
    // An order may follow, and how far the market trades from here on decides when it fills.
    if (!isClosed) watchOf(market);
    return note.text;
  }

  function watchOf(market: string): MarketWatch {
    const known = watches.get(market);
    if (known) {
      known.askedMs = monotonicMs();
      return known.watch;
    }
    if (isClosed) throw new UpstreamError('the market data is being closed: Signalbox is stopping');
    const longestAgo = [...watches].sort(([, a], [, b]) => a.askedMs - b.askedMs)[0];
    if (watches.size >= MAX_WATCHED && longestAgo) drop(longestAgo[0], longestAgo[1].watch);
    const watch = new MarketWatch(follow, market, nowMs);
    watches.set(market, { watch, askedMs: monotonicMs() });
    return watch;
  }

  /** Of the bars that lie inside; one that still forms lies inside when it began inside and the end is the present. */
  async function barExtremes(market: string, fromMs: number, toMs: number): Promise<Extremes | undefined> {
    const isPresent = toMs >= nowMs() - PRESENT_MS;
    const read = async (timeframeMs: number, startMs: number, endMs: number): Promise<readonly Bar[]> => {
      const bars = startMs < endMs ? await feed.bars(market, timeframeMs, startMs, endMs) : [];
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

  async function rangeOf(market: string, fromMs: number, toMs: number): Promise<Extremes | undefined> {
    const watch = watchOf(market);
    const { sinceMs } = watch;
    if (sinceMs !== undefined && sinceMs <= fromMs) return watch.extremes(fromMs, toMs);
    if (sinceMs === undefined && toMs - fromMs < MIN_WITHOUT_STREAM_MS && toMs >= nowMs() - PRESENT_MS)
      throw new UpstreamError(`how far ${market} traded is not known while its stream is being connected; ask again`);
    const told = await barExtremes(market, fromMs, toMs);
    const seen = watch.extremes(Math.max(fromMs, sinceMs ?? toMs), toMs);
    return joined([told, seen].filter((part) => part !== undefined));
  }

  return {
    label: feed.label,
    lastPrice,
    bars: feed.bars,
    async range(market, fromMs, toMs) {
      if (!Number.isFinite(fromMs) || !Number.isFinite(toMs) || fromMs > toMs)
        throw new RangeError(`from ${fromMs} to ${toMs} is no range of time: use ms since 1970, the earlier first`);
      const range = fromMs < toMs ? await rangeOf(market, fromMs, toMs) : undefined;
      return range && { low: decimalText(range.low), high: decimalText(range.high) };
    },
    close() {
      isClosed = true;
      clearInterval(sweep);
      for (const [market, { watch }] of [...watches]) drop(market, watch);
    },
  };
}
