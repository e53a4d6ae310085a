// The code of each real venue, loaded when an account there is opened.

import type { VenueFolder } from '../adapters/venues/live-accounts.ts';
import type { Exchange } from '../exchanges/exchange.ts';

const FOLDERS: Readonly<Record<Exchange, () => Promise<VenueFolder>>> = {
  binance: () => import('../adapters/venues/binance/adapter.ts'),
  bybit: () => import('../adapters/venues/bybit/adapter.ts'),
  mexc: () => import('../adapters/venues/mexc/adapter.ts'),
};

/** All of it, what signs its requests too, so that the first account there is opened without loading anything. */
export async function loadVenueFolder(exchange: Exchange): Promise<void> {
  const { loadSigning } = await import('../adapters/venues/signer.ts');
  await Promise.all([venueFolder(exchange), loadSigning()]);
}

export const venueFolder = (exchange: Exchange): Promise<VenueFolder> => FOLDERS[exchange]();
