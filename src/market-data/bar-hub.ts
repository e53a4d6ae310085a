// The hub of live bars: one upstream per market and timeframe, however many listen, and each of them hears every bar once.

import type { Timers } from '../timing/timers.ts';
import type { BarArchive } from './bar-archive.ts';
import { BarChannel } from './bar-channel.ts';
import { type BarFeed, type FeedListener, FeedRefusal, type FeedState, type LiveBar } from './bar-feed.ts';
import { baseTimeframe, createLargerBars } from './larger-bars.ts';

/** Each costs the venue a stream, of which it allows one address about 200; paper trading needs some of them too. */
const MAX_CHANNELS = 150;
const MAX_LISTENERS = 10_000;
/** A page that is loaded again finds its market still there. */
const LINGER_MS = 30_000;

/** `market`, `timeframe`: the venue has none such. `full`: too many are followed already; try again later. */
export type RefusalKind = 'market' | 'timeframe' | 'full';

export interface HubListener {
  /** The state at once, then each change. While it is `reconnecting` nothing newer is passed on. */
  onState(state: FeedState, reason?: string): void;
  /** The forming bar as it changes; each closed bar exactly once, in order of time, without gaps. */
  onBar(bar: LiveBar): void;
  /** At most once; nothing follows it. */
  onRefused?(kind: RefusalKind, message: string): void;
}

export interface BarHubOptions {
  readonly feed: BarFeed;
  readonly archive: BarArchive;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly log: { warn(fields: object, message: string): void };
  readonly maxChannels?: number;
  readonly maxListeners?: number;
  readonly lingerMs?: number;
}

export interface BarHub {
  readonly label: BarFeed['label'];
  /** Calls back later only, never before it has returned. A listener that throws is heard of in the log, by nobody else. */
  follow(market: string, timeframeMs: number, listener: HubListener): { close(): void };
  /** What is followed upstream, and by how many. */
  readonly size: { readonly channels: number; readonly listeners: number };
  close(): void;
}

/** One upstream and everybody who listens to it. */
interface Broadcast {
  readonly key: string;
  readonly channel: BarChannel;
  /** Listeners but for the hub itself. What is followed only because larger bars are made of it does not count against the limit. */
  outside: number;
  listeners: readonly HubListener[];
  callOffEnd: (() => void) | undefined;
}

export const createBarHub = (options: BarHubOptions): BarHub => new Hub(options);

class Hub implements BarHub {
  readonly #options: BarHubOptions;
  readonly #broadcasts = new Map<string, Broadcast>();
  #listeners = 0;
  #isClosed = false;

  constructor(options: BarHubOptions) {
    this.#options = options;
  }

  get label(): BarFeed['label'] {
    return this.#options.feed.label;
  }

  get size(): BarHub['size'] {
    return { channels: this.#broadcasts.size, listeners: this.#listeners };
  }

  follow(market: string, timeframeMs: number, listener: HubListener): { close(): void } {
    const fault = this.#faultOf(keyOf(market, timeframeMs), timeframeMs);
    if (fault !== undefined) {
      queueMicrotask(() => this.#tell(listener, (to) => to.onRefused?.(...fault)));
      return { close: () => {} };
    }
    this.#listeners += 1;
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) this.#listeners -= 1;
      isCounted = false;
    };
    const joined = this.#join(market, timeframeMs, false, {
      onState: (state, reason) => listener.onState(state, reason),
      onBar: (bar) => listener.onBar(bar),
      onRefused(kind, message) {
        leave();
        listener.onRefused?.(kind, message);
      },
    });
    return {
      close() {
        leave();
        joined.close();
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const broadcast of [...this.#broadcasts.values()]) this.#end(broadcast);
  }

  #faultOf(key: string, timeframeMs: number): [RefusalKind, string] | undefined {
    const { feed, maxListeners = MAX_LISTENERS } = this.#options;
    if (this.#isClosed) return ['full', 'Signalbox is about to stop; try again after its start'];
    if (baseTimeframe(feed.timeframesMs, timeframeMs) === undefined)
      return ['timeframe', `${feed.label} has no bars of this timeframe, and none that it can be made of`];
    if (this.#listeners >= maxListeners) return ['full', 'too many listen to live bars already; try again later'];
    if (!this.#broadcasts.has(key) && !this.#makeRoom())
      return ['full', 'too many markets are followed already; try again later'];
    return undefined;
  }

  /** A new market may take the place of one that nobody listens to any more. */
  #makeRoom(): boolean {
    const { maxChannels = MAX_CHANNELS } = this.#options;
    const broadcasts = [...this.#broadcasts.values()];
    const idle = broadcasts.find((broadcast) => broadcast.listeners.length === 0);
    const counted = broadcasts.filter((broadcast) => broadcast.outside > 0 || broadcast.listeners.length === 0);
    if (counted.length < maxChannels) return true;
    if (idle === undefined) return false;
    this.#end(idle);
    return true;
  }

  #join(market: string, timeframeMs: number, isBase: boolean, listener: HubListener): { close(): void } {
    const { timers, lingerMs = LINGER_MS } = this.#options;
    const broadcast = this.#broadcasts.get(keyOf(market, timeframeMs)) ?? this.#openBroadcast(market, timeframeMs);
    if (!isBase) broadcast.outside += 1;
    broadcast.callOffEnd?.();
    broadcast.callOffEnd = undefined;
    let hears: 'nothing yet' | 'everything' | 'nothing more' = 'nothing yet';
    const own: HubListener = {
      onState: (state, reason) => hears === 'everything' && listener.onState(state, reason),
      onBar: (bar) => hears === 'everything' && listener.onBar(bar),
      onRefused: (kind, message) => hears !== 'nothing more' && listener.onRefused?.(kind, message),
    };
    broadcast.listeners = [...broadcast.listeners, own];
    queueMicrotask(() => {
      if (hears !== 'nothing yet' || !this.#isOpen(broadcast)) return;
      hears = 'everything';
      this.#greet(own, broadcast.channel);
    });
    return {
      close: () => {
        if (hears === 'nothing more') return;
        hears = 'nothing more';
        if (!isBase) broadcast.outside -= 1;
        broadcast.listeners = broadcast.listeners.filter((other) => other !== own);
        if (broadcast.listeners.length > 0 || !this.#isOpen(broadcast)) return;
        broadcast.callOffEnd?.();
        broadcast.callOffEnd = timers.after(lingerMs, () => this.#end(broadcast));
      },
    };
  }

  #greet(listener: HubListener, { state, reason, forming }: BarChannel): void {
    this.#tell(listener, (to) => to.onState(state, reason));
    if (forming !== undefined) this.#tell(listener, (to) => to.onBar(forming));
  }

  #openBroadcast(market: string, timeframeMs: number): Broadcast {
    const { archive, nowMs, timers, random, log } = this.#options;
    const channel = new BarChannel({
      timeframeMs,
      nowMs,
      timers,
      random,
      history: (fromMs, toMs) => archive.bars(market, timeframeMs, fromMs, toMs),
      keep: (bar) => archive.keep(market, timeframeMs, bar),
      follow: (listener) => this.#followUpstream(market, timeframeMs, listener),
      onState: (state, reason) => this.#tellAll(broadcast, (listener) => listener.onState(state, reason)),
      onBar: (bar) => this.#tellAll(broadcast, (listener) => listener.onBar(bar)),
      onRefused: (refusal) => {
        this.#end(broadcast);
        const kind = refusal instanceof FeedRefusal ? 'market' : 'full';
        this.#tellAll(broadcast, (listener) => listener.onRefused?.(kind, refusal.message));
      },
      warn: (fields, message) => log.warn({ ...fields, market, timeframeMs }, message),
    });
    const key = keyOf(market, timeframeMs);
    const broadcast: Broadcast = { key, channel, outside: 0, listeners: [], callOffEnd: undefined };
    this.#broadcasts.set(key, broadcast);
    channel.open();
    return broadcast;
  }

  /** The venue's own stream, or, for a timeframe it has not, one made of a smaller one that this hub follows. */
  #followUpstream(market: string, timeframeMs: number, listener: FeedListener): { close(): void } {
    const { feed, archive } = this.#options;
    const baseMs = baseTimeframe(feed.timeframesMs, timeframeMs);
    if (baseMs === undefined || baseMs === timeframeMs) return feed.follow(market, timeframeMs, listener);
    const onBar = createLargerBars({
      timeframeMs,
      baseMs,
      history: (fromMs, toMs) => archive.bars(market, baseMs, fromMs, toMs),
      onBar: (bar) => listener.onBar(bar),
    });
    // Whether there is such a market is told by its history, which the larger bars ask for too.
    return this.#join(market, baseMs, true, { onState: (state, reason) => listener.onState(state, reason), onBar });
  }

  #isOpen(broadcast: Broadcast): boolean {
    return this.#broadcasts.get(broadcast.key) === broadcast;
  }

  #end(broadcast: Broadcast): void {
    broadcast.callOffEnd?.();
    if (this.#isOpen(broadcast)) this.#broadcasts.delete(broadcast.key);
    broadcast.channel.close();
  }

  #tellAll(broadcast: Broadcast, call: (listener: HubListener) => void): void {
    for (const listener of broadcast.listeners) this.#tell(listener, call);
  }

  #tell(listener: HubListener, call: (listener: HubListener) => void): void {
    try {
      call(listener);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a listener of live bars failed; the others were served');
    }
  }
}

const keyOf = (market: string, timeframeMs: number): string => `${market} ${timeframeMs}`;
