// The bars of one market and timeframe: those there are, older ones when they are wanted, and live ones as they come.

import { ChartBars } from '../../chart/chart-bars.ts';
import type { Bars, Result } from '../../server/answers.ts';
import { ask, Refused } from '../../server/ask.ts';
import { MarketStream, type StreamBar } from '../../server/market-stream.ts';

export interface FeedState {
  readonly status: 'loading' | 'live' | 'lost' | 'refused';
  /** Where the prices come from, once it is known. */
  readonly source?: string;
  /** Why there are no bars, or no more. */
  readonly reason?: string | undefined;
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
  /** The newest bar changed, or one was added; told once for a page of those that were missed. */
  readonly onLast: (bar: StreamBar) => void;
}

/** The source is known once a page has come. */
type Found = Pick<Bars, 'bars'> & Partial<Bars>;

const FIRST_BARS = 1_500;
const MORE_BARS = 2_500;
/** An exchange may take seconds for a thousand: by smaller pages it can be told how far it is. */
const PAGE_BARS = 500;
/** A market has gaps, and before its first bar nothing but them: an exchange must not be asked for ever. */
const MOST_EMPTY_LOADS = 8;
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
  /** How far back the past was asked for. */
  #pastMs: number | undefined;
  #hasAll = false;
  #emptyLoads = 0;
  #loading: AbortController | undefined;
  #catching: AbortController | undefined;
  /** Live bars that came before those that were missed, by their times: put at once they would leave a hole that nothing fills. */
  #early: Map<number, StreamBar> | undefined;

  constructor(options: MarketFeedOptions) {
    this.#options = options;
    void this.#begin();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
    this.#stream?.close();
  }

  /** What has come so far is shown, and no more is asked for. */
  stopLoading(): void {
    if ((this.#state.loading?.count ?? 0) > 0) this.#loading?.abort();
  }

  /** Asks for bars before those there are; once at a time, and no more when there are none. */
  async loadPast(): Promise<void> {
    if (this.bars.count === 0 || this.#isAsking || this.#hasAll || this.#end.signal.aborted) return;
    this.#isAsking = true;
    try {
      const { bars } = await this.#load(MORE_BARS, this.#pastMs);
      const added = this.bars.addPast(bars);
      this.#emptyLoads = added > 0 ? 0 : this.#emptyLoads + 1;
      this.#hasAll ||= this.#emptyLoads === MOST_EMPTY_LOADS;
      if (added > 0) this.#options.onPast(added);
    } catch (error) {
      // The chart stays as it is; moving it again asks again.
      if (!(error instanceof Refused || this.#end.signal.aborted)) throw error;
    } finally {
      this.#isAsking = false;
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
      this.#fail(error, () => this.#begin());
    }
  }

  /** A server that starts or has lost its exchange is asked again; one that knows no such market is not. */
  #fail(error: unknown, again: () => Promise<void>): void {
    if (this.#end.signal.aborted) return;
    if (!(error instanceof Refused)) throw error;
    const isAway = error.status === 0 || error.status >= 500;
    // Where there are bars, it is enough to be told that they are tried again.
    const reason = isAway && this.bars.count > 0 ? undefined : error.message;
    this.#set({ ...this.#state, status: isAway ? 'lost' : 'refused', reason });
    if (isAway) this.#timer = setTimeout(() => void again(), AGAIN_MS);
    else this.#stream?.close();
  }

  #follow(): void {
    const { symbol, timeframe: interval } = this.#options;
    this.#stream = new MarketStream({
      ...{ symbol, interval },
      onBar: (bar) => (this.#early === undefined ? this.#put([bar]) : void this.#early.set(bar.time, bar)),
      onState: (state) => {
        // Of two at once, the first that ended would let live bars in before what the other still brings.
        this.#catching?.abort();
        clearTimeout(this.#timer);
        if (state === 'lost') this.#set({ ...this.#state, status: 'lost' });
        else void this.#catchUp();
      },
    });
  }

  /** What came while nobody listened, page by page; one that fails leaves those before it. */
  async #catchUp(): Promise<void> {
    this.#early ??= new Map();
    this.#catching = new AbortController();
    const { signal } = this.#catching;
    let from: number | null | undefined = this.bars.last?.time ?? this.#pastMs;
    try {
      do {
        const query = { limit: String(MORE_BARS), ...(from !== undefined && { from: String(from) }) };
        const page: Bars = await this.#ask(query, signal);
        this.#put(page.bars);
        from = page.next;
      } while (from !== null);
      this.#put([...this.#early.values()]);
      this.#early = undefined;
      this.#set({ ...this.#state, status: 'live', reason: undefined });
    } catch (error) {
      if (!signal.aborted) this.#fail(error, () => this.#catchUp());
    }
  }

  #put(bars: readonly StreamBar[]): void {
    let last: StreamBar | undefined;
    for (const bar of bars) if (this.bars.put(bar)) last = bar;
    if (last === undefined) return;
    this.isLastClosed = last.closed;
    this.#options.onLast(last);
  }

  /** So many places for bars before a moment, or before now, page by page. */
  async #load(wanted: number, beforeMs?: number): Promise<Found> {
    const loading = new AbortController();
    this.#loading = loading;
    let found: Found = { bars: [] };
    let toMs = beforeMs;
    try {
      for (let asked = 0; asked < wanted && !this.#hasAll; asked += PAGE_BARS) {
        this.#set({ ...this.#state, loading: { count: asked, of: wanted } });
        const query = { limit: String(PAGE_BARS), ...(toMs !== undefined && { to: String(toMs) }) };
        const page = await this.#ask(query, loading.signal);
        found = { ...page, bars: [...page.bars, ...found.bars] };
        // Where nobody traded for long a page has gaps alone, and there may be bars before them.
        const starts = [page.bars[0]?.time, page.gaps[0]?.from].filter((startMs) => startMs !== undefined);
        this.#hasAll = starts.length === 0;
        if (!this.#hasAll) this.#pastMs = toMs = Math.min(...starts);
      }
    } catch (error) {
      // What has come is shown, whether somebody stopped it or a page was refused; whoever wants the others asks again.
      if (this.#end.signal.aborted || (found.bars.length === 0 && !loading.signal.aborted)) throw error;
    } finally {
      this.#set({ ...this.#state, loading: undefined });
    }
    return found;
  }

  async #ask(query: Readonly<Record<string, string>>, givenUp: AbortSignal): Promise<Bars> {
    const { symbol, timeframe } = this.#options;
    const path = `/bars?${new URLSearchParams({ symbol, timeframe, ...query })}`;
    const signal = AbortSignal.any([this.#end.signal, givenUp]);
    const { result } = await ask<Result<Bars>>(path, { signal, withinMs: BARS_WITHIN_MS });
    // It may have been given up when all of the answer was there already.
    signal.throwIfAborted();
    return result;
  }

  #set(state: FeedState): void {
    this.#state = state;
    if (!this.#end.signal.aborted) this.#options.onState(state);
  }
}
