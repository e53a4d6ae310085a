// The rate limits of several processes, counted in one Redis by its clock: token buckets, and the entries of the last minute.
//
// A bucket is the text `tokens time` under `rate:<bucket>` and ends when it would be full again; entries are a sorted set
// of times under `entries:<subject>` that ends after a minute. Each question is one script, so no two processes can both
// take the last token. A clock that is set forward fills the buckets. Of one that is set back, what was counted at a time
// that is still to come is counted from now on: a bucket keeps its tokens and is refilled, and such entries are forgotten.

import { randomBytes } from 'node:crypto';
import type { MaybePromise } from '../../../timing/maybe-promise.ts';
import { backgroundTimers } from '../../../timing/timers.ts';
import type { EntryRate, SharedEntries } from '../../../trading/intake/shared-entry-rates.ts';
import { BriefAsks } from './brief-asks.ts';
import { connectRedis, redisScript } from './connect.ts';

/** A webhook has 2.5 s in all, and a signal may ask twice. */
const LONGEST_MS = 250;
/** Spent by nobody. */
const TRIAL = { bucket: 'trial', capacity: 2, refillPerMinute: 60_000 };

/** The clock of Redis, unless a test brings its own. */
const NOW = (argument: number): string => `
local now = tonumber(ARGV[${argument}])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end`;
const READ_BUCKET = `
local tokens, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
tokens, at = tonumber(tokens), tonumber(at)`;

/**
 * The rule of http/token-bucket.ts. KEYS: bucket. ARGV: capacity, refill per minute, `take` or `peek`, the time of a test.
 * A take that is refused writes nothing: a flood costs no disk. But a bucket whose time is still to come, after a clock that
 * was set back, gets the time of now at once, whoever asks: until its own time comes it would not be refilled.
 */
const TAKE = redisScript(`${NOW(4)}${READ_BUCKET}
local capacity, perMinute = tonumber(ARGV[1]), tonumber(ARGV[2])
if tokens and at then
  tokens = math.min(capacity, tokens + math.max(0, now - at) * perMinute / 60000)
else
  tokens = capacity
end
local allowed = tokens >= 1 - 1e-9
local takes = allowed and ARGV[3] == 'take'
if takes then tokens = math.max(0, tokens - 1) end
if takes or (at and at > now) then
  local life = math.max(1, math.ceil((capacity - tokens) * 60000 / perMinute))
  redis.call('SET', KEYS[1], string.format('%.17g %.17g', tokens, now), 'PX', string.format('%.0f', life))
end
return {allowed and 1 or 0, string.format('%.17g', tokens)}`);

/** KEYS: bucket. ARGV: capacity. A bucket that has ended is full. */
const GIVE_BACK = redisScript(`${READ_BUCKET}
if not tokens or not at then return end
tokens = math.min(tonumber(ARGV[1]), tokens + 1)
redis.call('SET', KEYS[1], string.format('%.17g %.17g', tokens, at), 'KEEPTTL')`);

/**
 * The rule of entry-rates.ts. KEYS: subjects. ARGV: a name for the entry or nothing to look only, the time of a test, the
 * rate of each subject. Answers the first that has nothing left with the wait for it, or 0. All are looked at before
 * anything is taken.
 */
const ENTER = redisScript(`${NOW(2)}
for place, subject in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', subject, '-inf', string.format('%.17g', now - 60000))
  redis.call('ZREMRANGEBYSCORE', subject, string.format('(%.17g', now), '+inf')
  if redis.call('ZCARD', subject) >= tonumber(ARGV[place + 2]) then
    local first = redis.call('ZRANGE', subject, 0, 0, 'WITHSCORES')[2] or now
    return {place, string.format('%.17g', first + 60000 - now)}
  end
end
if ARGV[1] ~= '' then
  for _, subject in ipairs(KEYS) do
    redis.call('ZADD', subject, string.format('%.17g', now), ARGV[1])
    redis.call('PEXPIRE', subject, 60000)
  end
end
return {0, '0'}`);

/** KEYS: subjects. ARGV: the name of the entry. */
const LEAVE = redisScript(`for _, subject in ipairs(KEYS) do redis.call('ZREM', subject, ARGV[1]) end`);

const SCRIPTS = [TAKE, GIVE_BACK, ENTER, LEAVE];

interface BucketLimits {
  readonly capacity: number;
  readonly refillPerMinute: number;
}

interface TokensSeen {
  readonly allowed: boolean;
  readonly tokens: number;
}

export interface RedisRateLimits {
  /** Host and port, for people. */
  readonly where: string;
  readonly tokens: {
    take(bucket: string, limits: BucketLimits): MaybePromise<TokensSeen | undefined>;
    peek(bucket: string, limits: BucketLimits): MaybePromise<TokensSeen | undefined>;
    giveBack(bucket: string, limits: BucketLimits): void;
  };
  readonly entries: SharedEntries;
  close(): Promise<void>;
}

export interface RateLimitsOptions {
  readonly url: string;
  /** Told why Redis cannot be asked, once, and undefined when it can again. */
  readonly onState: (fault: Error | undefined) => void;
  /** For tests: the clock that counts instead of that of Redis, a corner of Redis of their own, and more patience. */
  readonly nowMs?: () => number;
  readonly prefix?: string;
  readonly longestMs?: number;
}

/** Resolves also when Redis is not there: whoever asks is told that nobody knows. Throws only for a wrong address. */
export async function openRateLimits(options: RateLimitsOptions): Promise<RedisRateLimits> {
  const { url, onState, prefix, nowMs, longestMs = LONGEST_MS } = options;
  const testTime = (): number | string => nowMs?.() ?? '';
  let onLost = (_: Error): void => {};
  const connection = await connectRedis({
    url,
    ...(prefix !== undefined && { prefix }),
    onState: (fault) => fault && onLost(fault),
  });
  const { where, script } = connection;

  const ofBucket = async (what: 'take' | 'peek', bucket: string, limits: BucketLimits): Promise<TokensSeen> => {
    const args = [limits.capacity, limits.refillPerMinute, what, testTime()];
    const [allowed, tokens] = (await script(TAKE, [bucketName(bucket)], args)) as [number, string];
    return { allowed: allowed === 1, tokens: Number(tokens) };
  };
  // A script that Redis does not know is sent again as a whole, and would come behind what was asked after it.
  const trial = async (): Promise<void> => {
    await connection.run((redis) => Promise.all(SCRIPTS.map(({ lua }) => redis.script('LOAD', lua))));
    await ofBucket('take', TRIAL.bucket, TRIAL);
  };
  const asks = new BriefAsks({ where, longestMs, trial, onState, timers: backgroundTimers });
  onLost = (fault) => asks.lose(fault);
  await asks.start();

  const ofEntries = async (entry: string, rates: readonly EntryRate[]) => {
    const args = [entry, testTime(), ...rates.map(({ rate }) => rate)];
    const [place, waitMs] = (await script(ENTER, subjectNames(rates), args)) as [number, string];
    return place === 0 ? undefined : { at: place - 1, waitMs: Number(waitMs) };
  };
  const process = randomBytes(9).toString('base64url');
  let entries = 0;
  return {
    where,
    tokens: {
      take: (bucket, limits) => asks.ask(() => ofBucket('take', bucket, limits)),
      peek: (bucket, limits) => asks.ask(() => ofBucket('peek', bucket, limits)),
      giveBack: (bucket, { capacity }) => void asks.ask(() => script(GIVE_BACK, [bucketName(bucket)], [capacity])),
    },
    entries: {
      take(rates) {
        entries += 1;
        const entry = `${process}:${entries}`;
        const giveBack = (): void => void asks.ask(() => script(LEAVE, subjectNames(rates), [entry]));
        return asks.ask(async () => {
          const full = await ofEntries(entry, rates);
          return full === undefined ? { giveBack } : { full };
        });
      },
      look: (rates) =>
        asks.ask(async () => {
          const full = await ofEntries('', rates);
          return full === undefined ? {} : { full };
        }),
    },
    async close() {
      asks.close();
      await connection.close();
    },
  };
}

const bucketName = (bucket: string): string => `rate:${bucket}`;
const subjectNames = (rates: readonly EntryRate[]): readonly string[] => rates.map(({ name }) => `entries:${name}`);
