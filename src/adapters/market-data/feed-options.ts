// What every venue's feed is built from: addresses, clocks, chance, a log, and its waits in one table.

import type { Backoff } from '../../timing/backoff.ts';
import type { ConnectPace } from '../connect-gate.ts';
import type { HostSilences } from '../host-silences.ts';
import type { StreamPace } from '../stream-follower.ts';

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
  /** Nobody wants volumes: where the venue is sparing with its list of contracts, its list of prices takes its place. */
  readonly pricesOnly?: boolean;
  /** Shared with whoever else asks the same hosts; its own when left out. */
  readonly silences?: HostSilences;
  readonly fetch?: typeof globalThis.fetch;
  readonly log: FeedLog;
  /** Tests wait less. */
  readonly pacing?: Partial<Pacing>;
}

export interface Pacing extends StreamPace, ConnectPace {
  /** One request; a venue that works answers within a second. */
  readonly requestTimeoutMs: number;
  /** All tries of one request, waits included: past it the caller hears that the venue cannot be reached. */
  readonly askBudgetMs: number;
  /** Between the tries of one request. */
  readonly retry: Backoff;
  /** Pings are answered but no bar comes: the subscription may be lost, so it is made anew. */
  readonly barSilenceMs: number;
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
