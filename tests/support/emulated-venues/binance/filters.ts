// The filters of a Binance market: as exchangeInfo publishes them, and as orders are held to them.

import { type Decimal, smaller, times, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { refuse } from './errors.ts';
import { padded, placesOf } from './number-text.ts';
import type { Parameters } from './parameters.ts';

/** Binance lets prices have more decimals than its ticks: BTCUSDT has two, and a tick of 0.1. */
export const pricePrecisionOf = ({ tickSize }: MarketSpec): number => Math.max(2, placesOf(tickSize));
export const quantityPrecisionOf = ({ stepSize }: MarketSpec): number => placesOf(stepSize);

export function filtersOf(spec: MarketSpec): unknown[] {
  const price = (value: Decimal): string => padded(value, pricePrecisionOf(spec));
  const lot = { minQty: toText(spec.minQuantity), stepSize: toText(spec.stepSize) };
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: price(spec.minPrice),
      maxPrice: price(spec.maxPrice),
      tickSize: price(spec.tickSize),
    },
    { filterType: 'LOT_SIZE', ...lot, maxQty: toText(spec.maxQuantity) },
    { filterType: 'MARKET_LOT_SIZE', ...lot, maxQty: toText(spec.maxMarketQuantity) },
    { filterType: 'MAX_NUM_ORDERS', limit: spec.maxOpenOrders },
    { filterType: 'MIN_NOTIONAL', notional: toText(spec.minNotional) },
    {
      filterType: 'PERCENT_PRICE',
      multiplierUp: padded(spec.priceUp, 4),
      multiplierDown: padded(spec.priceDown, 4),
      multiplierDecimal: '4',
    },
    { filterType: 'POSITION_RISK_CONTROL', positionControlSide: 'NONE', notionalLimit: '0' },
  ];
}

export function checkQuantity(spec: MarketSpec, parameters: Parameters, isMarket: boolean): Decimal {
  const quantity = parameters.requiredDecimal('quantity');
  if (parameters.decimalsOf('quantity') > quantityPrecisionOf(spec)) throw refuse('-1111');
  if (quantity === ZERO) throw refuse('-4003');
  if (quantity < spec.minQuantity) throw refuse('-4004');
  const most = isMarket ? smaller(spec.maxQuantity, spec.maxMarketQuantity) : spec.maxQuantity;
  if (quantity > most) throw refuse('-4005');
  if (quantity % spec.stepSize !== 0n) throw refuse('-4023');
  return quantity;
}

export function checkPrice(spec: MarketSpec, parameters: Parameters): Decimal {
  const price = parameters.requiredDecimal('price');
  if (parameters.decimalsOf('price') > pricePrecisionOf(spec)) throw refuse('-1111');
  if (price < spec.minPrice) throw refuse('-4013');
  if (price > spec.maxPrice) throw refuse('-4002');
  if (price % spec.tickSize !== 0n) throw refuse('-4014');
  return price;
}

/** Buyers may not pay far above the mark price, sellers may not offer far below it; nor may what a market order meets. */
export function checkDistance(market: MatchingMarket, symbol: string, side: 'BUY' | 'SELL', price?: Decimal): void {
  const { priceUp, priceDown } = market.spec(symbol);
  const { mark, bid, ask } = market.prices(symbol);
  const isBuy = side === 'BUY';
  const bound = times(mark, isBuy ? priceUp : priceDown);
  const traded = price ?? (isBuy ? ask : bid);
  if (isBuy ? traded <= bound : traded >= bound) return;
  if (price === undefined) throw refuse('-4131');
  throw refuse(isBuy ? '-4016' : '-4024', toText(bound));
}

/** Of what opens; a market order is valued at the mark price. */
export function checkNotional(market: MatchingMarket, symbol: string, quantity: Decimal, price?: Decimal): void {
  const { minNotional } = market.spec(symbol);
  const value = times(quantity, price ?? market.prices(symbol).mark);
  if (value < minNotional) throw refuse('-4164', toText(minNotional));
}
