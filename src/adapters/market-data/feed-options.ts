// What every venue's feed is built from: addresses, clocks, chance, a log, and its waits in one table.

import type { Backoff } from '../../timing/backoff.ts';

export interface FeedLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface FeedOptions {
  /** The venue's own when left out. */
  readonly restUrl?: string;
  readonly wsUrl?: string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** From 0 up to, but not including, 1: spreads retries so that many clients do not come back at one moment. */
  readonly random: () => number;
  readonly fetch?: typeof globalThis.fetch;
  readonly log: FeedLog;
  /** Tests wait less. */
  readonly pacing?: Partial<Pacing>;
}

export interface Pacing {
  /** One request; a venue that works answers within a second. */
  readonly requestTimeoutMs: number;
  /** All tries of one request, waits included: past it the caller hears that the venue cannot be reached. */
  readonly askBudgetMs: number;
  /** Between the tries of one request. */
  readonly retry: Backoff;
  /** From opening the socket to the first word that bars will come. */
  readonly connectTimeoutMs: number;
  /** MEXC hangs up after 60 s without one, Bybit asks for one every 20 s. */
  readonly pingEveryMs: number;
  /** No sign of life at all, two pings long: the connection is dead whatever the operating system believes. */
  readonly deadAfterMs: number;
  /** Pings are answered but no bar comes: the subscription may be lost, so it is made anew. */
  readonly barSilenceMs: number;
  /** Between connections. */
  readonly reconnect: Backoff;
  /** A connection that lived this long was a good one: the waits start small again. */
  readonly stableAfterMs: number;
  /** A market the venue does not have is asked about this seldom: it may be listed one day. */
  readonly refusedRetryMs: number;
  /** Connections at once, then one each so often: venues ban addresses past 300 in five minutes. */
  readonly connectBurst: number;
  readonly connectEveryMs: number;
  /** Between the end of a bar and asking for its final values: venues write them a moment later. */
  readonly confirmDelayMs: number;
  /** A bar that ended this long ago, by the venue's clock, without a word about it, is asked for. */
  readonly closeGraceMs: number;
}

const USUAL: Pacing = {
  requestTimeoutMs: 5_000,
  askBudgetMs: 15_000,
  retry: { firstMs: 300, longestMs: 1_200 },
  connectTimeoutMs: 10_000,
  pingEveryMs: 15_000,
  deadAfterMs: 40_000,
  barSilenceMs: 300_000,
  reconnect: { firstMs: 500, longestMs: 30_000 },
  stableAfterMs: 30_000,
  refusedRetryMs: 60_000,
  connectBurst: 20,
  connectEveryMs: 1_500,
  confirmDelayMs: 700,
  closeGraceMs: 3_000,
};

export const pacingOf = ({ pacing }: FeedOptions): Pacing => ({ ...USUAL, ...pacing });
