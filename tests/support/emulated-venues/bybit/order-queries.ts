// Bybit's lists of orders and fills, and what they forget.
//
// `realtime` has what is open and some of what closed lately, until the service is restarted. `history` has the rest, but
// orders without a fill only for a day. A caller who reads one list alone takes a filled order for one that never was.

import { absolute, type Decimal, negate, toText, ZERO } from '../../../../src/trading/decimal.ts';
import type { MatchingMarket } from '../matching-market.ts';
import {
  createdMsOf,
  executedOf,
  executionRow,
  idOf,
  isClosed,
  type ListedOrder,
  linkIdOf,
  listedOrders,
  numberOf,
  type OrderNotes,
  orderRow,
  symbolOf,
  updatedMsOf,
} from './listed-order.ts';
import { type Page, type Parameters, pageOf, periodOf } from './parameters.ts';
import { BybitRefusal } from './ret-codes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Fills are shown for two years. */
const FILLS_KEPT_MS = 730 * DAY_MS;
const MOST_CLOSED = 500;
const ORDERS_PAGE = { usual: 20, most: 50 };
const FILLS_PAGE = { usual: 50, most: 100 };

export class OrderQueries {
  /** How long a new order, and the end of one, stay unseen in each list. */
  readonly lagMs = { realtime: 0, history: 0 };
  readonly #market: MatchingMarket;
  readonly #notes: OrderNotes;
  readonly #forgotten = new Set<number>();

  constructor(market: MatchingMarket, notes: OrderNotes) {
    this.#market = market;
    this.#notes = notes;
  }

  /** As after a restart of the service: `realtime` knows only what is open now. */
  forgetClosed(): void {
    for (const order of listedOrders(this.#market)) if (isClosed(order)) this.#forgotten.add(numberOf(order));
  }

  row(order: ListedOrder): object {
    const { symbol, positionSide } = order.stop ?? order.order!;
    return orderRow(order, this.#notes, this.#held(symbol, positionSide));
  }

  #held(symbol: string, side: 'BOTH' | 'LONG' | 'SHORT'): Decimal {
    return absolute(this.#market.account.position(symbol, side).quantity);
  }

  /** Open orders; asked by an id, or with `openOnly` 1, those that closed lately too. */
  realtime(parameters: Parameters): Page<object> {
    parameters.checkCategory();
    if (['symbol', 'settleCoin', 'baseCoin'].every((name) => parameters.text(name) === undefined))
      throw new BybitRefusal(10001, 'Missing some parameters that must be filled in, symbol or settleCoin or baseCoin');
    const isById = parameters.text('orderId') !== undefined || parameters.text('orderLinkId') !== undefined;
    const wantsClosed = isById || parameters.integer('openOnly') === 1;
    const filter = parameters.text('orderFilter');
    const seen = this.#asked(parameters)
      .filter((order) => createdMsOf(order) + this.lagMs.realtime <= this.#market.nowMs())
      .filter((order) => filter === undefined || (filter === 'StopOrder') === (order.stop !== undefined));
    const open = seen.filter((order) => !isClosed(order));
    const kept = this.#keptClosed();
    const closed = wantsClosed ? seen.filter((order) => kept.has(numberOf(order))) : [];
    const rows = [...open, ...closed].map((order) => this.row(order));
    return pageOf(rows, parameters, ORDERS_PAGE);
  }

  /** Of the whole account, whatever is asked for. */
  #keptClosed(): ReadonlySet<number> {
    const closed = listedOrders(this.#market).filter(
      (order) => isClosed(order) && !this.#forgotten.has(numberOf(order)),
    );
    const latest = closed.sort((a, b) => updatedMsOf(b) - updatedMsOf(a)).slice(0, MOST_CLOSED);
    return new Set(latest.map(numberOf));
  }

  /** Only what has ended. */
  history(parameters: Parameters): Page<object> {
    parameters.checkCategory();
    const nowMs = this.#market.nowMs();
    const { fromMs, toMs } = periodOf(parameters, nowMs);
    const rows = this.#asked(parameters)
      .filter((order) => isClosed(order) && updatedMsOf(order) + this.lagMs.history <= nowMs)
      .filter((order) => fromMs <= createdMsOf(order) && createdMsOf(order) <= toMs)
      .filter((order) => executedOf(order) > ZERO || createdMsOf(order) > nowMs - DAY_MS)
      .map((order) => this.row(order));
    return pageOf(rows, parameters, ORDERS_PAGE);
  }

  /** Fills, and funding as if it were one; newest first. */
  executions(parameters: Parameters): Page<object> {
    parameters.checkCategory();
    const nowMs = this.#market.nowMs();
    const { fromMs, toMs } = periodOf(parameters, nowMs);
    const trades = this.#asked(parameters).flatMap((order) =>
      (order.order?.trades ?? []).map((trade) => ({ atMs: trade.atMs, row: executionRow(order, trade) })),
    );
    const isById = parameters.text('orderId') !== undefined || parameters.text('orderLinkId') !== undefined;
    const type = parameters.text('execType');
    const rows = [
      ...(type === 'Funding' ? [] : trades),
      ...(isById || type === 'Trade' ? [] : this.#funding(parameters)),
    ]
      .filter(({ atMs }) => fromMs <= atMs && atMs <= toMs && atMs >= nowMs - FILLS_KEPT_MS)
      .sort((a, b) => b.atMs - a.atMs)
      .map(({ row }) => row);
    return pageOf(rows, parameters, FILLS_PAGE);
  }

  #funding(parameters: Parameters): { readonly atMs: number; readonly row: object }[] {
    const symbol = parameters.text('symbol');
    return this.#market.account.income
      .filter((income) => income.type === 'FUNDING_FEE' && (symbol === undefined || income.symbol === symbol))
      .map(({ id, amount, atMs, symbol }) => {
        const execId = `f0d10000-0000-4000-8000-${String(id).padStart(12, '0')}`;
        // The other way round than in the transaction log: here what was paid is positive.
        const execFee = toText(negate(amount));
        return {
          atMs,
          row: { symbol, execId, execType: 'Funding', execFee, feeCurrency: 'USDT', execTime: String(atMs) },
        };
      });
  }

  #asked(parameters: Parameters): ListedOrder[] {
    const id = parameters.text('orderId');
    const linkId = parameters.text('orderLinkId');
    const symbol = parameters.text('symbol');
    const settleCoin = parameters.text('settleCoin');
    return listedOrders(this.#market)
      .filter((order) => symbol === undefined || symbolOf(order) === symbol)
      .filter((order) => settleCoin === undefined || this.#market.spec(symbolOf(order)).quote === settleCoin)
      .filter((order) => id === undefined || idOf(order) === id)
      .filter((order) => linkId === undefined || linkIdOf(order) === linkId);
  }
}
