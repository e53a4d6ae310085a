// What was traded in a stretch of time, read once for one look: several protections of a market look at the same stretch. Accounts
// at several venues have sources of their own, and the same market trades elsewhere at another price, so each source is remembered
// by itself.

import type { PricesOf } from '../account-prices.ts';
import type { TradedPrices } from './look-at-market.ts';

export function rememberRanges(pricesOf: PricesOf<TradedPrices>): PricesOf<TradedPrices> {
  const ranges = new Map<TradedPrices, Map<string, ReturnType<TradedPrices['range']>>>();
  return (account) => {
    const prices = pricesOf(account);
    const read = ranges.get(prices) ?? new Map<string, ReturnType<TradedPrices['range']>>();
    ranges.set(prices, read);
    return {
      lastPrice: (market) => prices.lastPrice(market),
      range(market, fromMs, toMs) {
        const key = `${market} ${fromMs} ${toMs}`;
        const range = read.get(key) ?? prices.range(market, fromMs, toMs);
        read.set(key, range);
        return range;
      },
    };
  };
}
