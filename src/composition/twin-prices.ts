// The prices of the paper twins at one exchange: those of the account's venue, and right after a signal the best prices of its moment.
//
// The feed's last price may be a second old. The twin would trade at it, and the gap would tell of our feed instead of the trade.

import type { Exchange } from '../exchanges/exchange.ts';
import { type Decimal, plus, toText } from '../trading/decimal.ts';
import type { Quote } from '../trading/venue.ts';
import type { Prices } from './market.ts';

/** So long a quote goes before the feed, which asks its venue as often. */
const FRESH_MS = 1_000;

export class TwinPrices {
  readonly #monotonicMs: () => number;
  readonly #noted = new Map<string, { readonly price: string; readonly untilMs: number }>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  note(exchange: Exchange, market: string, { bid, ask }: Quote): void {
    const untilMs = this.#monotonicMs() + FRESH_MS;
    this.#noted.set(`${exchange} ${market}`, { price: toText((plus(bid, ask) / 2n) as Decimal), untilMs });
  }

  over(prices: Prices, exchange: Exchange): Prices {
    // Asked for by name when it is used: some sources have no funding rates and no list of names.
    return {
      label: prices.label,
      ...(prices.grainMs !== undefined && { grainMs: prices.grainMs }),
      lastPrice: async (market) => this.#fresh(`${exchange} ${market}`) ?? prices.lastPrice(market),
      bars: (market, timeframeMs, fromMs, toMs) => prices.bars(market, timeframeMs, fromMs, toMs),
      range: (market, fromMs, toMs) => prices.range(market, fromMs, toMs),
      markets: () => prices.markets(),
      ...(prices.fundingRate && { fundingRate: prices.fundingRate.bind(prices) }),
      ...(prices.unlisted && { unlisted: prices.unlisted.bind(prices) }),
    };
  }

  #fresh(name: string): string | undefined {
    const noted = this.#noted.get(name);
    if (noted === undefined || noted.untilMs > this.#monotonicMs()) return noted?.price;
    this.#noted.delete(name);
    return undefined;
  }
}
