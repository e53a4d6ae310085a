// An emulated Binance on a loopback port: USDⓈ-M futures, a little of spot, and the user data stream.

import type { EmulatedVenue, EmulatedVenueOptions } from '../emulated-venue.ts';
import { Faults } from '../faults.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { VenueAccounts } from '../venue-accounts.ts';
import { listen } from '../venue-server.ts';
import { AccountInfo, type KeyPermissions } from './account.ts';
import { AlgoOrders } from './algo-orders.ts';
import { Klines } from './klines.ts';
import { MarketInfo } from './market-info.ts';
import { BinanceOrders } from './orders.ts';
import { type BinanceParts, BinanceProtocol } from './protocol.ts';
import { RateLimits } from './rate-limits.ts';
import { routesOf } from './routes.ts';
import { AccountSettings } from './settings.ts';
import { SpotWallet } from './spot-wallet.ts';
import { UserStream } from './user-stream.ts';

/** The key and secret of the examples in Binance's documentation. */
const PUBLISHED_CREDENTIALS = {
  apiKey: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  secret: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j',
};

export interface EmulatedBinanceOptions extends EmulatedVenueOptions {
  /** The user stream of the test network has its old address; the live one has a road of its own since April 2026. */
  readonly testnet?: boolean;
}

export interface EmulatedBinance extends EmulatedVenue {
  readonly limits: RateLimits;
  readonly permissions: KeyPermissions;
  readonly orders: BinanceOrders;
  readonly userStream: UserStream;
  readonly spot: SpotWallet;
}

export async function startBinance(options: EmulatedBinanceOptions = {}): Promise<EmulatedBinance> {
  const nowMs = options.nowMs ?? Date.now;
  const faults = new Faults();
  const limits = new RateLimits(nowMs);
  const accounts = new VenueAccounts(options, options.credentials ?? PUBLISHED_CREDENTIALS, ({ market }) =>
    partsOf(market, limits),
  );
  const server = await listen(new BinanceProtocol(accounts, limits, options.testnet ?? false), faults, nowMs);
  const { market, credentials, parts } = accounts.first;
  const { orders, userStream, spot, account } = parts;
  const { baseUrl, streamUrl, requests } = server;
  return {
    ...{ baseUrl, streamUrl, requests, market, faults, credentials, limits },
    ...{ permissions: account.permissions, orders, userStream, spot },
    openAccount: (others) => accounts.open(others),
    async close() {
      accounts.close();
      await server.close();
    },
  };
}

function partsOf(market: MatchingMarket, limits: RateLimits): BinanceParts {
  const parts = {
    market,
    account: new AccountInfo(market),
    orders: new BinanceOrders(market),
    algoOrders: new AlgoOrders(market),
    settings: new AccountSettings(market),
    info: new MarketInfo(market, limits),
    klines: new Klines(market),
    userStream: new UserStream(market),
    spot: new SpotWallet(market),
  };
  return { ...parts, routes: routesOf(parts) };
}
