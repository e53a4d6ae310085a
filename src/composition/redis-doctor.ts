// What `signalbox doctor` finds out about Redis, where a setting asks for it: whether it can be written to and read, and what waits for it.

import type { DoctorCheck } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { errorText } from '../errors/error-text.ts';

type RedisConfig = Pick<Config, 'redisUrl' | 'analysis' | 'scripts' | 'rateLimits' | 'liveBars'>;

export async function checkRedis(config: RedisConfig): Promise<readonly DoctorCheck[]> {
  const { redisUrl, analysis, scripts, rateLimits, liveBars } = config;
  const holdsKeys = analysis.store === 'redis' || scripts.keyStore === 'redis';
  const isAskedBesides = [analysis.longJobs, rateLimits, liveBars].includes('redis');
  if (redisUrl === undefined || !(holdsKeys || isAskedBesides)) return [];
  const { connectRedis } = await import('../adapters/storage/redis/connect.ts');
  const name = 'redis';
  try {
    const connection = await connectRedis({ url: redisUrl });
    try {
      await connection.probe();
      return [{ name, ok: 'ok', detail: `Redis at ${connection.where} answers` }];
    } finally {
      await connection.close();
    }
  } catch (error) {
    // Whatever else is in Redis, each process can do alone.
    return [{ name, ok: holdsKeys ? 'fail' : 'warn', detail: errorText(error) }];
  }
}
