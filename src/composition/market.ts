// Chooses where prices and bars come from.

import { createSimulatedMarket } from '../adapters/market-data/simulated/simulated-market.ts';
import type { RangeSource } from '../market-data/price-source.ts';
import { nowMs } from './clocks.ts';
import type { Ground } from './ground.ts';
import type { Teardown } from './teardown.ts';

export interface Market {
  readonly prices: RangeSource;
}

export function openMarket({ config }: Ground, _teardown: Teardown): Market {
  return { prices: createSimulatedMarket({ seed: config.marketSeed, nowMs }) };
}
