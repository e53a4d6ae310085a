// Backtests of a search spread over every process that takes them from the queue in Redis. Where Redis cannot be reached, does
// not know a job any more, or a job failed too often, the backtests run on the threads of this process, as without it.

import { Queue, QueueEvents } from 'bullmq';
import type {
  Backtested,
  BacktestMarket,
  BacktestRunner,
  BacktestsRequest,
  SpaceFound,
  SpaceRequest,
} from '../../../../library/backtest-runner.ts';
import type { Refused, Stopped } from '../../../../library/script-runner.ts';
import { connectRedis, type RedisConnection } from '../connect.ts';
import {
  closePart,
  DEFAULT_PREFIX,
  MARKETS_LIFE_S,
  marketsKey,
  packed,
  QUEUE_NAME,
  type QueueAddress,
  type QueuedJob,
  type QueuedOutcome,
  queueConnection,
  threadsIn,
  unpacked,
} from './backtest-queue.ts';
import { type PackedMarkets, packMarkets } from './packed-markets.ts';

export interface SpreadBacktestsOptions extends QueueAddress {
  readonly local: BacktestRunner;
  readonly onFault: (error: Error) => void;
}

/** An event that got lost is noticed after so long. */
const LOOK_AGAIN_MS = 2_000;
const COUNT_THREADS_EVERY_MS = 2_000;
/** More than this would keep Redis from everything else. */
const MAX_MARKET_BYTES = 64 * 1024 * 1024;
/** Each event holds the result of its job. */
const MAX_EVENTS = 100;
const KEPT_RESULTS_S = 60;

const JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'fixed', delay: 200 },
  removeOnComplete: { age: KEPT_RESULTS_S },
  removeOnFail: { age: KEPT_RESULTS_S },
};

type Outcome = Backtested | Refused | Stopped;

/** Undefined where this process has to run it itself. */
type Answer = QueuedOutcome | undefined;

export async function spreadBacktests(options: SpreadBacktestsOptions) {
  const { url, prefix = DEFAULT_PREFIX } = options;
  const redis = await connectRedis({ url, prefix: `${prefix}:` });
  return new SpreadBacktests(redis, options);
}

export class SpreadBacktests implements BacktestRunner {
  readonly #local: BacktestRunner;
  readonly #onFault: (error: Error) => void;
  readonly #redis: RedisConnection;
  readonly #queue: Queue<QueuedJob, string>;
  readonly #events: QueueEvents;
  /** Whoever waits for a job, by its id. */
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  /** By the list that a search hands over with each of its jobs. */
  readonly #packed = new WeakMap<readonly BacktestMarket[], PackedMarkets>();
  readonly #countTimer: NodeJS.Timeout;
  readonly #closed = new AbortController();
  #threadsElsewhere = 0;

  constructor(redis: RedisConnection, { url, prefix = DEFAULT_PREFIX, local, onFault }: SpreadBacktestsOptions) {
    this.#local = local;
    this.#onFault = onFault;
    this.#redis = redis;
    const connection = queueConnection(url, this.#closed.signal);
    this.#queue = new Queue(QUEUE_NAME, {
      // Whoever asks is not kept waiting for a Redis that is away.
      connection: { ...connection, enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: LOOK_AGAIN_MS },
      ...{ prefix, defaultJobOptions: JOB_OPTIONS, streams: { events: { maxLen: MAX_EVENTS } } },
    });
    this.#events = new QueueEvents(QUEUE_NAME, { connection, prefix });
    this.#queue.on('error', onFault);
    this.#events.on('error', onFault);
    this.#events.on('completed', ({ jobId, returnvalue }) => this.#tellResult(jobId, returnvalue));
    this.#events.on('failed', ({ jobId }) => this.#tell(jobId, undefined));
    this.#countTimer = setInterval(() => void this.countThreads(), COUNT_THREADS_EVERY_MS).unref();
  }

  /** One more than jobs are taken at once: a search leaves one thread to others. */
  get threads(): number {
    return Math.max(this.#local.threads, this.#threadsElsewhere + 1);
  }

  /** Looks how many jobs all processes together take at once. */
  async countThreads(): Promise<void> {
    const workers = await this.#queue.getWorkers().catch(() => []);
    this.#threadsElsewhere = threadsIn(workers.map(({ rawname = '' }) => rawname));
  }

  space(request: SpaceRequest): Promise<SpaceFound | Refused | Stopped> {
    return this.#local.space(request);
  }

  async backtests(request: BacktestsRequest): Promise<Outcome> {
    const { markets: list, signal, ...rest } = request;
    const markets = this.#packedOf(list);
    if (markets.bytes.length > MAX_MARKET_BYTES) return this.#local.backtests(request);
    for (const isAgain of [false, true]) {
      const answer = await this.#ask({ markets, isAgain, request: packed(rest) }, signal);
      if (answer === undefined) break;
      if (answer.kind !== 'no-markets') return answer;
    }
    return this.#local.backtests(request);
  }

  #packedOf(markets: readonly BacktestMarket[]): PackedMarkets {
    const known = this.#packed.get(markets) ?? packMarkets(markets);
    this.#packed.set(markets, known);
    return known;
  }

  async #ask(
    job: { markets: PackedMarkets; isAgain: boolean; request: string },
    signal?: AbortSignal,
  ): Promise<Answer> {
    try {
      if (signal?.aborted) return canceled(signal);
      await this.#keep(job.markets, job.isAgain);
      const added = await this.#queue.add('backtests', { markets: job.markets.digest, request: job.request });
      return await this.#answerTo(added.id!, signal);
    } catch {
      // Redis is away; what it has is looked at by nobody any more.
      return undefined;
    }
  }

  /** Only when it is not there: most jobs of a search run on what is. */
  async #keep({ digest, bytes }: PackedMarkets, isAgain: boolean): Promise<void> {
    const isThere = !isAgain && (await this.#redis.run((client) => client.expire(marketsKey(digest), MARKETS_LIFE_S)));
    if (!isThere) await this.#redis.run((client) => client.set(marketsKey(digest), bytes, 'EX', MARKETS_LIFE_S));
  }

  async #answerTo(id: string, signal: AbortSignal | undefined): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    const cancel = (): void => {
      resolve(canceled(signal));
      // One that runs already ends by itself, and nobody asks for what came of it.
      void this.#queue.remove(id).catch(() => undefined);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const again = setInterval(() => void this.#look(id), LOOK_AGAIN_MS);
    try {
      // It may have ended before anybody listened.
      void this.#look(id);
      return await promise;
    } finally {
      clearInterval(again);
      signal?.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
    }
  }

  async #look(id: string): Promise<void> {
    try {
      const job = await this.#queue.getJob(id);
      if (job === undefined || (await job.isFailed())) this.#tell(id, undefined);
      else if (job.returnvalue) this.#tell(id, unpacked(job.returnvalue));
    } catch {
      this.#tell(id, undefined);
    }
  }

  /** Every process hears of every job, and what others have asked for is large and theirs to read. */
  #tellResult(id: string, result: string): void {
    if (!this.#waiting.has(id)) return;
    try {
      this.#tell(id, unpacked(result));
    } catch (error) {
      this.#onFault(error as Error);
      this.#tell(id, undefined);
    }
  }

  #tell(id: string, answer: Answer): void {
    this.#waiting.get(id)?.(answer);
  }

  async close(): Promise<void> {
    clearInterval(this.#countTimer);
    for (const answer of this.#waiting.values()) answer(undefined);
    this.#closed.abort();
    await Promise.all([closePart(this.#queue), closePart(this.#events)]);
    await this.#redis.close();
  }
}

const canceled = (signal: AbortSignal | undefined): Stopped => ({ kind: 'canceled', reason: String(signal?.reason) });
