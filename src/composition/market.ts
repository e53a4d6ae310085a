// Chooses where prices and bars come from, and puts one hub over them for everybody who follows a market.

import { join } from 'node:path';
import type { FeedOptions } from '../adapters/market-data/feed-options.ts';
import { createLivePrices } from '../adapters/market-data/live-prices.ts';
import { createSimulatedFeed } from '../adapters/market-data/simulated/simulated-feed.ts';
import { createSimulatedMarket } from '../adapters/market-data/simulated/simulated-market.ts';
import type { VenueFeed } from '../adapters/market-data/venue-feed.ts';
import { openBars } from '../adapters/storage/sqlite/bars/bars.ts';
import type { Config } from '../config.ts';
import { type BarArchive, createBarArchive } from '../market-data/bar-archive.ts';
import type { BarFeed } from '../market-data/bar-feed.ts';
import { type BarHub, createBarHub } from '../market-data/bar-hub.ts';
import type { RangeSource } from '../market-data/price-source.ts';
import { realTimers } from '../market-data/timers.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { Ground } from './ground.ts';
import { watchFeed } from './hear-answers.ts';
import type { Teardown } from './teardown.ts';

export interface Market {
  readonly prices: RangeSource;
  readonly archive: BarArchive;
  readonly hub: BarHub;
}

export async function openMarket(ground: Ground, teardown: Teardown): Promise<Market> {
  const { marketData, marketSeed } = ground.config;
  if (marketData === 'simulated') {
    const prices = createSimulatedMarket({ seed: marketSeed, nowMs });
    // Made anew faster than it could be read back.
    return { prices, ...openHub(createSimulatedFeed({ market: prices, nowMs, timers: realTimers }), ground, teardown) };
  }
  const feed = watchFeed(await openVenueFeed(ground, marketData), ground.alarms);
  const store = openBars({ path: join(ground.config.dataDir, 'market.db'), source: feed.label, log: ground.log });
  teardown.add(() => store.close());
  const { archive, hub } = openHub(feed, ground, teardown, store);
  // Those who trade on paper and those who look at bars share one stream per market.
  const follow: BarFeed['follow'] = (market, timeframeMs, listener) => hub.follow(market, timeframeMs, listener);
  const prices = createLivePrices({ feed, nowMs, monotonicMs, follow });
  teardown.add(() => prices.close());
  return { prices, archive, hub };
}

/** Only the venue that is used is loaded. */
async function openVenueFeed(
  { config, log }: Ground,
  venue: Exclude<Config['marketData'], 'simulated'>,
): Promise<VenueFeed> {
  const { restUrl, wsUrl } = config.marketDataUrls;
  const addresses = { ...(restUrl === undefined ? {} : { restUrl }), ...(wsUrl === undefined ? {} : { wsUrl }) };
  const options: FeedOptions = { ...addresses, nowMs, monotonicMs, random: Math.random, log };
  if (venue === 'binance') return (await import('../adapters/market-data/binance/feed.ts')).createBinanceFeed(options);
  if (venue === 'bybit') return (await import('../adapters/market-data/bybit/feed.ts')).createBybitFeed(options);
  return (await import('../adapters/market-data/mexc/feed.ts')).createMexcFeed(options);
}

function openHub(feed: BarFeed, { log }: Ground, teardown: Teardown, store?: ReturnType<typeof openBars>) {
  teardown.add(() => feed.close());
  const archive = createBarArchive({ feed, store, log });
  const hub = createBarHub({ feed, archive, nowMs, timers: realTimers, random: Math.random, log });
  teardown.add(() => hub.close());
  return { archive, hub };
}
