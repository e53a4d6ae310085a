// The bars of one market and timeframe: those there are, older ones when they are wanted, and live ones as they come.

import { ChartBars } from '../../chart/chart-bars.ts';
import type { Bars, Result } from '../../server/answers.ts';
import { ask, Refused } from '../../server/ask.ts';
import { MarketStream, type StreamBar } from '../../server/market-stream.ts';

export interface FeedState {
  readonly status: 'loading' | 'live' | 'lost' | 'refused';
  /** Where the prices come from, once it is known. */
  readonly source?: string;
  /** Why there are no bars. */
  readonly reason?: string;
  /** While bars of the past are asked for: how many have come, and how many are wanted. */
  readonly loading?: { readonly count: number; readonly of: number } | undefined;
}

export interface MarketFeedOptions {
  readonly symbol: string;
  readonly timeframe: string;
  readonly onState: (state: FeedState) => void;
  /** The first bars there are. */
  readonly onBars: () => void;
  /** So many more of the past. */
  readonly onPast: (added: number) => void;
  /** The newest bar changed, or one was added. */
  readonly onLast: (bar: StreamBar) => void;
}

/** The source is known once a page has come. */
type Found = Pick<Bars, 'bars'> & Partial<Bars>;

const FIRST_BARS = 1_500;
const MORE_BARS = 2_500;
/** An exchange may take seconds for a thousand: by smaller pages it can be told how far it is. */
const PAGE_BARS = 500;
const AGAIN_MS = 2_000;
/** Years of bars come from an exchange page by page. */
const BARS_WITHIN_MS = 60_000;

export class MarketFeed {
  readonly bars = new ChartBars();
  /** Whether the last of them is over. */
  isLastClosed = false;
  readonly #options: MarketFeedOptions;
  readonly #end = new AbortController();
  #stream: MarketStream | undefined;
  #state: FeedState = { status: 'loading' };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #hasAll = false;
  #loading: AbortController | undefined;
  /** Live bars that came before those that were missed: put at once they would leave a hole that nothing fills. */
  #early: StreamBar[] | undefined;

  constructor(options: MarketFeedOptions) {
    this.#options = options;
    void this.#begin();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
    this.#loading?.abort();
    this.#stream?.close();
  }

  /** What has come so far is shown, and no more is asked for. */
  stopLoading(): void {
    if ((this.#state.loading?.count ?? 0) > 0) this.#loading?.abort();
  }

  /** Asks for bars before those there are; once at a time, and no more when there are none. */
  async loadPast(): Promise<void> {
    const first = this.bars.at(0);
    if (first === undefined || this.#isAsking || this.#hasAll) return;
    this.#isAsking = true;
    try {
      const { bars } = await this.#load(MORE_BARS, first.time);
      const added = this.bars.addPast(bars);
      this.#hasAll = added === 0;
      if (added > 0) this.#options.onPast(added);
    } catch (error) {
      if (!(error instanceof Refused)) return;
      // The chart stays as it is; moving it again asks again.
    } finally {
      this.#isAsking = false;
      this.#set({ ...this.#state, loading: undefined });
    }
  }

  async #begin(): Promise<void> {
    try {
      const { bars, source } = await this.#load(FIRST_BARS);
      this.bars.addPast(bars);
      this.isLastClosed = bars.at(-1)?.closed ?? false;
      this.#set({ status: 'live', ...(source !== undefined && { source }) });
      this.#options.onBars();
      this.#follow();
    } catch (error) {
      if (!(error instanceof Refused)) return;
      const isAway = error.status === 0 || error.status >= 500;
      this.#set({ status: isAway ? 'lost' : 'refused', reason: error.message });
      // A server that starts or has lost its exchange is asked again; one that knows no such market is not.
      if (isAway) this.#timer = setTimeout(() => void this.#begin(), AGAIN_MS);
    }
  }

  #follow(): void {
    const { symbol, timeframe: interval } = this.#options;
    this.#stream = new MarketStream({
      ...{ symbol, interval },
      onBar: (bar) => (this.#early === undefined ? this.#put(bar) : void this.#early.push(bar)),
      onState: (state) => {
        if (state === 'lost') this.#set({ ...this.#state, status: 'lost' });
        else void this.#catchUp();
      },
    });
  }

  /** What came while nobody listened. */
  async #catchUp(): Promise<void> {
    clearTimeout(this.#timer);
    this.#early ??= [];
    const { last } = this.bars;
    try {
      const { bars } = await this.#ask({
        limit: String(MORE_BARS),
        ...(last !== undefined && { from: String(last.time) }),
      });
      for (const bar of [...bars, ...this.#early]) this.#put(bar);
      this.#early = undefined;
      this.#set({ ...this.#state, status: 'live' });
    } catch {
      this.#timer = setTimeout(() => void this.#catchUp(), AGAIN_MS);
    }
  }

  #put(bar: StreamBar): void {
    if (this.#end.signal.aborted || !this.bars.put(bar)) return;
    this.isLastClosed = bar.closed;
    this.#options.onLast(bar);
  }

  /** So many places for bars before a moment, or before now, page by page. */
  async #load(wanted: number, beforeMs?: number): Promise<Found> {
    const loading = new AbortController();
    this.#loading = loading;
    let found: Found = { bars: [] };
    let toMs = beforeMs;
    try {
      for (let asked = 0; asked < wanted; asked += PAGE_BARS) {
        this.#set({ ...this.#state, loading: { count: asked, of: wanted } });
        const query = { limit: String(PAGE_BARS), ...(toMs !== undefined && { to: String(toMs) }) };
        const page = await this.#ask(query, loading.signal);
        found = { ...page, bars: [...page.bars, ...found.bars] };
        // Where nobody traded for long a page has gaps alone, and there may be bars before them.
        toMs = Math.min(page.bars[0]?.time ?? Number.POSITIVE_INFINITY, page.gaps[0]?.from ?? Number.POSITIVE_INFINITY);
        if (toMs === Number.POSITIVE_INFINITY) break;
      }
    } catch (error) {
      if (this.#end.signal.aborted || !loading.signal.aborted) throw error;
    }
    return found;
  }

  async #ask(query: Readonly<Record<string, string>>, signal = this.#end.signal): Promise<Bars> {
    const { symbol, timeframe } = this.#options;
    const path = `/bars?${new URLSearchParams({ symbol, timeframe, ...query })}`;
    return (await ask<Result<Bars>>(path, { signal, withinMs: BARS_WITHIN_MS })).result;
  }

  #set(state: FeedState): void {
    this.#state = state;
    if (!this.#end.signal.aborted) this.#options.onState(state);
  }
}
