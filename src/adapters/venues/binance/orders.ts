// Orders in Binance's words: what is sent for one, and how its answer is read.

import { type Decimal, decimal, times, toText, ZERO } from '../../../trading/decimal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type Fill,
  type OrderReport,
  type OrderRequest,
  type OrderSide,
  type OrderStatus,
  type PositionMode,
  type PositionSide,
} from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import type { Week } from '../fills-by-week.ts';
import type { OrderRows } from '../open-orders.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket, VenueOrder } from '../venue-adapter.ts';
import type { CallParams, VenueCall } from '../venue-call.ts';
import { ORDER, READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** The most that one answer shows; an order with more fills than that in a week is not told whole. */
const MAX_FILLS = 1000;

const STATUSES: Readonly<Record<string, OrderStatus>> = {
  NEW: 'submitted',
  PENDING_NEW: 'submitted',
  PARTIALLY_FILLED: 'partially_filled',
  FILLED: 'filled',
  CANCELED: 'canceled',
  PENDING_CANCEL: 'submitted',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
  EXPIRED_IN_MATCH: 'expired',
};

/** What these do not fill at once they let go. */
const AT_ONCE: ReadonlySet<unknown> = new Set(['IOC', 'FOK']);

const SIDES: Readonly<Record<string, OrderSide>> = { BUY: 'BUY', SELL: 'SELL' };

/** RESULT makes Binance answer when the order has met the market; an acknowledgement alone says nothing about fills. */
export function placeCall(market: VenueMarket, request: OrderRequest, mode: PositionMode): VenueCall {
  const { clientOrderId, side, positionSide, reduceOnly, quantity, price, timeInForce = 'GTC', postOnly } = request;
  // A hedge account refuses reduceOnly: there an order that sells a long can only reduce it.
  const position: CallParams = mode === 'hedge' ? { positionSide } : reduceOnly ? { reduceOnly: 'true' } : {};
  const kind: CallParams =
    price === undefined
      ? { type: 'MARKET' }
      : { type: 'LIMIT', price: toText(price), timeInForce: postOnly === true ? 'GTX' : timeInForce };
  return {
    ...{ method: 'POST', section: 'fapiPrivate', path: 'order', cost: ORDER },
    params: {
      ...{ symbol: market.venueSymbol, side, ...position, ...kind, quantity: toText(quantity) },
      ...{ newClientOrderId: clientOrderId, newOrderRespType: 'RESULT' },
    },
  };
}

export const findCall = (market: VenueMarket, clientOrderId: string): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'order', cost: READ(1) },
  params: { symbol: market.venueSymbol, origClientOrderId: clientOrderId },
});

export const findByIdCall = (market: VenueMarket, orderId: string): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'order', cost: READ(1) },
  params: { symbol: market.venueSymbol, orderId },
});

export const cancelCall = (market: VenueMarket, clientOrderId: string): VenueCall => ({
  ...{ method: 'DELETE', section: 'fapiPrivate', path: 'order', cost: READ(1) },
  params: { symbol: market.venueSymbol, origClientOrderId: clientOrderId },
});

export const cancelByIdCall = (market: VenueMarket, orderId: string): VenueCall => ({
  ...{ method: 'DELETE', section: 'fapiPrivate', path: 'order', cost: READ(1) },
  params: { symbol: market.venueSymbol, orderId },
});

export const openOrdersCall = (market: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'openOrders', cost: READ(1) },
  params: { symbol: market.venueSymbol },
});

/** Of the whole account. */
export const ALL_OPEN_ORDERS_CALL: VenueCall = {
  ...{ method: 'GET', section: 'fapiPrivate', path: 'openOrders', cost: READ(40) },
};

/** As long as orders themselves; without a time Binance lists fills of the last week. */
export const FILLS_KEPT_FOR_MS = 90 * 24 * 3_600_000;

export const fillsCall = (market: VenueMarket, orderId: string, week: Week): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'userTrades', cost: READ(5) },
  params: { symbol: market.venueSymbol, orderId, ...week, limit: MAX_FILLS },
});

export function readOrder(body: unknown): VenueOrder {
  const order = fieldsOf(body);
  const status = STATUSES[read.text(order.status)] ?? read.fail();
  const side = SIDES[read.text(order.side)] ?? read.fail();
  const executedQuantity = read.decimal(order.executedQty);
  const isPostOnly = order.timeInForce === 'GTX';
  const wouldTrade = isPostOnly && status === 'expired' && executedQuantity === ZERO;
  const isUnfilled = order.status === 'EXPIRED' && (order.type === 'MARKET' || AT_ONCE.has(order.timeInForce));
  return {
    ...{ clientOrderId: read.text(order.clientOrderId), orderId: read.text(order.orderId), side },
    ...positionOf(order, side),
    market: read.text(order.symbol),
    status: wouldTrade ? 'rejected' : status,
    quantity: read.decimal(order.origQty),
    executedQuantity,
    averagePrice: executedQuantity > ZERO ? read.decimal(order.avgPrice) : undefined,
    // The answer to a new order has only the second.
    createdAtMs: read.moment(order.time ?? order.updateTime),
    ...(isUnfilled && { reason: 'the market could not fill the rest' }),
    ...(wouldTrade && { reason: 'the order would have traded at once, and it is post-only' }),
  };
}

export const ROWS: OrderRows = {
  clientId: 'clientOrderId',
  shown: ['side', 'type', 'origQty', 'price', 'status'],
  read: readOrder,
};
/** Binance has one name for many orders of its own, and counts orders by market: this, the market and its number there name one. */
export const FORCED_PREFIX = 'binance-';

export function readForced(row: Fields): VenueOrder {
  const order = readOrder(row);
  const { clientOrderId, market, orderId } = order;
  if (clientOrderId.startsWith(CLIENT_ORDER_PREFIX)) return order;
  return { ...order, clientOrderId: `${FORCED_PREFIX}${market}-${orderId}`, formerId: clientOrderId };
}

/** Binance's number of an order that `readForced` has named. */
export const forcedOrderId = (clientOrderId: string): string => clientOrderId.slice(clientOrderId.lastIndexOf('-') + 1);

/** In one-way mode an order has no side of its own: one that reduces belongs to the opposite position. */
function positionOf(order: Fields, side: OrderSide): Pick<OrderReport, 'positionSide' | 'reduceOnly'> {
  const opened: PositionSide = side === 'BUY' ? 'LONG' : 'SHORT';
  const opposite: PositionSide = side === 'BUY' ? 'SHORT' : 'LONG';
  if (order.positionSide === 'LONG' || order.positionSide === 'SHORT')
    return { positionSide: order.positionSide, reduceOnly: order.positionSide !== opened };
  const reduceOnly = order.reduceOnly === true || order.closePosition === true;
  return { positionSide: reduceOnly ? opposite : opened, reduceOnly };
}

/** `priceOf`: what one unit of an asset is worth; fees may be taken in another one than USDT. */
export async function readFills(body: unknown, priceOf: (asset: string) => Promise<Decimal>): Promise<readonly Fill[]> {
  return Promise.all(
    read.list(body).map(async (trade): Promise<Fill> => {
      const commission = read.decimal(trade.commission);
      const price = commission === ZERO ? decimal(1) : await priceOf(read.text(trade.commissionAsset));
      return {
        fillId: read.text(trade.id),
        quantity: read.decimal(trade.qty),
        price: read.decimal(trade.price),
        fee: times(commission, price),
        atMs: read.moment(trade.time),
        realizedPnl: read.decimal(trade.realizedPnl),
      };
    }),
  );
}
