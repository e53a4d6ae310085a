// What there is to see of parameter searches, in Redis: one hash for each, which Redis throws away when its time is over.

import type { SearchJob } from '../../../library/search/search-jobs.ts';
import type { SearchStore } from '../../../library/search/shared-searches.ts';
import { connectRedis, type RedisConnection, type RedisConnectionOptions, redisScript } from './connect.ts';

export interface OpenedSearches extends SearchStore {
  close(): Promise<void>;
}

/** Longer texts would keep Redis from everything else. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/** Redis may have thrown it away since it was looked at: nothing is made that nobody would remove again. KEYS: the search. ARGV: its owner. */
const ASK_FOR_END = redisScript(`
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then redis.call('HSET', KEYS[1], 'end', '1') end
return 1`);

/** KEYS: the search. ARGV: its owner, for how long that is remembered. */
const FORGET = redisScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'forgotten', '1')
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

export async function openSearches(options: RedisConnectionOptions): Promise<OpenedSearches> {
  const connection = await connectRedis(options);
  return { ...searchesOver(connection), close: () => connection.close() };
}

const searchesOver = ({ run, script }: RedisConnection): SearchStore => ({
  async put(owner, job, lifeMs) {
    const { result, ...head } = small(job);
    const key = keyOf(job.id);
    return run(async (redis) => {
      const step = redis.multi().hset(key, { owner, head: JSON.stringify(head) });
      if (result !== null) step.hset(key, { result: Buffer.from(result) });
      const answers = await step.pexpire(key, lifeMs).hget(key, 'end').exec();
      for (const [error] of answers ?? []) if (error !== null) throw error;
      return answers?.at(-1)?.[1] === '1';
    });
  },
  async find(owner, id) {
    const fields = await run((redis) => redis.hmgetBuffer(keyOf(id), 'owner', 'head', 'result'));
    const [ownerIn, head, result] = fields;
    if (ownerIn?.toString() !== owner || !head) return undefined;
    return { ...(JSON.parse(head.toString()) as Omit<SearchJob, 'result'>), result: result ?? null };
  },
  askForEnd: async (owner, id) => void (await script(ASK_FOR_END, [keyOf(id)], [owner])),
  forget: async (owner, id, lifeMs) => void (await script(FORGET, [keyOf(id)], [owner, lifeMs])),
  isForgotten: async (owner, id) => {
    const [ownerIn, forgotten] = await run((redis) => redis.hmget(keyOf(id), 'owner', 'forgotten'));
    return ownerIn === owner && forgotten === '1';
  },
});

const keyOf = (id: string): string => `search:${id}`;

function small({ id, state, startedAtMs, endedAtMs, progress, best, result, failure }: SearchJob): SearchJob {
  const head = { id, state, startedAtMs, endedAtMs, progress, best };
  if (result === null || result.length <= MAX_RESULT_BYTES) return { ...head, result, failure };
  const size = `${Math.ceil(result.length / MEBIBYTE)} MB`;
  const tooLarge = `its result of ${size} is too large to be shared; ask the instance that began it, or search fewer windows`;
  return { ...head, result: null, failure: tooLarge };
}
