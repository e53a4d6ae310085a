// Key values in Redis, for several processes: the value as it is under `api-keys:<name>`, and when each name ends in one sorted set.
//
// Our clock decides when a name ends, as in every other store, so that a clock which is wrong for a while ends nothing for
// good. Redis throws the value away by itself a day later. A value whose end is not in the set is as good as absent:
// deleting either of the two by hand ends a key at once.

import { StorageError } from '../../../errors/storage-error.ts';
import type { KeyValueStore } from '../../../keys/key-value-store.ts';
import { createCallsInFlight } from './calls-in-flight.ts';
import { type RedisConnection, redisScript } from './connect.ts';

/** Some 300 MB in Redis. */
const MAX_ENTRIES = 1_000_000;
const ENDS = 'api-keys-end';
const DAY_MS = 86_400_000;

const valueName = (name: string): string => `api-keys:${name}`;

/** KEYS: value, ends. ARGV: name, now. */
const GET = redisScript(`
local ends = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not ends or tonumber(ends) <= tonumber(ARGV[2]) then return false end
return redis.call('GET', KEYS[1])`);

/**
 * KEYS: value, ends. ARGV: name, value, now, end, life in Redis, the most names. What has ended is forgotten only when the
 * room is needed; Redis removes the values themselves in their time.
 */
const PUT = redisScript(`
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3])
  if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then return 'full' end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
return 'put'`);

/** KEYS: value, ends. ARGV: name. */
const DELETE = redisScript(`
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])`);

/** KEYS: ends. ARGV: now. A name that ends in this very millisecond has ended. */
const NAMES = redisScript(`return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')`);

export interface KeyValuesOptions {
  readonly connection: RedisConnection;
  readonly nowMs: () => number;
  readonly maxEntries?: number;
}

export function openKeyValues({ connection, nowMs, maxEntries = MAX_ENTRIES }: KeyValuesOptions): KeyValueStore {
  const { where, script } = connection;
  const { run, close } = createCallsInFlight(`the keys in Redis at ${where}`);

  async function get(name: string): Promise<string | undefined> {
    const value = (await script(GET, [valueName(name), ENDS], [name, nowMs()])) as string | null;
    return value ?? undefined;
  }

  async function put(name: string, value: string, ttlMs: number): Promise<void> {
    const now = nowMs();
    const args = [name, value, now, now + ttlMs, ttlMs + DAY_MS, maxEntries];
    const end = await script(PUT, [valueName(name), ENDS], args);
    if (end === 'full') throw new StorageError(`Redis at ${where} holds ${maxEntries} keys already; delete some`);
  }

  return {
    get: (name) => run(() => get(name)),
    put: (name, value, ttlMs) => run(() => put(name, value, ttlMs)),
    delete: (name) => run(async () => void (await script(DELETE, [valueName(name), ENDS], [name]))),
    names: () => run(async () => (await script(NAMES, [ENDS], [nowMs()])) as string[]),
    probe: () => run(connection.probe),
    close,
  };
}
