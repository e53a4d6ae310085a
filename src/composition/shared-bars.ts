// Chooses who has the streams of MARKET_DATA: each process for itself, or one for all that share a Redis.

import type { VenueFeed } from '../adapters/market-data/venue-feed.ts';
import type { Config } from '../config.ts';
import { shareFeed } from '../market-data/shared-feed.ts';
import { backgroundTimers } from '../timing/timers.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { monotonicMs } from './clocks.ts';
import type { Teardown } from './teardown.ts';

/** The kind of the alarm about streams that are not shared as they should be. */
const ALARM = 'live bars';

export interface SharedBarsParts {
  readonly config: Pick<Config, 'liveBars' | 'redisUrl'>;
  readonly alarms: Pick<RaisedAlarms, 'stand' | 'over'>;
  readonly teardown: Teardown;
}

/** The feed as it is where it is not shared. Loaded only where Redis is used. */
export async function openSharedBars(feed: VenueFeed, source: string, parts: SharedBarsParts): Promise<VenueFeed> {
  const { config, alarms, teardown } = parts;
  if (config.liveBars === 'here') return feed;
  const { openBarRelay } = await import('../adapters/storage/redis/bar-relay.ts');
  const relay = await openBarRelay({
    url: config.redisUrl ?? '',
    onState(fault) {
      if (fault === undefined) alarms.over(ALARM);
      else
        alarms.stand(
          ALARM,
          `This process has its own streams of market data until Redis can be asked again: ${fault.message}`,
        );
    },
  });
  teardown.add(() => relay.close());
  return shareFeed({ feed, relay, source, timers: backgroundTimers, monotonicMs });
}
