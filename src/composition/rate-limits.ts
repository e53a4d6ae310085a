// Chooses where rates are counted: by this process alone, or in Redis together with all that share it.

import type { RedisRateLimits } from '../adapters/storage/redis/rate-limits.ts';
import type { ProcessContext } from './process-context.ts';
import type { Teardown } from './teardown.ts';

/** The kind of the alarm about limits that are not shared as they should be. */
const ALARM = 'rate limits';

export interface RateLimitParts {
  readonly context: ProcessContext;
  readonly teardown: Teardown;
}

/** Undefined where this process counts alone. Loaded only where Redis is used. */
export async function openSharedLimits({ context, teardown }: RateLimitParts): Promise<RedisRateLimits | undefined> {
  const { config, alarms } = context;
  if (config.rateLimits === 'here') return undefined;
  const { openRateLimits } = await import('../adapters/storage/redis/rate-limits.ts');
  const limits = await openRateLimits({
    url: config.redisUrl ?? '',
    onState(fault) {
      if (fault === undefined) alarms.over(ALARM);
      else
        alarms.stand(ALARM, `Rates are counted by this process alone until Redis can be asked again: ${fault.message}`);
    },
  });
  teardown.add(() => limits.close());
  return limits;
}
