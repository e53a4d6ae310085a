// Orders in MEXC's words: what is sent for one, and how its answer is read.
//
// | what the order does | side |
// |---------------------|------|
// | opens a long        | 1    |
// | closes a short      | 2    |
// | opens a short       | 3    |
// | closes a long       | 4    |

import { type Decimal, over, times, toText, ZERO } from '../../../trading/decimal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type Fill,
  type OrderReport,
  type OrderRequest,
  type OrderStatus,
  type PositionMode,
} from '../../../trading/venue.ts';
import { plainWords } from '../../plain-words.ts';
import type { Fields } from '../../read-json.ts';
import type { OrderRows } from '../open-orders.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket, VenueOrder } from '../venue-adapter.ts';
import type { CallParams, VenueCall } from '../venue-call.ts';
import { PRIVATE, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** What the venue itself does has no client order id; this and its own order id name it. */
export const FORCED_PREFIX = 'mexc-';

const TYPES = { GTC: 1, IOC: 3, FOK: 4 } as const;
const POST_ONLY = 2;
export const MARKET = 5;
/** IOC, FOK and market orders. */
const AT_ONCE = new Set(['3', '4', '5']);

/** How a position is opened: 1 isolated, 2 cross; and with which leverage. */
export interface OpeningTerms {
  readonly openType: number;
  readonly leverage: number;
}

const SIDES: Readonly<Record<string, Pick<OrderReport, 'side' | 'positionSide' | 'reduceOnly'>>> = {
  '1': { side: 'BUY', positionSide: 'LONG', reduceOnly: false },
  '2': { side: 'BUY', positionSide: 'SHORT', reduceOnly: true },
  '3': { side: 'SELL', positionSide: 'SHORT', reduceOnly: false },
  '4': { side: 'SELL', positionSide: 'LONG', reduceOnly: true },
};

export const sizeOf = ({ contractSize }: VenueMarket): Decimal => contractSize ?? read.fail();

export const sideOf = ({ positionSide, reduceOnly }: Pick<OrderReport, 'positionSide' | 'reduceOnly'>): number =>
  positionSide === 'LONG' ? (reduceOnly ? 4 : 1) : reduceOnly ? 2 : 3;

export function placeCall(
  market: VenueMarket,
  request: OrderRequest,
  mode: PositionMode,
  { openType, leverage }: OpeningTerms,
): VenueCall {
  const { clientOrderId, reduceOnly, quantity, price, timeInForce = 'GTC', postOnly } = request;
  const kind: CallParams =
    price === undefined
      ? { type: MARKET }
      : { type: postOnly === true ? POST_ONLY : TYPES[timeInForce], price: toText(price) };
  return {
    ...{ method: 'POST', section: PRIVATE, path: 'order/create', cost: { orders: 1 } },
    params: {
      ...{ symbol: market.venueSymbol, side: sideOf(request), ...kind, vol: toText(over(quantity, sizeOf(market))) },
      ...{ openType, leverage, externalOid: clientOrderId },
      // Said with every order, so that MEXC refuses one that was meant for another mode than the account has.
      positionMode: mode === 'hedge' ? 1 : 2,
      // Where both sides can be held, the side alone says that it closes.
      ...(reduceOnly && mode === 'one-way' && { reduceOnly: true }),
    },
  };
}

export const findByIdCall = (orderId: string): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'order/get/{order_id}', cost: { 'order-reads': 1 } },
  params: { order_id: orderId },
});

export const findCall = ({ venueSymbol: symbol }: VenueMarket, clientOrderId: string): VenueCall =>
  clientOrderId.startsWith(FORCED_PREFIX)
    ? findByIdCall(clientOrderId.slice(FORCED_PREFIX.length))
    : {
        ...{ method: 'GET', section: PRIVATE, path: 'order/external/{symbol}/{external_oid}' },
        ...{ params: { symbol, external_oid: clientOrderId }, cost: { 'order-reads': 1 } },
      };

export const openOrdersCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'order/list/open_orders/{symbol}', cost: { 'open-orders': 1 } },
  params: { symbol },
});

/** Of the whole account. */
export const ALL_OPEN_ORDERS_CALL: VenueCall = {
  ...{ method: 'GET', section: PRIVATE, path: 'order/list/open_orders', cost: { 'open-orders': 1 } },
};

export const cancelCall = ({ venueSymbol: symbol }: VenueMarket, clientOrderId: string): VenueCall => ({
  ...{ method: 'POST', section: PRIVATE, path: 'order/cancel_with_external', cost: { cancels: 1 } },
  params: { symbol, externalOid: clientOrderId },
});

export const cancelByIdCall = (orderId: string): VenueCall => ({
  ...{ method: 'POST', section: PRIVATE, path: 'order/cancel', cost: { cancels: 1 } },
  list: [orderId],
});
/** As far back as MEXC's lists reach; it does not say how long it shows those of one order. */
export const FILLS_KEPT_FOR_MS = 90 * 24 * 3_600_000;

export const fillsCall = (orderId: string): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'order/deal_details/{order_id}', cost: { fills: 1 } },
  params: { order_id: orderId },
});

/** Orders that ended in the last week; MEXC's category 2 are liquidations, 4 those of its deleveraging. */
export const endedCall = (category: number, nowMs: number): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'order/list/history_orders', cost: { 'open-orders': 1 } },
  params: { category, start_time: nowMs - 7 * 24 * 3_600_000, end_time: nowMs },
});

export function readOrder(order: Fields, market: VenueMarket): VenueOrder {
  const size = sizeOf(market);
  const executedQuantity = times(read.decimal(order.dealVol), size);
  const orderId = read.text(order.orderId);
  const side = SIDES[read.text(order.side)] ?? read.fail();
  const id = order.externalOid;
  return {
    clientOrderId: typeof id === 'string' && id !== '' && !id.startsWith('_m_') ? id : `${FORCED_PREFIX}${orderId}`,
    ...{ orderId, market: market.symbol, executedQuantity, quantity: times(read.decimal(order.vol), size) },
    ...side,
    ...endOf(order, executedQuantity),
    averagePrice: executedQuantity > ZERO ? read.decimal(order.dealAvgPrice) : undefined,
    createdAtMs: read.moment(order.createTime),
  };
}

/** Both sides of an account that are liquidated at once may have one name: its number there names an order of MEXC's own. */
export function readForced(row: Fields, market: VenueMarket): VenueOrder {
  const order = readOrder(row, market);
  const clientOrderId = `${FORCED_PREFIX}${order.orderId}`;
  if (order.clientOrderId === clientOrderId || order.clientOrderId.startsWith(CLIENT_ORDER_PREFIX)) return order;
  return { ...order, clientOrderId, formerId: order.clientOrderId };
}

/** Of markets that we know; what settles in another coin is left out. */
export const rowsIn = (marketOf: (venueSymbol: string) => VenueMarket | undefined): OrderRows => ({
  clientId: 'externalOid',
  shown: ['side', 'orderType', 'vol', 'price', 'state'],
  read(row) {
    const market = marketOf(read.text(row.symbol));
    return market && readOrder(row, market);
  },
});

/** MEXC's states: 1 not yet looked at, 2 open, 3 done, 4 canceled, 5 refused. */
function endOf(order: Fields, executedQuantity: Decimal): Pick<OrderReport, 'status' | 'reason'> {
  const statuses: Readonly<Record<string, OrderStatus>> = {
    '1': 'submitted',
    '2': executedQuantity > ZERO ? 'partially_filled' : 'submitted',
    '3': 'filled',
    '4': 'canceled',
    '5': 'rejected',
  };
  const status = statuses[String(order.state)] ?? read.fail();
  // Nobody cancels these but the venue, when the market cannot fill them.
  if (status === 'canceled' && AT_ONCE.has(String(order.orderType)))
    return { status: 'expired', reason: 'the market could not fill the rest' };
  return status === 'rejected'
    ? { status, reason: `${TITLE} refused the order (${plainWords(String(order.errorCode))})` }
    : { status };
}

export function readFill(row: Fields, market: VenueMarket): Fill {
  const realizedPnl = read.decimalOrNone(row.profit);
  return {
    fillId: read.text(row.id),
    quantity: times(read.decimal(row.vol), sizeOf(market)),
    price: read.decimal(row.price),
    fee: read.decimal(row.fee),
    atMs: read.moment(row.timestamp),
    ...(realizedPnl !== undefined && { realizedPnl }),
  };
}
