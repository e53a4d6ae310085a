// The code of each real venue, loaded when an account there is opened.

import type { VenueFolder } from '../adapters/venues/live-accounts.ts';
import type { Exchange } from '../exchanges/exchange.ts';

const FOLDERS: Readonly<Record<Exchange, () => Promise<VenueFolder>>> = {
  binance: () => import('../adapters/venues/binance/adapter.ts'),
  bybit: () => import('../adapters/venues/bybit/adapter.ts'),
  mexc: () => import('../adapters/venues/mexc/adapter.ts'),
};

export const venueFolder = (exchange: Exchange): Promise<VenueFolder> => FOLDERS[exchange]();
