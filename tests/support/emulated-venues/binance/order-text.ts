// An order and its trades as Binance writes them.

import { quotient, rounded, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { FuturesOrder, Trade } from '../futures-order.ts';
import type { MarketSpec } from '../market-spec.ts';
import { pricePrecisionOf, quantityPrecisionOf } from './filters.ts';
import { money, padded } from './number-text.ts';

/** The venue's own orders are limits in its lists; only the user stream calls them what they are. */
const orderTypeOf = ({ price, forced }: FuturesOrder): string =>
  price === undefined && forced === undefined ? 'MARKET' : 'LIMIT';

export const averagePriceOf = ({ executed, executedValue }: FuturesOrder) =>
  executed === ZERO ? ZERO : quotient(executedValue, executed);

/** What query, list and cancel answer; `acknowledged` leaves out what has traded already. */
export function orderText(order: FuturesOrder, spec: MarketSpec, acknowledged = false): Record<string, unknown> {
  const [prices, quantities] = [pricePrecisionOf(spec), quantityPrecisionOf(spec)];
  const executed = acknowledged ? ZERO : order.executed;
  const type = orderTypeOf(order);
  return {
    orderId: order.orderId,
    symbol: order.symbol,
    status: acknowledged ? 'NEW' : order.status,
    clientOrderId: order.clientOrderId,
    price: padded(order.price ?? ZERO, prices),
    avgPrice: padded(acknowledged ? ZERO : averagePriceOf(order), prices),
    origQty: padded(order.quantity, quantities),
    executedQty: padded(executed, quantities),
    cumQuote: money(acknowledged ? ZERO : rounded(order.executedValue)),
    timeInForce: type === 'MARKET' ? 'GTC' : order.timeInForce,
    type,
    reduceOnly: order.reduceOnly,
    closePosition: false,
    side: order.side,
    positionSide: order.positionSide,
    stopPrice: '0',
    workingType: 'CONTRACT_PRICE',
    priceProtect: false,
    origType: type,
    priceMatch: 'NONE',
    selfTradePreventionMode: 'EXPIRE_MAKER',
    goodTillDate: 0,
    time: order.createdMs,
    updateTime: order.updatedMs,
  };
}

/** The answer to a new order has no `time` and tells the quantity twice. */
export function newOrderText(order: FuturesOrder, spec: MarketSpec, acknowledged: boolean): Record<string, unknown> {
  const { time: _, ...text } = orderText(order, spec, acknowledged);
  return { ...text, cumQty: text.executedQty };
}

export function tradeText(order: FuturesOrder, trade: Trade, spec: MarketSpec): Record<string, unknown> {
  return {
    symbol: order.symbol,
    id: trade.tradeId,
    orderId: order.orderId,
    side: order.side,
    price: padded(trade.price, pricePrecisionOf(spec)),
    qty: padded(trade.quantity, quantityPrecisionOf(spec)),
    realizedPnl: money(trade.realizedPnl),
    quoteQty: toText(rounded((trade.quantity * trade.price) as typeof order.executedValue)),
    commission: money(trade.fee),
    commissionAsset: spec.quote,
    time: trade.atMs,
    positionSide: order.positionSide,
    buyer: order.side === 'BUY',
    maker: trade.maker,
  };
}
