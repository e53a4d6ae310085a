// The bars of the past: read from the store where they are known, asked of the venue where they are not, and then kept.
//
// What may be kept: a bar of the history is final once the venue itself has shown a later one in the same answer. Our
// clock has no say in it, so a clock that runs ahead cannot keep half a bar for ever. Bars that the live stream has ended
// are remembered for a while, but only the word of the history gets into the store.

import { SerialQueues } from '../timing/serial-queue.ts';
import { type BarFeed, FeedRefusal } from './bar-feed.ts';
import { type BarStore, type Stretch, slotStart } from './bar-store.ts';
import { baseTimeframe, toLargerBars } from './larger-bars.ts';
import { LiveBars } from './live-bars.ts';
import type { Bar } from './price-source.ts';
import { barStart } from './timeframe.ts';

/** About 35 days of minutes: more than a script may be given, and some megabytes of memory. */
export const MAX_BARS_A_REQUEST = 50_000;
/** Unknown stretches nearer to each other than a venue's page are fetched as one. */
const NEAR_BARS = 500;

export interface ArchiveLog {
  warn(fields: object, message: string): void;
}

export interface BarArchiveOptions {
  readonly feed: BarFeed;
  /** Without one every request goes to the feed. */
  readonly store: BarStore | undefined;
  readonly log: ArchiveLog;
}

export interface BarArchive {
  /**
   * Bars that start in [fromMs, toMs), oldest first; the last may still be forming. Timeframes the venue has not are
   * made of smaller ones. Rejects with FeedRefusal when there is no such market or timeframe, with RangeError for more
   * bars than one request may hold, and with another Error when the venue cannot be reached just now.
   */
  bars(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]>;
  /** A bar the live stream has ended: it need not be fetched at once. */
  keep(market: string, timeframeMs: number, bar: Bar): void;
}

export const createBarArchive = (options: BarArchiveOptions): BarArchive => new FeedArchive(options);

class FeedArchive implements BarArchive {
  readonly #feed: BarFeed;
  readonly #store: Pick<BarStore, 'read' | 'write'> | undefined;
  readonly #live = new LiveBars();
  /** Equal requests share one answer. */
  readonly #underWay = new Map<string, Promise<readonly Bar[]>>();
  /** One request of a series after the other: the second finds in the store what the first has fetched. */
  readonly #series = new SerialQueues();

  constructor({ feed, store, log }: BarArchiveOptions) {
    this.#feed = feed;
    this.#store = store === undefined ? undefined : sturdyStore(store, log);
  }

  async bars(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]> {
    const { label, timeframesMs } = this.#feed;
    const baseMs = baseTimeframe(timeframesMs, timeframeMs);
    if (baseMs === undefined) throw new FeedRefusal(`${label} has no bars of ${timeframeMs} ms`);
    if (baseMs === timeframeMs) {
      requireRange(timeframeMs, fromMs, toMs);
      return this.#own(market, timeframeMs, fromMs, toMs);
    }
    // Whole bars only: from the first that starts in the range to the end of the last.
    const first = barStart(fromMs + timeframeMs - 1, timeframeMs);
    const end = barStart(toMs - 1, timeframeMs) + timeframeMs;
    requireRange(baseMs, first, Math.max(first, end));
    return toLargerBars(await this.#own(market, baseMs, first, end), timeframeMs);
  }

  keep(market: string, timeframeMs: number, bar: Bar): void {
    if (this.#feed.timeframesMs.includes(timeframeMs)) this.#live.add(market, timeframeMs, bar);
  }

  /** Bars of a timeframe the venue has. */
  #own(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly Bar[]> {
    if (fromMs >= toMs) return Promise.resolve([]);
    const key = `${market} ${timeframeMs} ${fromMs} ${toMs}`;
    const same = this.#underWay.get(key);
    if (same !== undefined) return same;
    const asked = {
      fromMs: slotStart(fromMs, timeframeMs),
      toMs: slotStart(toMs + timeframeMs - 1, timeframeMs),
    };
    const answer = this.#series.run(`${market} ${timeframeMs}`, async () => {
      const bars = await this.#read(market, timeframeMs, asked);
      return bars.filter((bar) => bar.time >= fromMs && bar.time < toMs);
    });
    this.#underWay.set(key, answer);
    const forget = (): void => void this.#underWay.delete(key);
    answer.then(forget, forget);
    return answer;
  }

  /** What the store knows of it, with every stretch it does not know filled in. */
  async #read(market: string, timeframeMs: number, asked: Stretch): Promise<Bar[]> {
    const known = (await this.#store?.read(market, timeframeMs, asked)) ?? { bars: [], missing: [asked] };
    const bars = new Map(known.bars.map((bar) => [bar.time, bar]));
    for (const stretch of joinNear(known.missing, NEAR_BARS * timeframeMs)) {
      const found = this.#live.all(market, timeframeMs, stretch) ?? (await this.#fetch(market, timeframeMs, stretch));
      for (const bar of found) bars.set(bar.time, bar);
    }
    return [...bars.values()].sort((a, b) => a.time - b.time);
  }

  /** Asks the venue, and keeps what is final of its answer. */
  async #fetch(market: string, timeframeMs: number, stretch: Stretch): Promise<readonly Bar[]> {
    // One bar more than is missing: it shows that the one before it is final.
    const answer = await this.#feed.bars(market, timeframeMs, stretch.fromMs, stretch.toMs + timeframeMs);
    requireOrder(answer, timeframeMs, this.#feed.label);
    const finalMs = slotStart(answer.at(-1)?.time ?? 0, timeframeMs);
    const settled = { fromMs: stretch.fromMs, toMs: Math.min(stretch.toMs, finalMs) };
    if (settled.fromMs < settled.toMs) {
      const settledBars = answer.filter((bar) => bar.time >= settled.fromMs && bar.time < settled.toMs);
      await this.#store?.write(market, timeframeMs, settled, settledBars);
    }
    return answer;
  }
}

/** The store is a cache: when it fails the venue answers, and the log says so once until it works again. */
function sturdyStore(store: BarStore, log: ArchiveLog): Pick<BarStore, 'read' | 'write'> {
  let failing = false;
  const attempt = async <T>(work: Promise<T>, instead: T): Promise<T> => {
    try {
      const result = await work;
      failing = false;
      return result;
    } catch (error) {
      if (!failing)
        log.warn({ err: error }, 'the bar store fails; bars are fetched from the venue each time meanwhile');
      failing = true;
      return instead;
    }
  };
  return {
    read: (market, timeframeMs, asked) =>
      attempt(store.read(market, timeframeMs, asked), { bars: [], missing: [asked] }),
    write: (market, timeframeMs, stretch, bars) => attempt(store.write(market, timeframeMs, stretch, bars), undefined),
  };
}

function joinNear(stretches: readonly Stretch[], nearMs: number): Stretch[] {
  const joined: Stretch[] = [];
  for (const stretch of stretches) {
    const last = joined.at(-1);
    if (last !== undefined && stretch.fromMs - last.toMs < nearMs)
      joined[joined.length - 1] = { fromMs: last.fromMs, toMs: stretch.toMs };
    else joined.push(stretch);
  }
  return joined;
}

function requireRange(timeframeMs: number, fromMs: number, toMs: number): void {
  if (!Number.isSafeInteger(fromMs) || !Number.isSafeInteger(toMs) || fromMs < 0 || fromMs > toMs)
    throw new RangeError(`from ${fromMs} to ${toMs} is no range of time: use whole ms since 1970, the earlier first`);
  const count = Math.ceil((toMs - fromMs) / timeframeMs);
  if (count > MAX_BARS_A_REQUEST)
    throw new RangeError(
      `${count} bars were asked for, at most ${MAX_BARS_A_REQUEST} fit one request: ask for a shorter range or a larger timeframe`,
    );
}

/** A feed that breaks its promise must not get into the store. */
function requireOrder(bars: readonly Bar[], timeframeMs: number, label: string): void {
  for (let i = 1; i < bars.length; i += 1) {
    const [before, bar] = [bars[i - 1] as Bar, bars[i] as Bar];
    if (!(slotStart(bar.time, timeframeMs) > slotStart(before.time, timeframeMs)))
      throw new Error(`${label} answered with bars out of order at ${bar.time}; they are not used`);
  }
}
