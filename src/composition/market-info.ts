// What scripts of the script worker are told of a market that is only named: the same as in a backtest by name.

import type { MarketInfo } from '../library/deployments/index.ts';
import { describeMarket } from '../market-data/assumed-market.ts';
import { marketOf } from '../trading/intake/market-symbol.ts';

export const marketInfo: MarketInfo = (symbol, exchange, price) =>
  describeMarket({ ticker: symbol }, marketOf, exchange, price).symbol;
