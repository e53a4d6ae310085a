// Chooses where prices and bars come from, and puts one hub over the bars for everybody who follows a market.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type FeedAddresses, type FeedUrls, feedUrls } from '../adapters/market-data/feed-addresses.ts';
import type { FeedOptions } from '../adapters/market-data/feed-options.ts';
import { createLivePrices } from '../adapters/market-data/live-prices.ts';
import { createSimulatedFeed } from '../adapters/market-data/simulated/simulated-feed.ts';
import { createSimulatedMarket, type SimulatedMarket } from '../adapters/market-data/simulated/simulated-market.ts';
import type { VenueFeed } from '../adapters/market-data/venue-feed.ts';
import { openBars } from '../adapters/storage/sqlite/bars/bars.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import type { Config } from '../config.ts';
import type { Exchange } from '../exchanges/exchange.ts';
import { type BarArchive, createBarArchive } from '../market-data/bar-archive.ts';
import type { BarFeed } from '../market-data/bar-feed.ts';
import { type BarHub, createBarHub } from '../market-data/bar-hub.ts';
import { MarketBars } from '../market-data/market-bars.ts';
import type { MarketList } from '../market-data/market-list.ts';
import type { RangeSource } from '../market-data/price-source.ts';
import { backgroundTimers } from '../timing/timers.ts';
import { watchFeed } from './alarm-wrappers.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { hostSilences } from './host-silences.ts';
import type { ProcessContext } from './process-context.ts';
import { openSharedBars } from './shared-bars.ts';
import type { Teardown } from './teardown.ts';

/** Either process has one. */
type MarketContext = ProcessContext<
  Pick<
    Config,
    | ('marketData' | 'marketSeed' | 'simulatedSymbols' | 'marketDataUrls' | 'dataDir' | 'liveBars' | 'redisUrl')
    | ('trustedProxies' | 'internalToken' | 'baseUrl')
  >
>;

export interface BarMarket {
  readonly archive: BarArchive;
  readonly hub: BarHub;
  readonly bars: MarketBars;
}

export type Prices = RangeSource & MarketList;

/** The prices that paper trades and stops go by; the script process has bars of its own, so that neither waits for the other. */
export async function openPrices(context: MarketContext, teardown: Teardown): Promise<Prices> {
  const { marketData } = context.config;
  if (marketData === 'simulated') return openSimulated(context);
  return pricesOver(await openMarketData(context, marketData, teardown), context, teardown);
}

/** A venue whose prices or bars are those of accounts, in the mode of the accounts. */
export interface RealVenue {
  readonly exchange: Exchange;
  readonly mode: 'testnet' | 'live';
  /** In the place of the venue's own address. */
  readonly baseUrl: string | undefined;
}

/** The prices that testnet and live accounts go by. Nobody is asked before somebody wants a price. */
export async function openVenuePrices(
  venue: RealVenue,
  context: Pick<MarketContext, 'log' | 'alarms'>,
  teardown: Teardown,
): Promise<Prices> {
  const feed = await openVenueFeed(venue, 'prices', context);
  if (feed === undefined) throw new Error(`${venue.exchange} has no testnet with prices; trade it on paper first`);
  return pricesOver(feed, context, teardown);
}

/** The market data of one venue and mode; undefined where the venue has no testnet. */
async function openVenueFeed(
  venue: RealVenue,
  what: 'prices' | 'bars',
  context: Pick<MarketContext, 'log' | 'alarms'>,
): Promise<VenueFeed | undefined> {
  const { exchange, mode } = venue;
  const { create, addresses } = await VENUE_FEEDS[exchange]();
  const urls = feedUrls(addresses, venue);
  if (urls === undefined) return undefined;
  const words = { kind: `${what} of ${exchange} ${mode}`, venue: `${exchange} for its ${mode} accounts` };
  const feed = create({ ...feedOptions(context, urls), pricesOnly: what === 'prices' });
  return watchFeed(feed, context.alarms, words);
}

function pricesOver(feed: VenueFeed, context: Pick<MarketContext, 'log'>, teardown: Teardown): Prices {
  const { hub } = openHub(feed, context, teardown);
  const follow: BarFeed['follow'] = (market, timeframeMs, listener) => hub.follow(market, timeframeMs, listener);
  const prices = createLivePrices({ feed, nowMs, monotonicMs, follow });
  teardown.add(() => prices.close());
  return prices;
}

const openSimulated = ({ config }: MarketContext): SimulatedMarket =>
  createSimulatedMarket({ seed: config.marketSeed, nowMs, added: config.simulatedSymbols });

/** History and live bars, for streams to clients and for deployments. Bars are kept where this process may write the archive. */
export async function openBarMarket(
  context: MarketContext,
  teardown: Teardown,
  { keep }: { readonly keep: boolean },
): Promise<BarMarket> {
  const { marketData } = context.config;
  if (marketData === 'simulated') {
    const market = openSimulated(context);
    // Made anew faster than it could be read back.
    return openHub(createSimulatedFeed({ market, nowMs, timers: backgroundTimers }), context, teardown);
  }
  const feed = await openMarketData(context, marketData, teardown);
  return keep ? openKept(feed, feed.label, context, teardown) : openHub(feed, context, teardown);
}

/**
 * The bars that deployments at testnet and live accounts run on; undefined where the venue has no testnet. Nobody is asked before
 * one of them wants bars. Those of another address than the venue's own are kept apart.
 */
export async function openVenueBars(
  venue: RealVenue,
  name: string,
  context: MarketContext,
  teardown: Teardown,
): Promise<BarMarket | undefined> {
  const feed = await openVenueFeed(venue, 'bars', context);
  if (feed === undefined) return undefined;
  const source = venue.baseUrl === undefined ? name : `${name} at ${venue.baseUrl}`;
  return openKept(feed, source, context, teardown);
}

function openKept(feed: VenueFeed, source: string, context: MarketContext, teardown: Teardown): BarMarket {
  const store = openBars({ path: join(context.config.dataDir, STRANGERS.name), source });
  teardown.add(() => store.close());
  return openHub(feed, context, teardown, store);
}

/** The venue of MARKET_DATA. What another address says than the venue's own is shared with those alone who ask there too. */
async function openMarketData(context: MarketContext, exchange: Exchange, teardown: Teardown): Promise<VenueFeed> {
  const { restUrl, wsUrl } = context.config.marketDataUrls;
  const urls = { ...(restUrl === undefined ? {} : { restUrl }), ...(wsUrl === undefined ? {} : { wsUrl }) };
  const { create } = await VENUE_FEEDS[exchange]();
  const feed = watchFeed(create(feedOptions(context, urls)), context.alarms, { kind: 'market data', venue: exchange });
  return openSharedBars(feed, [exchange, restUrl, wsUrl].join(' ').trim(), { ...context, teardown });
}

const feedOptions = ({ log }: Pick<MarketContext, 'log'>, urls: Partial<FeedUrls>): FeedOptions => ({
  ...{ ...urls, nowMs, monotonicMs, random: Math.random, log, silences: hostSilences },
});

interface LoadedFeed {
  readonly create: (options: FeedOptions) => VenueFeed;
  readonly addresses: FeedAddresses;
}

/** Only the venues that are used are loaded. */
const VENUE_FEEDS: Readonly<Record<Exchange, () => Promise<LoadedFeed>>> = {
  async binance() {
    const { createBinanceFeed: create, ADDRESSES: addresses } = await import('../adapters/market-data/binance/feed.ts');
    return { create, addresses };
  },
  async bybit() {
    const { createBybitFeed: create, ADDRESSES: addresses } = await import('../adapters/market-data/bybit/feed.ts');
    return { create, addresses };
  },
  async mexc() {
    const { createMexcFeed: create, ADDRESSES: addresses } = await import('../adapters/market-data/mexc/feed.ts');
    return { create, addresses };
  },
};

export const loadVenueFeed = (exchange: Exchange): Promise<unknown> => VENUE_FEEDS[exchange]();

function openHub(
  feed: BarFeed,
  { log }: Pick<MarketContext, 'log'>,
  teardown: Teardown,
  store?: ReturnType<typeof openBars>,
): BarMarket {
  teardown.add(() => feed.close());
  const archive = createBarArchive({ feed, store, log });
  const hub = createBarHub({ feed, archive, nowMs, timers: backgroundTimers, random: Math.random, log });
  teardown.add(() => hub.close());
  return { archive, hub, bars: new MarketBars({ feed, archive, store, nowMs }) };
}

/** For a process without a script process: opened when somebody first asks for bars. A command makes no database for them. */
export function openBarsLater(
  context: MarketContext,
  teardown: Teardown,
  { mayKeep }: { readonly mayKeep: boolean },
): () => Promise<MarketBars> {
  let opened: Promise<BarMarket> | undefined;
  const keep = mayKeep && existsSync(join(context.config.dataDir, STRANGERS.name));
  return async () => {
    opened ??= openBarMarket(context, teardown, { keep });
    return (await opened).bars;
  };
}

/** What the owner finds in the log when bars could not be had. */
export const barsFault =
  (log: MarketContext['log']) =>
  (error: unknown, requestId: string): void =>
    log.warn({ err: error, requestId }, 'bars could not be had');
