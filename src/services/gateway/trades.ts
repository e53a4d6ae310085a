// GET /trades, GET /trades/{requestId} and GET /positions: the journal as its owner reads it.

import { z } from 'zod';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { ArchivedHistory } from '../../trading/books/fill-history.ts';
import {
  type BookedFill,
  isFinal,
  type Journal,
  type Trade,
  type TradeDetail,
  type TradeFilter,
} from '../../trading/books/journal.ts';
import { shownMoney } from '../../trading/books/shown-amounts.ts';
import { NO_NOTE, type TradeNotes } from '../../trading/books/trade-notes.ts';
import { STATUS_OF, statesOf } from '../../trading/books/trade-status.ts';
import { type Decimal, plus, toNumber, ZERO } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { plainName } from '../../trading/name-spelling.ts';
import { checkNames, type KnownNames, UNKNOWN_NAME } from './check-names.ts';
import { asksForCsv, type CsvTable, csvAnswer, formatFilter, mapPages, orCsv, pagesOf } from './csv.ts';
import { rangeOf, searchOf, tradeFilters } from './list-filters.ts';
import { openPositions, type PositionDeps, positionSchema } from './position-views.ts';
import { type ProtectionView, pendingView, protectionSchema, protectionView } from './protection-views.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { answerOf, described, positionsQuerySchema, tradesQuerySchema } from './schemas.ts';
import { noteView } from './trade-notes.ts';
import { tradeDetailSchema, tradeSchema } from './trade-schemas.ts';

const DEFAULT_LIMIT = 20;

const CSV_PAGE = 200;

const tradeListSchema = tradesQuerySchema.extend({ ...tradeFilters, format: formatFilter });

export const guardedTradeSchema = tradeDetailSchema.extend({
  protection: described(
    protectionSchema.nullable(),
    'What it asked for: waiting for its fill, or in force; null where it asked for nothing, and when that is over',
  ),
});

const tradeAnswerSchema = answerOf(z.array(tradeSchema)).extend({
  archivedBefore: described(
    z.number().int().optional(),
    'Only trades that ended since then are all here: earlier ones may be archived. Left out where nothing was archived',
  ),
});

/** By the entry that asked for it; what has ended waits for nothing. */
function guardOf({ requestId, state }: Trade, { protections, tickOf }: TradesDeps): ProtectionView | null {
  const found = protections.list().find(({ origin }) => origin === requestId);
  if (found) return protectionView(found, tickOf, protections);
  const { share, ...waiting } = isFinal(state) ? NOTHING : (protections.waitingOf(requestId) ?? NOTHING);
  return share && 'asked' in waiting ? pendingView({ ...waiting, share }) : null;
}
const NOTHING = { share: undefined };

export interface TradesDeps extends PositionDeps {
  readonly notes: Pick<TradeNotes, 'of'>;
  readonly journal: Pick<Journal, 'trade' | 'trades' | 'fillsOf' | 'positions' | 'strategyBooks'>;
  readonly history: ArchivedHistory;
  /** The archive file that has a trade. */
  readonly findArchived?: ((requestId: string) => Promise<string | undefined>) | undefined;
}

function marketNamed(symbol: string): string {
  const market = marketOf(symbol);
  if (market === undefined) throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
  return market;
}

/** Of a strategy: the positions in which it has a share; empty, those of signals without one. */
function fits(
  { exchange, account, market, strategies }: z.infer<typeof positionSchema>,
  wanted: Omit<z.infer<typeof positionsQuerySchema>, 'symbol'> & { readonly market: string | undefined },
): boolean {
  const shares = strategies.length === 0 ? [''] : strategies.map(({ strategy }) => strategy ?? '');
  return (
    (wanted.exchange ?? exchange) === exchange &&
    (wanted.account ?? account) === account &&
    (wanted.market ?? market) === market &&
    (wanted.strategy === undefined || shares.includes(wanted.strategy))
  );
}

export const tradeEndpoints = (deps: TradesDeps, names: KnownNames): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/trades',
    summary: 'Trades, newest first',
    tags: ['Trades'],
    query: tradeListSchema,
    responses: orCsv({ 200: { description: 'Trades', schema: tradeAnswerSchema }, 400: refused('INVALID_QUERY') }),
    async handler(c) {
      const query = readQuery(c, tradeListSchema);
      const filter = tradeFilterOf(query);
      if (asksForCsv(c, query.format)) return csvAnswer(c, tradeTable(deps, filter, query.limit));
      const result = await tradeViews(
        deps,
        await deps.journal.trades({ ...filter, limit: query.limit ?? DEFAULT_LIMIT }),
      );
      const archivedBefore = await deps.history.completeFromMs();
      const note = archivedBefore > 0 && { archivedBefore };
      return c.json({ success: true, requestId: c.var.requestId, result, ...note });
    },
  },
  {
    method: 'get',
    path: '/trades/{requestId}',
    summary: 'One trade with its orders, fills and whole history',
    tags: ['Trades'],
    params: z.object({ requestId: z.string().meta({ examples: ['$REQUEST_ID'] }) }),
    responses: { ...ok('The trade', guardedTradeSchema), 404: refused('TRADE_NOT_FOUND, TRADE_ARCHIVED') },
    async handler(c) {
      const detail = await deps.journal.trade(paramOf(c, 'requestId'));
      if (!detail) throw await notInJournal(deps, paramOf(c, 'requestId'));
      return c.json({
        success: true,
        requestId: c.var.requestId,
        result: { ...(await detailView(detail, deps.notes)), protection: guardOf(detail.trade, deps) },
      });
    },
  },
  {
    method: 'get',
    path: '/positions',
    summary: 'Open positions, as the fills made them',
    tags: ['Trades'],
    query: positionsQuerySchema,
    responses: { ...ok('Positions', z.array(positionSchema)), 400: refused('INVALID_QUERY'), 422: UNKNOWN_NAME },
    async handler(c) {
      const { symbol, ...query } = readQuery(c, positionsQuerySchema);
      const filter = { ...query, market: symbol === undefined ? undefined : marketNamed(symbol) };
      const result = (await openPositions(deps)).filter((position) => fits(position, filter));
      if (result.length === 0) checkNames(filter, names);
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  },
];

/** What was asked for is not repeated: it may be a key that was pasted into the wrong place. */
async function notInJournal({ findArchived, history }: TradesDeps, requestId: string): Promise<Refusal> {
  const file = await findArchived?.(requestId);
  if (file !== undefined)
    return new Refusal('TRADE_ARCHIVED', `the trade is archived in ${file}; read it there with any SQLite tool`);
  const archivedBeforeMs = await history.completeFromMs();
  return archivedBeforeMs === 0
    ? new Refusal('TRADE_NOT_FOUND')
    : new Refusal(
        'TRADE_NOT_FOUND',
        `no trade has this request id here; trades from before ${new Date(archivedBeforeMs).toISOString()} were archived, and where ` +
          'several machines share a database, their file is in the data folder of the one that traded when they were',
      );
}

function tradeFilterOf(query: z.infer<typeof tradeListSchema>): Omit<TradeFilter, 'limit'> {
  return {
    beforeRequestId: query.before,
    exchange: query.exchange,
    account: query.account,
    strategy: query.strategy,
    ...searchOf(query),
    ...rangeOf(query),
    alertId: query.alertId === undefined ? undefined : plainName(query.alertId),
    market: query.symbol === undefined ? undefined : marketNamed(query.symbol),
    states: query.status && statesOf(query.status),
  };
}

async function tradeViews({ journal, notes }: TradesDeps, trades: readonly Trade[]) {
  const fills = await journal.fillsOf(trades);
  const written = await notes.of(trades);
  return trades.map((trade) => ({
    ...tradeView(trade),
    ...madeBy(fills.get(trade.seq) ?? []),
    ...noteView(written.get(trade.seq) ?? NO_NOTE),
  }));
}

function tradeTable(deps: TradesDeps, filter: Omit<TradeFilter, 'limit'>, limit: number | undefined): CsvTable {
  const read = (last: Trade | undefined) =>
    deps.journal.trades({ ...filter, limit: CSV_PAGE, ...(last && { beforeRequestId: last.requestId }) });
  return {
    ...{ name: 'trades', columns: Object.keys(tradeSchema.shape), times: ['receivedAt'], limit },
    pages: mapPages(pagesOf(read, CSV_PAGE), (trades) => tradeViews(deps, trades)),
  };
}

const money = (amount: Decimal): number => toNumber(shownMoney(amount));
const orNull = (value: Decimal | undefined): number | null => (value === undefined ? null : toNumber(value));

/** All of its fills together. */
const madeBy = (fills: readonly BookedFill[]) => ({
  realizedPnl: money(fills.map(({ realizedPnl }) => realizedPnl).reduce(plus, ZERO)),
  fees: money(fills.map(({ fee }) => fee).reduce(plus, ZERO)),
});

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
    quantityType: order.quantityType ?? 'base',
    price: orNull(order.price),
    timeInForce: order.price === undefined ? null : (order.timeInForce ?? 'GTC'),
    postOnly: order.postOnly ?? false,
    cancelAfterSeconds: order.cancelAfterSeconds ?? null,
    leverage: order.leverage ?? null,
    strategy: order.strategy ?? null,
    comment: order.comment ?? null,
    idempotencyKey: order.idempotencyKey ?? null,
    alertId: order.alertId ?? null,
    prevMarketPosition: order.previousPosition?.position ?? null,
    prevMarketPositionSize: orNull(order.previousPosition?.size),
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

async function detailView({ trade, ofSignal, orders, fills, events }: TradeDetail, notes: TradesDeps['notes']) {
  return {
    ...tradeView(trade),
    ...madeBy(fills),
    ...noteView((await notes.of([trade])).get(trade.seq) ?? NO_NOTE),
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
