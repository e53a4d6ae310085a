// GET /trades, GET /trades/{requestId} and GET /positions: the journal as its owner reads it.

import { z } from 'zod';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { Journal, Trade, TradeDetail } from '../../trading/books/journal.ts';
import { type Position, unrealizedPnl } from '../../trading/books/position.ts';
import { shownAverage, shownMoney, type TickOf } from '../../trading/books/shown-amounts.ts';
import { isShareOf, NAMELESS, type StrategyBook } from '../../trading/books/strategy-book.ts';
import { STATUS_OF, statesOf } from '../../trading/books/trade-status.ts';
import { type Decimal, decimal, toNumber } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { positionSchema, tradeDetailSchema, tradeSchema, tradesQuerySchema } from './schemas.ts';

const DEFAULT_LIMIT = 20;

export interface TradesDeps {
  readonly journal: Pick<Journal, 'trade' | 'trades' | 'positions' | 'strategyBooks'>;
  /** Last price as decimal text, and where it comes from. */
  readonly prices: { readonly label: string; lastPrice(market: string): Promise<string> };
  readonly tickOf: TickOf;
}

export const tradeEndpoints = ({ journal, ...sights }: TradesDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/trades',
    summary: 'Trades, newest first',
    tags: ['Trades'],
    query: tradesQuerySchema,
    responses: { ...ok('Trades', z.array(tradeSchema)), 400: refused('INVALID_QUERY') },
    async handler(c) {
      const query = readQuery(c, tradesQuerySchema);
      const market = query.symbol === undefined ? undefined : marketOf(query.symbol);
      if (query.symbol !== undefined && market === undefined) {
        throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
      }
      const trades = await journal.trades({
        limit: query.limit ?? DEFAULT_LIMIT,
        beforeRequestId: query.before,
        exchange: query.exchange,
        account: query.account,
        strategy: query.strategy,
        market,
        states: query.status && statesOf(query.status),
      });
      return c.json({ success: true, requestId: c.var.requestId, result: trades.map(tradeView) });
    },
  },
  {
    method: 'get',
    path: '/trades/{requestId}',
    summary: 'One trade with its orders, fills and whole history',
    tags: ['Trades'],
    params: z.object({ requestId: z.string().meta({ examples: ['$REQUEST_ID'] }) }),
    responses: { ...ok('The trade', tradeDetailSchema), 404: refused('TRADE_NOT_FOUND') },
    async handler(c) {
      const detail = await journal.trade(paramOf(c, 'requestId'));
      // What was asked for is not repeated: it may be a key that was pasted into the wrong place.
      if (!detail) throw new Refusal('TRADE_NOT_FOUND');
      return c.json({ success: true, requestId: c.var.requestId, result: detailView(detail) });
    },
  },
  {
    method: 'get',
    path: '/positions',
    summary: 'Open positions, as the fills made them',
    tags: ['Trades'],
    responses: ok('Positions', z.array(positionSchema)),
    async handler(c) {
      const held = (await journal.positions()).filter((position) => position.quantity > 0n);
      const books = await journal.strategyBooks();
      const result = await Promise.all(held.map((position) => positionView(position, { held, books }, sights)));
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

const money = (amount: Decimal): number => toNumber(shownMoney(amount));
const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));

export function tradeView(trade: Trade) {
  const { order } = trade;
  return {
    requestId: trade.requestId,
    receivedAt: trade.receivedAtMs,
    source: trade.source,
    keyLabel: trade.keyLabel,
    exchange: order.exchange,
    mode: trade.mode,
    account: trade.account,
    action: order.action,
    symbol: order.symbol,
    market: order.market,
    quantity: toNumber(order.quantity),
    price: orNull(order.price),
    leverage: order.leverage ?? null,
    strategy: order.strategy ?? null,
    comment: order.comment ?? null,
    idempotencyKey: order.idempotencyKey ?? null,
    status: STATUS_OF[trade.state],
    orderId: trade.orderId ?? null,
    executedQty: toNumber(trade.executedQuantity),
    averagePrice: orNull(trade.averagePrice),
    error: trade.error ?? null,
  };
}

function accountView(trade: Trade) {
  const { requestId, exchange, account, status, executedQty, averagePrice, error } = tradeView(trade);
  return { requestId, exchange, account, status, executedQty, averagePrice, error };
}

function detailView({ trade, ofSignal, orders, fills, events }: TradeDetail) {
  return {
    ...tradeView(trade),
    ...(ofSignal.length > 1 && { accounts: ofSignal.map(accountView) }),
    orders: orders.map((order) => ({
      clientOrderId: order.clientOrderId,
      leg: order.leg,
      side: order.side,
      positionSide: order.positionSide,
      reduceOnly: order.reduceOnly,
      quantity: toNumber(order.quantity),
      price: orNull(order.price),
      status: STATUS_OF[order.state],
      orderId: order.orderId ?? null,
      executedQty: toNumber(order.executedQuantity),
      averagePrice: orNull(order.averagePrice),
      reason: order.reason ?? null,
    })),
    fills: fills.map((fill) => ({
      fillId: fill.fillId,
      clientOrderId: fill.clientOrderId,
      quantity: toNumber(fill.quantity),
      price: toNumber(fill.price),
      fee: money(fill.fee),
      realizedPnl: money(fill.realizedPnl),
      at: fill.atMs,
    })),
    events: events.map(({ atMs, kind, detail }) => ({ at: atMs, kind, detail: detail ?? null })),
  };
}

export async function positionView(
  position: Position,
  { held, books }: { readonly held: readonly Position[]; readonly books: readonly StrategyBook[] },
  { prices, tickOf }: Omit<TradesDeps, 'journal'>,
): Promise<z.infer<typeof positionSchema>> {
  // A market without a price still has a position worth showing.
  const mark = await prices.lastPrice(position.market).then(decimal, () => undefined);
  return {
    exchange: position.exchange,
    mode: position.mode,
    account: position.account,
    market: position.market,
    side: position.side,
    quantity: toNumber(position.quantity),
    entryPrice: toNumber(shownAverage(position.entryPrice, tickOf(position.exchange, position.market))),
    markPrice: orNull(mark),
    unrealizedPnl: mark === undefined ? null : money(unrealizedPnl(position, mark)),
    realizedPnl: money(position.realizedPnl),
    fees: money(position.fees),
    prices: prices.label,
    strategies: books.filter((book) => isShareOf(book, position, held)).map((book) => shareView(book, tickOf)),
    updatedAt: position.updatedAtMs,
  };
}

const shareView = (book: StrategyBook, tickOf: TickOf) => ({
  strategy: book.strategy === NAMELESS ? null : book.strategy,
  side: book.side,
  quantity: toNumber(book.quantity),
  entryPrice: toNumber(shownAverage(book.entryPrice, tickOf(book.exchange, book.market))),
  realizedPnl: money(book.realizedPnl),
  fees: money(book.fees),
});
