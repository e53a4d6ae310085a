// The bars of a market as people and scripts ask for them: a stretch of time, or the newest so many that are final.
//
// What the archive does not know is asked of the venue, except where the words say otherwise: strangers must not be able
// to make us ask, because a venue bans an address that asks too much, and trading with it. The simulated market is
// computed right here, so it asks nobody, and nothing of it needs keeping.

import { type BarArchive, MAX_BARS_A_REQUEST } from './bar-archive.ts';
import { type BarFeed, FeedRefusal, type LiveBar } from './bar-feed.ts';
import { type BarStore, type StoredSeries, type Stretch, slotStart } from './bar-store.ts';
import { baseTimeframe, toLargerBars } from './larger-bars.ts';
import { nearestMarkets } from './nearest-markets.ts';
import type { Bar } from './price-source.ts';
import { barStart, DAY_MS, timeframeText } from './timeframe.ts';

/** The source has no such market; `nearest` names those that may have been meant. */
export class UnknownMarket extends Error {
  override readonly name = 'UnknownMarket';
  readonly nearest: readonly string[];
  constructor(message: string, nearest: readonly string[]) {
    super(nearest.length === 0 ? message : `${message}. Did you mean ${nearest.join(', ')}?`);
    this.nearest = nearest;
  }
}

/** The source has no bars of this timeframe, and none that they could be made of. */
export class UnknownTimeframe extends Error {
  override readonly name = 'UnknownTimeframe';
}

/** What the archive knows of a stretch. */
export interface Coverage {
  /** How many bars of it are there. */
  readonly bars: number;
  /** Where nothing is known yet. */
  readonly unknown: readonly Stretch[];
  /** Where the venue was asked and had no bars: nobody traded. */
  readonly empty: readonly Stretch[];
}

export interface MarketBarsOptions {
  readonly feed: Pick<BarFeed, 'label' | 'timeframesMs' | 'marketNames'>;
  readonly archive: Pick<BarArchive, 'bars'>;
  /** The same that the archive keeps its bars in. */
  readonly store: Pick<BarStore, 'read' | 'span' | 'series'> | undefined;
  readonly nowMs: () => number;
}

/** Whatever asks for a market rejects with UnknownMarket, UnknownTimeframe, or another error while the venue is away. */
export class MarketBars {
  readonly #feed: MarketBarsOptions['feed'];
  readonly #archive: MarketBarsOptions['archive'];
  readonly #store: MarketBarsOptions['store'];
  readonly #nowMs: () => number;

  constructor({ feed, archive, store, nowMs }: MarketBarsOptions) {
    this.#feed = feed;
    this.#archive = archive;
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** Where the bars come from. */
  get source(): BarFeed['label'] {
    return this.#feed.label;
  }

  /** Whether its bars are computed here instead of fetched and kept. */
  get isComputed(): boolean {
    return this.source === 'simulated';
  }

  /** Bars that start in [fromMs, toMs), oldest first, each with the word whether it is final. */
  async range(market: string, timeframeMs: number, { fromMs, toMs }: Stretch): Promise<readonly LiveBar[]> {
    await this.#requireMarket(market, timeframeMs);
    // One more than was asked for: it shows that the one before it is final.
    const bars = await this.#bars(market, timeframeMs, fromMs, toMs + timeframeMs);
    // Where nothing follows, as before a gap, a bar that ended long ago is final too; our clock may be wrong by hours.
    const longAgoMs = this.#nowMs() - DAY_MS - timeframeMs;
    return bars
      .map((bar, i) => ({ ...bar, closed: i < bars.length - 1 || bar.time <= longAgoMs }))
      .filter(({ time }) => time < toMs);
  }

  /** The newest bars that are final, oldest first; fewer where the market has no more. */
  async newest(market: string, timeframeMs: number, count: number): Promise<readonly Bar[]> {
    await this.#requireMarket(market, timeframeMs);
    const formingMs = barStart(this.#nowMs(), timeframeMs);
    // One more than is wanted: the last of an answer may still be forming, and is left out whatever our clock says.
    const fromMs = Math.max(0, formingMs - (count + 1) * timeframeMs);
    const bars = await this.#bars(market, timeframeMs, fromMs, formingMs + timeframeMs);
    return bars.slice(0, -1).slice(-count);
  }

  /** The same of what is known already, up to where it is known, and back to where something is missing. Asks no venue. */
  async newestKept(market: string, timeframeMs: number, count: number): Promise<readonly Bar[]> {
    if (this.isComputed) return this.newest(market, timeframeMs, count);
    const baseMs = this.#baseOf(timeframeMs);
    const span = await this.#store?.span(market, baseMs);
    if (this.#store === undefined || span === undefined) return [];
    const wantedMs = slotStart(span.toMs - (count + 1) * timeframeMs, baseMs);
    const stretch = { fromMs: Math.max(span.fromMs, wantedMs), toMs: span.toMs };
    const { bars, missing } = await this.#store.read(market, baseMs, stretch);
    const knownMs = missing.at(-1)?.toMs ?? stretch.fromMs;
    const unbroken = bars.filter(({ time }) => time >= knownMs);
    const whole =
      baseMs === timeframeMs
        ? unbroken
        : toLargerBars(unbroken, timeframeMs).filter(
            ({ time }) => time >= knownMs && time + timeframeMs <= stretch.toMs,
          );
    return whole.slice(-count);
  }

  /** What is known of a stretch up to the bar that forms now. Asks no venue. */
  async coverage(market: string, timeframeMs: number, { fromMs, toMs }: Stretch): Promise<Coverage> {
    const baseMs = this.#baseOf(timeframeMs);
    const endMs = Math.min(slotStart(toMs, baseMs), slotStart(this.#nowMs(), baseMs));
    const asked = { fromMs: slotStart(fromMs + baseMs - 1, baseMs), toMs: endMs };
    if (asked.fromMs >= asked.toMs) return { bars: 0, unknown: [], empty: [] };
    if (this.isComputed) return { bars: (asked.toMs - asked.fromMs) / baseMs, unknown: [], empty: [] };
    const known = await this.#store?.read(market, baseMs, asked);
    if (known === undefined) return { bars: 0, unknown: [asked], empty: [] };
    const taken = new Set(known.bars.map(({ time }) => slotStart(time, baseMs)));
    for (const { fromMs: startMs, toMs: stopMs } of known.missing)
      for (let slotMs = startMs; slotMs < stopMs; slotMs += baseMs) taken.add(slotMs);
    return { bars: known.bars.length, unknown: known.missing, empty: holesBetween(taken, asked, baseMs) };
  }

  /** What the archive holds, whatever its holes. */
  async series(): Promise<readonly StoredSeries[]> {
    return (await this.#store?.series()) ?? [];
  }

  /** The words for a market that the source does not have. */
  async #unknown(market: string, message: string): Promise<UnknownMarket> {
    const names = await this.#feed.marketNames().catch(() => []);
    return new UnknownMarket(message, nearestMarkets(market, names));
  }

  #baseOf(timeframeMs: number): number {
    const baseMs = baseTimeframe(this.#feed.timeframesMs, timeframeMs);
    if (baseMs !== undefined) return baseMs;
    const names = this.#feed.timeframesMs.map(timeframeText).join(', ');
    throw new UnknownTimeframe(`${this.source} has no bars of this timeframe; it has ${names}`);
  }

  /** The simulated market makes up a price for any name; bars are given of those alone that are on its list. */
  async #requireMarket(market: string, timeframeMs: number): Promise<void> {
    this.#baseOf(timeframeMs);
    if (!this.isComputed || (await this.#feed.marketNames()).includes(market)) return;
    throw await this.#unknown(market, `the simulated market has no ${market}`);
  }

  /** However many there are, in as many requests as it takes. */
  async #bars(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]> {
    const smaller = timeframeMs / this.#baseOf(timeframeMs);
    // One less than would fit, because larger bars are read whole where the end of a request cuts into one.
    const aRequestMs = Math.max(1, Math.floor(MAX_BARS_A_REQUEST / smaller) - 1) * timeframeMs;
    const found: Bar[] = [];
    try {
      for (let startMs = fromMs; startMs < toMs; startMs += aRequestMs)
        for (const bar of await this.#archive.bars(market, timeframeMs, startMs, Math.min(startMs + aRequestMs, toMs)))
          found.push(bar);
    } catch (error) {
      throw error instanceof FeedRefusal ? await this.#unknown(market, error.message) : error;
    }
    return found;
  }
}

/** The stretches whose slots are not among those. */
export function holesBetween(taken: ReadonlySet<number>, { fromMs, toMs }: Stretch, timeframeMs: number): Stretch[] {
  const holes: Stretch[] = [];
  for (let slotMs = fromMs; slotMs < toMs; slotMs += timeframeMs) {
    if (taken.has(slotMs)) continue;
    const last = holes.at(-1);
    const isNext = last?.toMs === slotMs;
    if (isNext) holes.pop();
    holes.push({ fromMs: isNext ? last.fromMs : slotMs, toMs: slotMs + timeframeMs });
  }
  return holes;
}
