// What `signalbox doctor` says of the Redis that settings ask for: whether it can be used, and whether it keeps what it is given.

import type { RedisConnection } from '../adapters/storage/redis/connect.ts';
import type { DoctorCheck } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { errorText } from '../errors/error-text.ts';

const NAME = 'redis';
/** The queue of searches is made for it. */
const QUEUE_NEEDS = { major: 6, minor: 2 };

interface RedisUse {
  readonly setting: string;
  /** What happens while it is away. */
  readonly away: string;
  readonly ok: 'fail' | 'warn';
}

type RedisConfig = Pick<Config, 'services' | 'analysis' | 'scripts' | 'redisUrl' | 'rateLimits' | 'liveBars'>;

export async function checkRedis(config: RedisConfig): Promise<readonly DoctorCheck[]> {
  const uses = usesOf(config);
  if (uses.length === 0) return [];
  const { connectRedis } = await import('../adapters/storage/redis/connect.ts');
  let redis: RedisConnection | undefined;
  try {
    redis = await connectRedis({ url: config.redisUrl ?? '' });
    await redis.probe();
    const settings = uses.map(({ setting }) => setting).join(', ');
    const detail = `answers at ${redis.where}, for ${settings}`;
    return [{ name: NAME, ok: 'ok', detail }, ...(await doubts(redis, config))];
  } catch (error) {
    return uses.map(({ setting, away, ok }) => ({
      name: NAME,
      ok,
      detail: `${errorText(error)}. ${setting}: ${away}`,
    }));
  } finally {
    await redis?.close();
  }
}

function usesOf({ services, analysis, scripts, rateLimits, liveBars }: RedisConfig): readonly RedisUse[] {
  const hasAnalysis = services.includes('analysis');
  return [
    ...(hasAnalysis && analysis.store === 'redis'
      ? [{ setting: 'STORE_BACKEND=redis', away: 'analysis keys open nothing meanwhile', ok: 'fail' } as const]
      : []),
    ...(services.includes('scripts') && scripts.keyStore === 'redis'
      ? [{ setting: 'API_KEYS=redis', away: 'script keys open nothing meanwhile', ok: 'fail' } as const]
      : []),
    ...(hasAnalysis && analysis.longJobs === 'redis'
      ? [{ setting: 'LONG_JOBS=redis', away: 'searches run on the threads of this machine alone', ok: 'warn' } as const]
      : []),
    ...(rateLimits === 'redis'
      ? [{ setting: 'RATE_LIMITS=redis', away: 'each process limits what it gets by itself', ok: 'warn' } as const]
      : []),
    ...(liveBars === 'redis'
      ? [{ setting: 'LIVE_BARS=redis', away: 'each process follows the market by itself', ok: 'warn' } as const]
      : []),
  ];
}

/** One that does not let everybody see its own figures is asked no further. */
async function doubts(redis: RedisConnection, { analysis }: RedisConfig): Promise<readonly DoctorCheck[]> {
  const info = await redis.run((client) => client.info()).catch(() => '');
  const figure = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const found: DoctorCheck[] = [];
  const policy = figure('maxmemory_policy');
  if (figure('maxmemory') !== '0' && policy !== undefined && policy !== 'noeviction')
    found.push({
      ...{ name: NAME, ok: 'warn', detail: `it throws away what it is given when it is full (${policy})` },
      remedy: 'set its maxmemory-policy to noeviction',
    });
  const version = figure('redis_version');
  if (analysis.longJobs === 'redis' && version !== undefined && isOlder(version))
    found.push({
      ...{ name: NAME, ok: 'warn', detail: `it is Redis ${version}; LONG_JOBS=redis is made for 6.2` },
      remedy: 'use Redis 6.2 or newer',
    });
  return found;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < QUEUE_NEEDS.major || (major === QUEUE_NEEDS.major && minor < QUEUE_NEEDS.minor);
}
