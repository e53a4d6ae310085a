// GET /orders, DELETE /orders/{clientOrderId} and POST /orders/cancel: our own orders at the venues, and taking them back.

import { z } from 'zod';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readJson } from '../../http/read-body.ts';
import type { Journal, OrderFilter, SentOrder } from '../../trading/books/journal.ts';
import { STATUS_OF, statesOf } from '../../trading/books/trade-status.ts';
import { type Decimal, toNumber } from '../../trading/decimal.ts';
import type { CanceledOrder, OrderCanceler, OrderSelection } from '../../trading/execution/cancel-orders.ts';
import { tradeIdOfOrder } from '../../trading/execution/client-order-id.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { checkNames, type KnownNames, UNKNOWN_NAME } from './check-names.ts';
import { asksForCsv, type CsvTable, csvAnswer, mapPages, orCsv, pagesOf } from './csv.ts';
import type { GatewayErrorCode } from './errors.ts';
import { rangeOf, searchOf } from './list-filters.ts';
import { canceledOrderSchema, cancelRequestSchema, orderSchema, ordersQuerySchema } from './order-schemas.ts';
import { readQuery } from './read-query.ts';
import { checkShape } from './read-signal.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { errorSchema } from './schemas.ts';
import { misspelledFields } from './unknown-fields.ts';

const DEFAULT_LIMIT = 100;
const CSV_PAGE = 200;
const TAGS = ['Orders'];
const CANCEL_FIELDS = Object.keys(cancelRequestSchema.shape);

export interface OrdersDeps {
  readonly journal: Pick<Journal, 'orders' | 'trade'>;
  /** Absent while nothing is traded: then nothing can be canceled either. */
  readonly canceler?: Pick<OrderCanceler, 'cancelOrder' | 'cancelOrders'> | undefined;
}

export const orderEndpoints = ({ journal, canceler }: OrdersDeps, names: KnownNames): readonly Endpoint[] => [
  orderListEndpoint(journal, names),
  {
    method: 'delete',
    path: '/orders/{clientOrderId}',
    summary: 'Cancel one order, and tell its last word',
    tags: TAGS,
    params: z.object({ clientOrderId: z.string().meta({ examples: ['sbx01k9q7d3e4f5g6h7j8k9m0n1p2o'] }) }),
    responses: {
      ...ok('Canceled; executedQty tells what had filled before', orderSchema),
      404: refused('ORDER_NOT_FOUND'),
      409: {
        description: 'ORDER_ENDED: it had ended, or a fill came before the cancel; result is its last word',
        schema: errorSchema.extend({ result: orderSchema }),
      },
      422: refused('ORDER_REJECTED: the venue refused to cancel it; it stays as it is'),
      500: refused(
        'VENUE_UNREACHABLE: not canceled, it stays as it is; CANCEL_UNKNOWN: GET /orders will tell; STORAGE_FAILED',
      ),
      503: refused('NOT_TRADING'),
    },
    async handler(c) {
      const clientOrderId = paramOf(c, 'clientOrderId');
      const canceled = await trading(canceler).cancelOrder(clientOrderId, { by: actorOf(c) });
      const result = canceled && (await shownOf(journal, [canceled]))[0];
      if (!result) throw new Refusal('ORDER_NOT_FOUND');
      const { outcome, error, ...order } = result;
      if (outcome === 'canceled') return c.json({ success: true, requestId: c.var.requestId, result: order });
      if (outcome === 'ended') throw ended(order, error);
      throw new Refusal(CODE_OF[outcome], error ?? undefined);
    },
  },
  {
    method: 'post',
    path: '/orders/cancel',
    summary: 'Cancel every open order that fits all that is named',
    tags: TAGS,
    body: cancelRequestSchema,
    bodyExample: { symbol: 'BTCUSDT' },
    responses: {
      ...ok('Each order with what became of it; an empty list where none fitted', z.array(canceledOrderSchema)),
      400: BAD_BODY,
      413: refused('PAYLOAD_TOO_LARGE: more than 1 MiB'),
      422: UNKNOWN_NAME,
      500: refused('STORAGE_FAILED'),
      503: refused('NOT_TRADING'),
    },
    async handler(c) {
      const selection = await readSelection(c);
      const canceled = await trading(canceler).cancelOrders(selection, { by: actorOf(c) });
      if (canceled.length === 0) checkNames(selection, names);
      const result = await shownOf(journal, canceled);
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

const orderListEndpoint = (journal: OrdersDeps['journal'], names: KnownNames): Endpoint => ({
  method: 'get',
  path: '/orders',
  summary: 'Our own orders, newest first; the open ones unless another state is asked for',
  tags: TAGS,
  query: ordersQuerySchema,
  responses: orCsv({ ...ok('Orders', z.array(orderSchema)), 400: refused('INVALID_QUERY'), 422: UNKNOWN_NAME }),
  async handler(c) {
    const query = readQuery(c, ordersQuerySchema);
    const filter = filterOf(query);
    if (asksForCsv(c, query.format)) return csvAnswer(c, orderTable(journal, filter, query.limit));
    const orders = await journal.orders(filter);
    if (orders.length === 0) checkNames(filter, names);
    return c.json({ success: true, requestId: c.var.requestId, result: orders.map(orderView) });
  },
});

const CODE_OF: Readonly<Record<'unreachable' | 'refused' | 'unclear', GatewayErrorCode>> = {
  unreachable: 'VENUE_UNREACHABLE',
  refused: 'ORDER_REJECTED',
  unclear: 'CANCEL_UNKNOWN',
};

const trading = <T>(canceler: T | undefined): T => {
  if (canceler === undefined) throw new Refusal('NOT_TRADING');
  return canceler;
};

function ended(order: z.infer<typeof orderSchema>, error: string | null): Refusal {
  const words = `the order is ${order.status} already${error === null ? '' : `: ${error}`}; there is nothing to cancel`;
  return new Refusal('ORDER_ENDED', words, { extra: { result: order } });
}

export const orderStatesOf = (state: z.infer<typeof ordersQuerySchema>['state'] = 'open'): OrderFilter['states'] =>
  state === 'open' || state === 'all' ? state : statesOf(state);

function filterOf(query: z.infer<typeof ordersQuerySchema>): OrderFilter {
  const { state, symbol, before, limit = DEFAULT_LIMIT, exchange, account, strategy } = query;
  const market = symbol === undefined ? undefined : marketOf(symbol);
  if (symbol !== undefined && market === undefined)
    throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
  const tradeId = before === undefined ? undefined : tradeIdOfOrder(before);
  if (before !== undefined && tradeId === undefined)
    throw new Refusal('INVALID_QUERY', 'before: is no client order id, send one of GET /orders');
  return {
    ...{
      limit,
      states: orderStatesOf(state),
      exchange,
      account,
      market,
      strategy,
      ...searchOf(query),
      ...rangeOf(query),
    },
    ...(before !== undefined && tradeId !== undefined && { before: { tradeId, clientOrderId: before } }),
  };
}

function orderTable(journal: OrdersDeps['journal'], filter: OrderFilter, limit: number | undefined): CsvTable {
  const read = (last: SentOrder | undefined) => {
    const before = last && { tradeId: last.trade.requestId, clientOrderId: last.order.clientOrderId };
    return journal.orders({ ...filter, limit: CSV_PAGE, ...(before && { before }) });
  };
  return {
    ...{ name: 'orders', columns: Object.keys(orderSchema.shape), times: ['receivedAt'], limit },
    pages: mapPages(pagesOf(read, CSV_PAGE), (orders) => orders.map(orderView)),
  };
}

/** What is not named may be anything, so at least one thing must be: an empty body must not cancel everything. */
async function readSelection(c: KitContext): Promise<OrderSelection> {
  const { rest, faults } = misspelledFields(await readJson(c), CANCEL_FIELDS);
  const { all, symbol, key, ...named } = checkShape(cancelRequestSchema, rest, faults);
  const market = symbol === undefined ? undefined : marketOf(symbol);
  if (symbol !== undefined && market === undefined) throw invalid('symbol: names no market, send one such as BTCUSDT');
  const selection: OrderSelection = { ...named, market, keyLabel: key };
  const isNamed = Object.values(selection).some((value) => value !== undefined);
  if (all === true && isNamed)
    throw invalid('all: means every order, and something else is named too; send one or the other');
  if (all !== true && !isNamed)
    throw invalid('body: names no orders; send exchange, account, symbol, side, key or strategy, or "all": true');
  return selection;
}

const invalid = (fault: string): Refusal => new Refusal('INVALID_PAYLOAD', fault, { extra: { faults: [fault] } });

/** The orders as the journal has them now, with what became of the wish to cancel them. */
export async function shownOf(journal: OrdersDeps['journal'], canceled: readonly CanceledOrder[]) {
  const shown = await Promise.all(
    canceled.map(async ({ clientOrderId, outcome, error = null }) => {
      const detail = await journal.trade(tradeIdOfOrder(clientOrderId) ?? '');
      const order = detail?.orders.find((each) => each.clientOrderId === clientOrderId);
      return detail && order ? [{ ...orderView({ trade: detail.trade, order }), outcome, error }] : [];
    }),
  );
  return shown.flat();
}

const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));

export function orderView({ trade, order }: Pick<SentOrder, 'trade' | 'order'>): z.infer<typeof orderSchema> {
  return {
    clientOrderId: order.clientOrderId,
    requestId: trade.requestId,
    orderId: order.orderId ?? null,
    exchange: trade.order.exchange,
    mode: trade.mode,
    account: trade.account,
    market: trade.order.market,
    side: order.side,
    positionSide: order.positionSide,
    reduceOnly: order.reduceOnly,
    quantity: toNumber(order.quantity),
    price: orNull(order.price),
    status: STATUS_OF[order.state],
    executedQty: toNumber(order.executedQuantity),
    averagePrice: orNull(order.averagePrice),
    keyLabel: trade.keyLabel,
    strategy: trade.order.strategy ?? null,
    receivedAt: trade.receivedAtMs,
    reason: order.reason ?? null,
  };
}
