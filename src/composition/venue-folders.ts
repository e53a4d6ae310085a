// The code of each real venue, loaded when somebody trades there or wants its prices: an exchange is two folders of adapters.

import type { FeedFolder } from '../adapters/market-data/venue-feed.ts';
import type { VenueFolder } from '../adapters/venues/live-accounts.ts';
import type { Exchange } from '../exchanges/exchange.ts';

interface Folders {
  /** How it is traded. */
  readonly venue: () => Promise<VenueFolder>;
  /** Its public prices and bars. */
  readonly feed: () => Promise<FeedFolder>;
}

const FOLDERS: Readonly<Record<Exchange, Folders>> = {
  binance: {
    venue: () => import('../adapters/venues/binance/adapter.ts'),
    feed: () => import('../adapters/market-data/binance/feed.ts'),
  },
  bybit: {
    venue: () => import('../adapters/venues/bybit/adapter.ts'),
    feed: () => import('../adapters/market-data/bybit/feed.ts'),
  },
  mexc: {
    venue: () => import('../adapters/venues/mexc/adapter.ts'),
    feed: () => import('../adapters/market-data/mexc/feed.ts'),
  },
};

/** All of it, what signs its requests too, so that the first account there is opened without loading anything. */
export async function loadVenueFolder(exchange: Exchange): Promise<void> {
  const { loadSigning } = await import('../adapters/venues/signer.ts');
  await Promise.all([venueFolder(exchange), loadSigning()]);
}

export const venueFolder = (exchange: Exchange): Promise<VenueFolder> => FOLDERS[exchange].venue();
export const feedFolder = (exchange: Exchange): Promise<FeedFolder> => FOLDERS[exchange].feed();
