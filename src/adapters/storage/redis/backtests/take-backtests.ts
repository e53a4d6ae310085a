// Takes backtests out of the queue in Redis and runs them on the threads of this process.

import { Worker } from 'bullmq';
import type { BacktestMarket, BacktestRunner } from '../../../../library/backtest-runner.ts';
import type { Caller } from '../../../../library/caller.ts';
import { connectRedis } from '../connect.ts';
import {
  closePart,
  DEFAULT_PREFIX,
  marketsKey,
  packed,
  QUEUE_NAME,
  type QueueAddress,
  type QueuedJob,
  type QueuedOutcome,
  type QueuedRequest,
  queueConnection,
  unpacked,
  workerName,
} from './backtest-queue.ts';
import { unpackMarkets } from './packed-markets.ts';

export interface TakeBacktestsOptions extends QueueAddress {
  readonly runner: Pick<BacktestRunner, 'backtests'>;
  /** How many jobs at once. */
  readonly threads: number;
  /** In whose share of the threads a job runs; undefined where nobody else uses them. */
  readonly callerOf: (asked: Caller | undefined) => Caller | undefined;
  readonly onFault: (error: Error) => void;
}

/** A process that is not heard of for so long has died with what it was at. */
const LOCK_MS = 6_000;
const LOOK_FOR_DEAD_MS = 3_000;
/** A job that takes its process down again and again is given back to whoever asked. */
const MAX_DEATHS = 2;
/** Less than a service manager waits for a process that it stops. */
const FINISH_MS = 30_000;
/** Searches at the same time, each with its markets. */
const MAX_KEPT_MARKETS = 4;

export interface BacktestTaker {
  /** How many jobs it has done. */
  done(): number;
  /** Takes nothing more, and finishes what it is at, but for half a minute at most: then another process takes it up. */
  close(): Promise<void>;
}

export async function takeBacktests(options: TakeBacktestsOptions): Promise<BacktestTaker> {
  const { url, prefix = DEFAULT_PREFIX, runner, threads, callerOf, onFault } = options;
  const redis = await connectRedis({ url, prefix: `${prefix}:` });
  const closed = new AbortController();
  let done = 0;
  const kept = new Map<string, Promise<readonly BacktestMarket[] | undefined>>();

  const fetchMarkets = async (digest: string): Promise<readonly BacktestMarket[] | undefined> => {
    const bytes = await redis.run((client) => client.getBuffer(marketsKey(digest)));
    return bytes === null ? undefined : unpackMarkets(bytes);
  };
  const marketsOf = async (digest: string): Promise<readonly BacktestMarket[] | undefined> => {
    const found = kept.get(digest) ?? fetchMarkets(digest);
    kept.delete(digest);
    kept.set(digest, found);
    for (const oldest of kept.keys()) if (kept.size > MAX_KEPT_MARKETS) kept.delete(oldest);
    const markets = await found.catch(() => undefined);
    if (markets === undefined) kept.delete(digest);
    return found;
  };

  const worker = new Worker<QueuedJob, string>(
    QUEUE_NAME,
    async ({ data }) => {
      const markets = await marketsOf(data.markets);
      const { caller, ...request } = unpacked<QueuedRequest>(data.request);
      const asked = callerOf(caller);
      const outcome: QueuedOutcome =
        markets === undefined
          ? { kind: 'no-markets' }
          : await runner.backtests({ ...request, markets, ...(asked && { caller: asked }) });
      // This process stops, not the search: another one takes the job.
      if (outcome.kind === 'canceled') throw new Error(outcome.reason);
      done += 1;
      return packed(outcome);
    },
    {
      ...{ connection: queueConnection(url, closed.signal), prefix, name: workerName(threads), concurrency: threads },
      ...{ lockDuration: LOCK_MS, stalledInterval: LOOK_FOR_DEAD_MS, maxStalledCount: MAX_DEATHS },
    },
  );
  worker.on('error', onFault);
  return {
    done: () => done,
    async close() {
      closed.abort();
      const isThere = await redis.probe().then(
        () => true,
        () => false,
      );
      await closePart(worker, isThere ? FINISH_MS : undefined);
      await redis.close();
    },
  };
}
