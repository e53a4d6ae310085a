// Orders in Bybit's words: what is sent for one, and how its answer is read.
//
// Bybit only acknowledges an order. What became of it stands in its list of open and lately closed orders, and after that in its
// history: one that is missing from the first may have filled long ago.

import { toText, ZERO } from '../../../trading/decimal.ts';
import type { Fill, OrderReport, OrderRequest, OrderSide, OrderStatus, PositionMode } from '../../../trading/venue.ts';
import { type Fields, wordsOf } from '../../read-json.ts';
import type { Week } from '../fills-by-week.ts';
import type { OrderRows } from '../open-orders.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket, VenueOrder } from '../venue-adapter.ts';
import type { CallParams, VenueCall } from '../venue-call.ts';
import { ORDER_READ, READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** What the venue itself does has no client order id; this and its own order id name it. */
export const FORCED_PREFIX = 'bybit-';
const FILLS_PAGE = 100;

const STATUSES: Readonly<Record<string, OrderStatus>> = {
  Created: 'submitted',
  New: 'submitted',
  Untriggered: 'submitted',
  Triggered: 'submitted',
  PartiallyFilled: 'partially_filled',
  Filled: 'filled',
  Cancelled: 'canceled',
  PartiallyFilledCanceled: 'canceled',
  Deactivated: 'canceled',
  Rejected: 'rejected',
};
const SIDES: Readonly<Record<string, OrderSide>> = { Buy: 'BUY', Sell: 'SELL' };
const MERE_STOP_STATUSES = new Set(['Untriggered', 'Deactivated', 'Rejected']);
/** Bybit cancels a post-only order that would trade; for its sender it was refused. */
const POST_ONLY_REASON = 'EC_PostOnlyWillTakeLiquidity';
/** Nobody cancels these but the venue, when the market cannot fill them; market orders are shown as IOC. */
const AT_ONCE = new Set<unknown>(['IOC', 'FOK']);

export function placeCall(market: VenueMarket, request: OrderRequest, mode: PositionMode): VenueCall {
  const { clientOrderId, side, positionSide, reduceOnly, quantity, price, timeInForce = 'GTC', postOnly } = request;
  const hedgeIndex = positionSide === 'LONG' ? 1 : 2;
  const kind: CallParams =
    price === undefined
      ? { orderType: 'Market' }
      : { orderType: 'Limit', price: toText(price), timeInForce: postOnly === true ? 'PostOnly' : timeInForce };
  return {
    ...{ method: 'POST', section: 'private', path: 'v5/order/create', cost: { requests: 1, orders: 1 } },
    params: {
      ...{ category: 'linear', symbol: market.venueSymbol, side: side === 'BUY' ? 'Buy' : 'Sell', ...kind },
      ...{ qty: toText(quantity), orderLinkId: clientOrderId, positionIdx: mode === 'hedge' ? hedgeIndex : 0 },
      ...(reduceOnly && { reduceOnly: true }),
    },
  };
}

const idOf = (clientOrderId: string): CallParams =>
  clientOrderId.startsWith(FORCED_PREFIX)
    ? { orderId: clientOrderId.slice(FORCED_PREFIX.length) }
    : { orderLinkId: clientOrderId };

/** Open orders and the latest of those that ended. */
export const recentCall = ({ venueSymbol }: VenueMarket, clientOrderId: string): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/order/realtime', cost: ORDER_READ },
  params: { category: 'linear', symbol: venueSymbol, ...idOf(clientOrderId) },
});

export const historyCall = ({ venueSymbol }: VenueMarket, clientOrderId: string): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/order/history', cost: ORDER_READ },
  params: { category: 'linear', symbol: venueSymbol, ...idOf(clientOrderId) },
});

export const openOrdersCall = ({ venueSymbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/order/realtime', cost: ORDER_READ },
  params: { category: 'linear', symbol: venueSymbol, openOnly: 0, limit: 50 },
});

/** Stops and the orders that they become are one and the same to Bybit, in its lists too. */
export const isStop = ({ triggerPrice }: Fields): boolean =>
  typeof triggerPrice === 'string' && triggerPrice !== '' && read.decimal(triggerPrice) > ZERO;

/** One that waits, or that ended before it became an order. */
export const isMereStop = (row: Fields): boolean => isStop(row) && MERE_STOP_STATUSES.has(String(row.orderStatus));

export const openByCoinCall = (settleCoin: string): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/order/realtime', cost: ORDER_READ },
  params: { category: 'linear', settleCoin, openOnly: 0, limit: 50 },
});

export const cancelCall = ({ venueSymbol }: VenueMarket, clientOrderId: string): VenueCall => ({
  ...{ method: 'POST', section: 'private', path: 'v5/order/cancel', cost: { requests: 1, cancels: 1 } },
  params: { category: 'linear', symbol: venueSymbol, ...idOf(clientOrderId) },
});

/** Two years; without a time Bybit lists those of the last week. */
export const FILLS_KEPT_FOR_MS = 730 * 24 * 3_600_000;

export const fillsCall = ({ venueSymbol }: VenueMarket, orderId: string, week: Week): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/execution/list', cost: ORDER_READ },
  params: { category: 'linear', symbol: venueSymbol, orderId, ...week, limit: FILLS_PAGE },
});

/** Bybit's words for what it does itself: liquidations, and its automatic deleveraging. */
export const FORCED_TYPES: readonly string[] = ['BustTrade', 'AdlTrade'];
export const isForced = ({ execType }: Fields): boolean => FORCED_TYPES.includes(String(execType));

/** Liquidations of the last week, which is what Bybit shows unless another time is named. */
export const forcedFillsCall = (execType: string): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/execution/list', cost: READ },
  params: { category: 'linear', execType, limit: FILLS_PAGE },
});

export function readOrder(order: Fields): VenueOrder {
  const executedQuantity = read.decimal(order.cumExecQty);
  const side = SIDES[read.text(order.side)] ?? read.fail();
  const orderId = read.text(order.orderId);
  const status = STATUSES[read.text(order.orderStatus)] ?? read.fail();
  const linkId = order.orderLinkId;
  return {
    clientOrderId: typeof linkId === 'string' && linkId !== '' ? linkId : `${FORCED_PREFIX}${orderId}`,
    ...{ orderId, side, market: read.text(order.symbol), quantity: read.decimal(order.qty), executedQuantity },
    ...positionOf(order, side),
    ...endOf(status, order),
    averagePrice: executedQuantity > ZERO ? read.decimal(order.avgPrice) : undefined,
    createdAtMs: read.moment(order.createdTime),
  };
}

export const ROWS: OrderRows = {
  clientId: 'orderLinkId',
  shown: ['side', 'orderType', 'stopOrderType', 'qty', 'price', 'orderStatus'],
  read: (row) => (isMereStop(row) ? undefined : readOrder(row)),
};

function endOf(status: OrderStatus, { rejectReason, timeInForce }: Fields): Pick<OrderReport, 'status' | 'reason'> {
  if (rejectReason === POST_ONLY_REASON)
    return { status: 'rejected', reason: 'the order would have traded at once, and it is post-only' };
  if (status === 'canceled' && AT_ONCE.has(timeInForce))
    return { status: 'expired', reason: 'the market could not fill the rest' };
  return status === 'rejected' ? { status, reason: `${TITLE}: ${wordsOf(rejectReason)}` } : { status };
}

function positionOf(order: Fields, side: OrderSide): Pick<OrderReport, 'positionSide' | 'reduceOnly'> {
  const reduceOnly = order.reduceOnly === true || order.closeOnTrigger === true;
  if (order.positionIdx === '1') return { positionSide: 'LONG', reduceOnly: reduceOnly || side === 'SELL' };
  if (order.positionIdx === '2') return { positionSide: 'SHORT', reduceOnly: reduceOnly || side === 'BUY' };
  return { positionSide: (side === 'BUY') === reduceOnly ? 'SHORT' : 'LONG', reduceOnly };
}

export function readFill(row: Fields): Fill {
  const realizedPnl = read.decimalOrNone(row.execPnl);
  return {
    fillId: read.text(row.execId),
    quantity: read.decimal(row.execQty),
    price: read.decimal(row.execPrice),
    fee: read.decimal(row.execFee),
    atMs: read.moment(row.execTime),
    ...(realizedPnl !== undefined && { realizedPnl }),
  };
}

/** Fundings stand in the same list. */
export const isTrade = ({ execType }: Fields): boolean => execType !== 'Funding';
