// What those who ask for backtests and those who run them have in common: the queue in Redis, and how a job looks in it.
//
//   POST /optimize → SpreadBacktests ─→ a job of some backtests in Redis ─→ takeBacktests, in any process that shares it
//                         └──────────── markets, once, by their digest ──────────┘
//
// Progress, retries and jobs whose process died are the queue's own (BullMQ). A backtest changes nothing anywhere, so that one
// that runs twice does no harm: whoever asked takes the first answer.

import { deserialize, serialize } from 'node:v8';
import type { RedisOptions } from 'bullmq';
import type { Backtested, BacktestsRequest } from '../../../../library/backtest-runner.ts';
import type { Refused, Stopped } from '../../../../library/script-runner.ts';
import { backoffMs } from '../../../../timing/backoff.ts';
import { backgroundTimers } from '../../../../timing/timers.ts';
import { withTimeout } from '../../../../timing/with-timeout.ts';
import { readRedisAddress } from '../redis-address.ts';

export interface QueueAddress {
  readonly url: string;
  /** What the names of everything in Redis begin with. */
  readonly prefix?: string;
}

export const QUEUE_NAME = 'backtests';
export const DEFAULT_PREFIX = 'signalbox';
/** Longer than any search. */
export const MARKETS_LIFE_S = 60 * 60;
const RETRY = { firstMs: 100, longestMs: 1000 };

/** In Redis, as text. */
export interface QueuedJob {
  /** The digest of its markets. */
  readonly markets: string;
  /** Everything else, packed. */
  readonly request: string;
}

export type QueuedRequest = Omit<BacktestsRequest, 'markets' | 'signal'>;

/** The markets may be gone: a Redis that is short of memory, or was emptied. */
export type QueuedOutcome = Backtested | Refused | Stopped | { readonly kind: 'no-markets' };

export const marketsKey = (digest: string): string => `backtest-markets:${digest}`;

/** Figures may be no numbers, which JSON does not know. */
export const packed = (value: QueuedRequest | QueuedOutcome): string => serialize(value).toString('base64');
export const unpacked = <T extends QueuedRequest | QueuedOutcome>(text: string): T =>
  deserialize(Buffer.from(text, 'base64')) as T;

/** How BullMQ connects: it waits for Redis as long as it takes, until the signal says that nobody needs it any more. */
export function queueConnection(url: string, closed: AbortSignal): RedisOptions {
  const { host, port, database, username, password, isTls } = readRedisAddress(url);
  return {
    ...{ host, port, db: database, maxRetriesPerRequest: null, enableReadyCheck: false },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: {} } : {}),
    retryStrategy: (attempt) => (closed.aborted ? null : backoffMs(RETRY, attempt)),
  };
}

const GOODBYE_MS = 1000;

/** A Redis that is away cannot be told goodbye. */
export const closePart = (part: { close(): Promise<void> }, limitMs = GOODBYE_MS): Promise<void> =>
  withTimeout(part.close(), limitMs, () => undefined, backgroundTimers).catch(() => undefined);

const THREADS_NAME = /:w:(\d+)-threads$/;

/** Workers say in their name how many jobs they run at once; Redis lists the names of all that are connected. */
export const workerName = (threads: number): string => `${threads}-threads`;
export const threadsIn = (workerNames: readonly string[]): number =>
  workerNames.reduce((sum, name) => sum + Number(THREADS_NAME.exec(name)?.[1] ?? 0), 0);
