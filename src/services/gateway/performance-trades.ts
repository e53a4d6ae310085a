// GET /performance/trades: every closed trade by itself, with what was at risk, and how far it was ahead and behind.

import { z } from 'zod';
import { EXCHANGES, type Exchange } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { timeframeText } from '../../market-data/timeframe.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { PricesOf } from '../../trading/account-prices.ts';
import { accountsOf } from '../../trading/books/account-reports.ts';
import { type ClosedTrade, closedTrades } from '../../trading/books/closed-trades.ts';
import { type Excursion, type ExcursionBars, Excursions } from '../../trading/books/excursions.ts';
import type { TradedFillHistory } from '../../trading/books/fill-history.ts';
import { fillsOf, type PerformanceReportParts, TooManyFills } from '../../trading/books/performance-reports.ts';
import { shownAverage, shownMoney } from '../../trading/books/shown-amounts.ts';
import { type Decimal, decimal, minus, over, roundTo, toNumber } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { VENUE_MODES } from '../../trading/venue.ts';
import { accountFilterSchema, noAccount } from './account.ts';
import { asksForCsv, type CsvTable, csvAnswer, formatFilter, orCsv } from './csv.ts';
import { keyFilter, rangeOf, timeFilters } from './list-filters.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { described, tradesQuerySchema, wholeText } from './schemas.ts';
import { tagSchema } from './trade-notes.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** Each may be a request to its venue, which is asked once: closed trades are kept. */
const MAX_EXCURSIONS = 100;
const CSV_PAGE = 200;

const { symbol, strategy } = tradesQuerySchema.shape;
const closedQuerySchema = accountFilterSchema.extend({
  mode: described(z.enum(VENUE_MODES).optional(), 'Only accounts of this mode; live is real money'),
  symbol: described(symbol, 'Any spelling of the market'),
  strategy: described(strategy, 'Only closed by this strategy; empty: by signals without one'),
  key: described(keyFilter, 'Only positions that this key has opened'),
  tag: described(
    z.union([z.literal(''), tagSchema]).optional(),
    'Only where a trade that opened or closed it has this tag; empty: where none has any',
  ),
  requestId: described(
    z.string().min(1).max(64).optional(),
    'Only of this trade: what it has closed, and what was closed of the position that it opened',
  ),
  ...timeFilters,
  limit: described(wholeText(1, MAX_LIMIT).optional(), `${DEFAULT_LIMIT} when omitted`),
  before: described(z.string().min(1).max(200).optional(), 'The id of the last one seen, to page on'),
  excursions: described(
    z.enum(['yes', 'no']).optional(),
    `yes: with mae and mfe, for ${MAX_EXCURSIONS} trades at once; no when omitted`,
  ),
  format: formatFilter,
});

export const closedTradeSchema = z.object({
  id: described(z.string(), 'Of the closing fill'),
  exchange: z.enum(EXCHANGES),
  account: z.string(),
  mode: z.enum(VENUE_MODES),
  market: z.string(),
  side: z.enum(['LONG', 'SHORT']),
  quantity: z.number(),
  entryPrice: described(z.number(), 'The average of the position'),
  exitPrice: z.number(),
  openedAt: described(z.number().int().nullable(), 'When the position was opened; null where no fill of ours did'),
  closedAt: z.number().int(),
  pnl: described(z.number(), 'Before fees, in USDT'),
  fees: described(z.number(), 'Of the closing fill, and its share of those of the opening ones'),
  net: described(z.number(), 'pnl - fees'),
  atRisk: described(
    z.number().nullable(),
    'What the stops that came with its entries would have lost; null without one',
  ),
  r: described(z.number().nullable(), 'net / atRisk'),
  mae: described(z.number().nullable(), 'What it was behind at most, zero or less; null where it is not known'),
  mfe: described(z.number().nullable(), 'What it was ahead at most, zero or more; null where it is not known'),
  resolution: described(z.string().nullable(), 'The length of the bars that mae and mfe were read from'),
  requestId: described(z.string(), 'Of the trade that closed it'),
  entryRequestId: described(z.string().nullable(), 'Of the trade that opened the position'),
  keyLabel: described(z.string(), 'Of the key that opened the position'),
  strategy: z.string().nullable(),
});

export interface ClosedTradesDeps extends Pick<PerformanceReportParts, 'accounts' | 'maxFills'> {
  readonly history: TradedFillHistory;
  readonly pricesOf: PricesOf<ExcursionBars>;
  readonly tickOf: (exchange: Exchange, market: string) => Decimal | undefined;
}

type ClosedQuery = z.infer<typeof closedQuerySchema>;

export function closedTradeEndpoint(deps: ClosedTradesDeps): Endpoint {
  const excursions = new Excursions(deps.pricesOf);
  /** One after another: each may have hundreds of thousands of fills in memory. */
  const turns = new SerialQueue();
  const shown = async (trade: ClosedTrade, query: ClosedQuery) =>
    closedView(trade, query.excursions === 'yes' ? await excursions.of(trade) : undefined, deps.tickOf);
  return {
    method: 'get',
    path: '/performance/trades',
    summary: 'Closed trades, newest first, with R and excursions',
    description: 'A closed trade is a fill that reduced a position.',
    tags: ['Trades'],
    query: closedQuerySchema,
    responses: orCsv({
      ...ok('Closed trades', z.array(closedTradeSchema)),
      400: refused('INVALID_QUERY'),
      413: refused('QUERY_TOO_LARGE'),
      422: refused('UNKNOWN_ACCOUNT'),
    }),
    async handler(c) {
      const query = readQuery(c, closedQuerySchema);
      const isCsv = asksForCsv(c, query.format);
      const limit = query.limit ?? (isCsv ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
      if (query.excursions === 'yes' && limit > MAX_EXCURSIONS)
        throw new Refusal('INVALID_QUERY', `limit: is more than ${MAX_EXCURSIONS}, send less with excursions=yes`);
      const found = pageOf(await turns.run(() => closedBy(deps, query)), query.before);
      if (isCsv)
        return csvAnswer(
          c,
          closedTable(found, query.limit, (trade) => shown(trade, query)),
        );
      // One after another: a venue is not asked for a hundred stretches at once.
      const result = [];
      for (const trade of found.slice(0, limit)) result.push(await shown(trade, query));
      return c.json({ success: true, requestId: c.var.requestId, result });
    },
  };
}

/** Newest first, all that fit. */
async function closedBy(deps: ClosedTradesDeps, query: ClosedQuery): Promise<readonly ClosedTrade[]> {
  const { exchange, account, mode } = query;
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = rangeOf(query);
  const market = query.symbol === undefined ? undefined : marketOf(query.symbol);
  if (query.symbol !== undefined && market === undefined)
    throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
  const filter = { exchange, account, mode };
  if (accountsOf(deps.accounts, filter).length === 0) throw noAccount(filter);
  const fills = await fillsOf(deps, filter).catch((error: unknown) => {
    throw error instanceof TooManyFills ? new Refusal('QUERY_TOO_LARGE', error.message) : error;
  });
  const trades = closedTrades(fills, { asked: await deps.history.stopsAsked(), tickOf: deps.tickOf });
  const hasTag = await taggedBy(deps.history, query.tag);
  const fits = (trade: ClosedTrade): boolean =>
    hasTag(trade) &&
    (mode ?? trade.mode) === trade.mode &&
    (market ?? trade.market) === trade.market &&
    (query.strategy ?? trade.strategy) === trade.strategy &&
    (query.key ?? trade.keyLabel) === trade.keyLabel &&
    [undefined, trade.requestId, trade.entryRequestId].includes(query.requestId) &&
    trade.closedAtMs >= fromMs &&
    trade.closedAtMs < toMs;
  return trades.filter(fits).reverse();
}

/** The same closed trades as those of the group in GET /performance?by=tag. */
async function taggedBy(
  history: Pick<TradedFillHistory, 'tags'>,
  tag: string | undefined,
): Promise<(trade: ClosedTrade) => boolean> {
  if (tag === undefined) return () => true;
  const all = await history.tags();
  return ({ requestId, entryRequestIds }) => {
    const tags = [requestId, ...entryRequestIds].flatMap((id) => all.get(id) ?? []);
    return tag === '' ? tags.length === 0 : tags.includes(tag);
  };
}

function pageOf(trades: readonly ClosedTrade[], before: string | undefined): readonly ClosedTrade[] {
  if (before === undefined) return trades;
  const last = trades.findIndex(({ id }) => id === before);
  // An empty page would look like the end of the list.
  if (last < 0)
    throw new Refusal('INVALID_QUERY', 'before: no closed trade has this id, send the id of one in the list');
  return trades.slice(last + 1);
}

function closedTable(
  trades: readonly ClosedTrade[],
  limit: number | undefined,
  shown: (trade: ClosedTrade) => Promise<z.infer<typeof closedTradeSchema>>,
): CsvTable {
  async function* pages() {
    for (let at = 0; at < trades.length; at += CSV_PAGE)
      yield await Promise.all(trades.slice(at, at + CSV_PAGE).map(shown));
  }
  const columns = Object.keys(closedTradeSchema.shape);
  return { name: 'closed-trades', columns, times: ['openedAt', 'closedAt'], pages: pages(), limit };
}

const money = (amount: Decimal): number => toNumber(shownMoney(amount));
const CENT_OF_R = decimal('0.01');

function closedView(
  trade: ClosedTrade,
  excursion: Excursion | undefined,
  tickOf: ClosedTradesDeps['tickOf'],
): z.infer<typeof closedTradeSchema> {
  const { id, exchange, account, mode, market, side, pnl, fees, atRisk } = trade;
  const net = minus(pnl, fees);
  return {
    ...{ id, exchange, account, mode, market, side, quantity: toNumber(trade.quantity) },
    entryPrice: toNumber(shownAverage(trade.entryPrice, tickOf(exchange, market))),
    exitPrice: toNumber(trade.exitPrice),
    ...{ openedAt: trade.openedAtMs ?? null, closedAt: trade.closedAtMs },
    ...{ pnl: money(pnl), fees: money(fees), net: money(net) },
    atRisk: atRisk === undefined ? null : money(atRisk),
    r: atRisk === undefined ? null : toNumber(roundTo(over(net, atRisk), CENT_OF_R)),
    mae: excursion ? money(excursion.adverse) : null,
    mfe: excursion ? money(excursion.favorable) : null,
    resolution: excursion ? timeframeText(excursion.resolutionMs) : null,
    ...{ requestId: trade.requestId, entryRequestId: trade.entryRequestId ?? null, keyLabel: trade.keyLabel },
    strategy: trade.strategy === '' ? null : trade.strategy,
  };
}
