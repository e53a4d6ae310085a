// What Bybit publishes of its contracts: their rules, their risk limits, their prices.

import { type Decimal, decimal, minus, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { type Page, type Parameters, pageOf } from './parameters.ts';

const HOUR_MS = 3_600_000;
const FUNDING_HOURS = 8;
const ONE = decimal(1);

/** All contracts, or the one that is asked for. */
function asked(market: MatchingMarket, parameters: Parameters): MarketSpec[] {
  parameters.checkCategory();
  return parameters.text('symbol') === undefined ? [...market.specs.values()] : [parameters.spec(market.specs)];
}

export function instruments(market: MatchingMarket, parameters: Parameters): Page<object> {
  return pageOf(asked(market, parameters).map(instrumentRow), parameters, { usual: 500, most: 1000 });
}

function instrumentRow(spec: MarketSpec): object {
  return {
    symbol: spec.symbol,
    contractType: 'LinearPerpetual',
    status: 'Trading',
    baseCoin: spec.base,
    quoteCoin: spec.quote,
    settleCoin: spec.quote,
    launchTime: '1585526400000',
    deliveryTime: '0',
    deliveryFeeRate: '',
    priceScale: '2',
    leverageFilter: { minLeverage: '1', maxLeverage: `${spec.brackets[0]!.maxLeverage}.00`, leverageStep: '0.01' },
    priceFilter: {
      minPrice: toText(spec.minPrice),
      maxPrice: toText(spec.maxPrice),
      tickSize: toText(spec.tickSize),
    },
    lotSizeFilter: {
      maxOrderQty: toText(spec.maxQuantity),
      minOrderQty: toText(spec.minQuantity),
      qtyStep: toText(spec.stepSize),
      postOnlyMaxOrderQty: toText(spec.maxQuantity),
      maxMktOrderQty: toText(spec.maxMarketQuantity),
      minNotionalValue: toText(spec.minNotional),
    },
    unifiedMarginTrade: true,
    fundingInterval: FUNDING_HOURS * 60,
    copyTrading: 'none',
    isPreListing: false,
    preListingInfo: null,
    riskParameters: {
      priceLimitRatioX: toText(minus(spec.priceUp, ONE)),
      priceLimitRatioY: toText(minus(spec.priceUp, ONE)),
    },
  };
}

export function riskLimits(market: MatchingMarket, parameters: Parameters): Page<object> {
  const rows = asked(market, parameters).flatMap(({ symbol, brackets }) =>
    brackets.map((bracket, index) => ({
      id: index + 1,
      symbol,
      riskLimitValue: toText(bracket.notionalCap),
      maintenanceMargin: toText(bracket.maintenanceRate),
      initialMargin: String(1 / bracket.maxLeverage),
      isLowestRisk: index === 0 ? 1 : 0,
      maxLeverage: `${bracket.maxLeverage}.00`,
      mmDeduction: toText(bracket.maintenanceDeduction),
    })),
  );
  return pageOf(rows, parameters, { usual: 1000, most: 1000 });
}

/** Only what has a price yet. */
export function tickers(market: MatchingMarket, parameters: Parameters): { readonly list: readonly object[] } {
  const priced = asked(market, parameters).filter(({ symbol }) => market.hasPrice(symbol));
  const fundingMs = FUNDING_HOURS * HOUR_MS;
  const nextFundingTime = String((Math.floor(market.nowMs() / fundingMs) + 1) * fundingMs);
  const list = priced.map(({ symbol }) => {
    const { last, mark, bid, ask } = market.prices(symbol);
    return {
      symbol,
      lastPrice: toText(last),
      indexPrice: toText(mark),
      markPrice: toText(mark),
      prevPrice24h: toText(last),
      price24hPcnt: '0',
      highPrice24h: toText(last),
      lowPrice24h: toText(last),
      openInterest: '0',
      turnover24h: '0',
      volume24h: '0',
      fundingRate: '0.0001',
      nextFundingTime,
      bid1Price: toText(bid),
      bid1Size: '1',
      ask1Price: toText(ask),
      ask1Size: '1',
    };
  });
  return { list };
}

/** One row on each side, or none where the price is zero: everybody else is the liquidity at bid and ask. */
export function orderBook(market: MatchingMarket, parameters: Parameters): object {
  parameters.checkCategory();
  const { symbol } = parameters.spec(market.specs);
  const { bid, ask, quotedAtMs = market.nowMs() } = market.prices(symbol);
  const side = (price: Decimal): readonly (readonly string[])[] => (price === ZERO ? [] : [[toText(price), '1']]);
  return { s: symbol, b: side(bid), a: side(ask), ts: quotedAtMs, u: 1, seq: 1, cts: quotedAtMs };
}
