// Binance's public futures information, as far as trading needs it.

import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { filtersOf, pricePrecisionOf, quantityPrecisionOf } from './filters.ts';
import { padded } from './number-text.ts';
import type { Parameters } from './parameters.ts';
import type { RateLimits } from './rate-limits.ts';
import { CONDITIONAL_TYPES, specOf } from './request-order.ts';

const HOUR_MS = 3_600_000;
const FUNDING_EVERY_MS = 8 * HOUR_MS;

export class MarketInfo {
  readonly #market: MatchingMarket;
  readonly #limits: RateLimits;

  constructor(market: MatchingMarket, limits: RateLimits) {
    this.#market = market;
    this.#limits = limits;
  }

  exchangeInfo(): unknown {
    const { weightPerMinute, ordersPerMinute, ordersPerTenSeconds } = this.#limits;
    const limit = (rateLimitType: string, interval: string, intervalNum: number, count: number): unknown => ({
      rateLimitType,
      interval,
      intervalNum,
      limit: count,
    });
    return {
      timezone: 'UTC',
      serverTime: this.#market.nowMs(),
      futuresType: 'U_MARGINED',
      rateLimits: [
        limit('REQUEST_WEIGHT', 'MINUTE', 1, weightPerMinute),
        limit('ORDERS', 'MINUTE', 1, ordersPerMinute),
        limit('ORDERS', 'SECOND', 10, ordersPerTenSeconds),
      ],
      exchangeFilters: [],
      assets: [{ asset: 'USDT', marginAvailable: true, autoAssetExchange: '-10000' }],
      symbols: [...this.#market.specs.values()].map(symbolText),
    };
  }

  price(parameters: Parameters): unknown {
    return this.#ofSymbols(parameters, (symbol) => ({
      symbol,
      price: this.#priceText(symbol, 'last'),
      time: this.#market.nowMs(),
    }));
  }

  bookTicker(parameters: Parameters): unknown {
    return this.#ofSymbols(parameters, (symbol) => ({
      symbol,
      bidPrice: this.#priceText(symbol, 'bid'),
      bidQty: '10',
      askPrice: this.#priceText(symbol, 'ask'),
      askQty: '10',
      time: this.#market.prices(symbol).quotedAtMs ?? this.#market.nowMs(),
    }));
  }

  premiumIndex(parameters: Parameters): unknown {
    const nowMs = this.#market.nowMs();
    return this.#ofSymbols(parameters, (symbol) => ({
      symbol,
      markPrice: padded(this.#market.prices(symbol).mark, 8),
      indexPrice: padded(this.#market.prices(symbol).mark, 8),
      estimatedSettlePrice: padded(this.#market.prices(symbol).mark, 8),
      lastFundingRate: '0.00010000',
      interestRate: '0.00010000',
      nextFundingTime: nowMs - (nowMs % FUNDING_EVERY_MS) + FUNDING_EVERY_MS,
      time: nowMs,
    }));
  }

  /** One row for a symbol, a list of those that have a price without one. */
  #ofSymbols(parameters: Parameters, row: (symbol: string) => unknown): unknown {
    if (parameters.has('symbol')) return row(specOf(this.#market, parameters).symbol);
    return [...this.#market.specs.keys()].filter((symbol) => this.#market.hasPrice(symbol)).map(row);
  }

  #priceText(symbol: string, which: 'last' | 'bid' | 'ask'): string {
    return padded(this.#market.prices(symbol)[which], pricePrecisionOf(this.#market.spec(symbol)));
  }
}

function symbolText(spec: MarketSpec): unknown {
  return {
    symbol: spec.symbol,
    pair: spec.symbol,
    contractType: 'PERPETUAL',
    deliveryDate: 4_133_404_800_000,
    onboardDate: 1_569_398_400_000,
    status: 'TRADING',
    baseAsset: spec.base,
    quoteAsset: spec.quote,
    marginAsset: spec.quote,
    pricePrecision: pricePrecisionOf(spec),
    quantityPrecision: quantityPrecisionOf(spec),
    baseAssetPrecision: 8,
    quotePrecision: 8,
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    underlyingType: 'COIN',
    underlyingSubType: ['PoW'],
    triggerProtect: '0.0500',
    liquidationFee: '0.012500',
    marketTakeBound: '0.05',
    filters: filtersOf(spec),
    orderTypes: ['LIMIT', 'MARKET', ...CONDITIONAL_TYPES],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX', 'GTD'],
    permissionSets: ['GRID'],
  };
}
