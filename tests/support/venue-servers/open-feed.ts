// A venue's local server and a feed on it, with waits short enough for tests and everything the feed said noted.

import { createFeed as createBinanceFeed } from '../../../src/adapters/market-data/binance/feed.ts';
import { createFeed as createBybitFeed } from '../../../src/adapters/market-data/bybit/feed.ts';
import type { Pacing } from '../../../src/adapters/market-data/feed-options.ts';
import { createFeed as createMexcFeed } from '../../../src/adapters/market-data/mexc/feed.ts';
import type { VenueFeed } from '../../../src/adapters/market-data/venue-feed.ts';
import type { FeedListener, FeedState, LiveBar } from '../../../src/market-data/bar-feed.ts';
import { startBinance } from './binance-server.ts';
import { startBybit } from './bybit-server.ts';
import { startMexc } from './mexc-server.ts';
import type { VenueServer } from './venue-server.ts';

export const VENUES = {
  binance: { start: startBinance, create: createBinanceFeed, klines: '/klines', maxPage: 1000 },
  bybit: { start: startBybit, create: createBybitFeed, klines: '/kline', maxPage: 1000 },
  mexc: { start: startMexc, create: createMexcFeed, klines: '/kline', maxPage: 2000 },
} as const;
export type VenueName = keyof typeof VENUES;
export const VENUE_NAMES = Object.keys(VENUES) as VenueName[];

/** A Wednesday, half a minute past noon. */
export const NOON_MS = Date.UTC(2026, 0, 7, 12);
export const START_MS = NOON_MS + 30_000;

/** Pauses are short; patience is long, because a busy machine may be slow. A test of patience shortens its own. */
const QUICK: Partial<Pacing> = {
  requestTimeoutMs: 5_000,
  askBudgetMs: 20_000,
  retry: { firstMs: 10, longestMs: 40 },
  connectTimeoutMs: 5_000,
  pingEveryMs: 40,
  deadAfterMs: 5_000,
  barSilenceMs: 10_000,
  reconnect: { firstMs: 20, longestMs: 100 },
  stableAfterMs: 200,
  refusedRetryMs: 200,
  connectBurst: 50,
  connectEveryMs: 20,
  confirmDelayMs: 20,
  closeGraceMs: 50,
};

export interface OpenFeed {
  readonly server: VenueServer;
  readonly feed: VenueFeed;
  readonly logs: { readonly fields: Record<string, unknown>; readonly message: string }[];
  readonly clock: { nowMs(): number; advance(ms: number): void };
  close(): Promise<void>;
}

export async function openFeed(name: VenueName, pacing: Partial<Pacing> = {}): Promise<OpenFeed> {
  const startedMs = performance.now();
  let aheadMs = 0;
  const nowMs = (): number => Math.floor(START_MS + performance.now() - startedMs + aheadMs);
  const server = await VENUES[name].start(nowMs);
  const logs: OpenFeed['logs'] = [];
  const note = (fields: object, message: string): void =>
    void logs.push({ fields: fields as Record<string, unknown>, message });
  const feed = VENUES[name].create({
    restUrl: server.restUrl,
    wsUrl: server.wsUrl,
    nowMs,
    monotonicMs: () => performance.now(),
    random: () => 0.5,
    log: { info: note, warn: note },
    pacing: { ...QUICK, ...pacing },
  });
  const advance = (ms: number): void => {
    aheadMs += ms;
  };
  return {
    server,
    feed,
    logs,
    clock: { nowMs, advance },
    async close() {
      feed.close();
      await server.close();
    },
  };
}

export interface Ear extends FeedListener {
  readonly bars: LiveBar[];
  readonly states: FeedState[];
  readonly reasons: string[];
}

/** A listener that remembers. */
export function createEar(): Ear {
  const ear: Ear = {
    bars: [],
    states: [],
    reasons: [],
    onBar: (bar) => void ear.bars.push(bar),
    onState(state, reason) {
      ear.states.push(state);
      if (reason !== undefined) ear.reasons.push(reason);
    },
  };
  return ear;
}

/** Waits until it holds; says what was waited for when it never does. */
export async function until(what: string, holds: () => boolean, timeoutMs = 20_000): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
