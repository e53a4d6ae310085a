// One connection to Redis that fails fast and mends itself: what cannot be answered now is rejected, never queued, and
// never sent twice, because nobody knows what became of the first time.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { StorageError } from '../../../errors/storage-error.ts';
import { backoffMs } from '../../../timing/backoff.ts';
import { readRedisAddress } from './redis-address.ts';
import { isMissingScript, isWrongDatabase, redisFault, wrongDatabase } from './redis-faults.ts';

/** Shorter than a charting platform's patience (3 s), so that whoever waits still gets an answer. */
const ANSWER_TIMEOUT_MS = 2000;
/** A Redis that comes back is noticed within the longest of these pauses. */
const RETRY = { firstMs: 100, longestMs: 1000 };
const CLOSE_TIMEOUT_MS = 1000;
const HEARTBEAT = 'heartbeat';
const HEARTBEAT_LIFE_S = 60;
/** Everything of ours in a Redis that others may use too begins with this. */
export const PREFIX = 'signalbox:';

export interface RedisConnectionOptions {
  readonly url: string;
  readonly prefix?: string;
  /** Certificate of an authority to trust besides those of the system, for rediss. */
  readonly ca?: string;
  /** Told once when the connection is lost, with the reason, and with undefined when it is back. */
  readonly onState?: (fault: StorageError | undefined) => void;
  /** Told what comes on the channels that this connection has subscribed to. */
  readonly onMessage?: (channel: string, text: string) => void;
}

/** A script that Redis runs as one step. */
export interface RedisScript {
  readonly lua: string;
  readonly sha: string;
}

export interface RedisConnection {
  readonly where: string;
  /** Runs the work; rejects with StorageError, at the latest after two seconds. */
  run<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
  /** The same for one script. It may have run even when this rejects: an answer can be lost on its way. */
  script(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Really writes and reads. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

export const redisScript = (lua: string): RedisScript => ({
  lua,
  sha: createHash('sha1').update(lua).digest('hex'),
});

/** Resolves after the first attempt, whatever came of it: calls are rejected until Redis is there. Throws only for a wrong address. */
export async function connectRedis(options: RedisConnectionOptions): Promise<RedisConnection> {
  const { where, ...address } = readRedisAddress(options.url);
  const redis = new Redis({
    host: address.host,
    port: address.port,
    db: address.database,
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    ...(address.isTls ? { tls: options.ca === undefined ? {} : { ca: options.ca } } : {}),
    keyPrefix: options.prefix ?? PREFIX,
    connectionName: 'signalbox',
    lazyConnect: true,
    enableOfflineQueue: false,
    // It needs a permission of its own; a Redis that still loads its data says so by itself.
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_TIMEOUT_MS,
    commandTimeout: ANSWER_TIMEOUT_MS,
    // A peer that vanished without a word: without this the dead socket would be asked again and again.
    socketTimeout: ANSWER_TIMEOUT_MS,
    retryStrategy: (attempt) => backoffMs(RETRY, attempt),
    // After a failover the old primary answers so; the name in the address may lead to the new one by now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  if (options.onMessage) redis.on('message', options.onMessage);
  const watched = watch(redis, where, options.onState);
  await redis.connect().catch(() => undefined);
  return connectionOver(redis, where, watched);
}

interface Watch {
  /** Why the connection cannot be used now; undefined when it can. */
  fault(): StorageError | undefined;
  /** What happens from now on is our own doing. */
  stop(): void;
}

function watch(redis: Redis, where: string, onState: RedisConnectionOptions['onState'] = () => undefined): Watch {
  let reason: StorageError | undefined;
  let isWrong = false;
  let isTold = false;
  let isStopped = false;
  const fault = (): StorageError | undefined => {
    if (redis.status === 'ready' && !isWrong) return undefined;
    return reason ?? redisFault(where, new Error('the connection is closed'));
  };
  const tell = (): void => {
    const now = fault();
    if (isStopped || isTold === (now !== undefined)) return;
    isTold = now !== undefined;
    onState(now);
  };
  redis.on('connect', () => {
    isWrong = false;
  });
  redis.on('error', (error: unknown) => {
    isWrong ||= isWrongDatabase(error);
    reason = isWrong ? wrongDatabase(where) : redisFault(where, error);
  });
  redis.on('ready', () => {
    if (!isWrong) reason = undefined;
    tell();
  });
  redis.on('close', tell);
  return {
    fault,
    stop: () => {
      isStopped = true;
    },
  };
}

function connectionOver(redis: Redis, where: string, { fault, stop }: Watch): RedisConnection {
  let closed = false;
  async function run<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    if (closed) throw new StorageError(`the connection to Redis at ${where} is closed; start Signalbox again`);
    const known = fault();
    if (known !== undefined) throw known;
    try {
      return await work(redis);
    } catch (error) {
      throw redisFault(where, error, fault());
    }
  }
  return {
    where,
    run,
    script: ({ sha, lua }, keys, args) =>
      run(async () => {
        try {
          return await redis.evalsha(sha, keys.length, ...keys, ...args);
        } catch (error) {
          // Nothing has run then: a Redis that was restarted has forgotten its scripts.
          if (!isMissingScript(error)) throw error;
          return redis.eval(lua, keys.length, ...keys, ...args);
        }
      }),
    async probe() {
      const beat = await run(async () => {
        await redis.set(HEARTBEAT, '1', 'EX', HEARTBEAT_LIFE_S);
        return redis.get(HEARTBEAT);
      });
      if (beat !== '1') throw new StorageError(`Redis at ${where} does not keep what it is given; look at its log`);
    },
    async close() {
      if (closed) return;
      closed = true;
      stop();
      const ended =
        redis.status === 'ready'
          ? once(redis, 'end', { signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS) }).catch(() => undefined)
          : undefined;
      redis.disconnect();
      await ended;
    },
  };
}
