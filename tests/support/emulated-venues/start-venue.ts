// The emulated venue of each exchange.

import type { Exchange } from '../../../src/exchanges/exchange.ts';
import { startBinance } from './binance/venue.ts';
import { startBybitVenue } from './bybit/bybit-venue.ts';
import type { EmulatedVenue, EmulatedVenueOptions } from './emulated-venue.ts';
import { startMexcVenue } from './mexc/mexc-venue.ts';

export const START_VENUE: Readonly<Record<Exchange, (options?: EmulatedVenueOptions) => Promise<EmulatedVenue>>> = {
  binance: startBinance,
  bybit: startBybitVenue,
  mexc: startMexcVenue,
};
