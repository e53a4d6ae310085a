// MEXC's lists of orders and deals, and its one order by either id.
//
// Certain: paths, filters, pages from one, 20 to a page and 100 at most, a week unless said, 90 days at most.
// Assumed: 2040 for an order that is not there, and that the history has only what has ended.

import { type FuturesOrder, isOpen } from '../futures-order.ts';
import type { MatchingMarket } from '../matching-market.ts';
import type { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import { idOf, type OrderRows } from './order-row.ts';
import { type Parameters, pageOf, periodOf } from './parameters.ts';

const MAX_BATCH = 50;

export class OrderQueries {
  /** How long a new order stays unseen. */
  readonly lagMs = { orders: 0 };
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #rows: OrderRows;

  constructor(market: MatchingMarket, contracts: Contracts, rows: OrderRows) {
    this.#market = market;
    this.#contracts = contracts;
    this.#rows = rows;
  }

  #seen(): FuturesOrder[] {
    return this.#market.orders
      .filter(({ createdMs }) => createdMs + this.lagMs.orders <= this.#market.nowMs())
      .reverse();
  }

  #one(order: FuturesOrder | undefined): object {
    if (order === undefined) throw new MexcRefusal(2040);
    return this.#rows.order(order);
  }

  byExternalId(parameters: Parameters): object {
    const { symbol } = this.#contracts.find(parameters.text('symbol'));
    const externalOid = parameters.text('external_oid');
    return this.#one(this.#seen().find((order) => order.symbol === symbol && order.clientOrderId === externalOid));
  }

  byId(parameters: Parameters): object {
    return this.#one(this.#seen().find(({ orderId }) => idOf(orderId) === parameters.text('order_id')));
  }

  batch(parameters: Parameters): object[] {
    const ids = (parameters.text('order_ids') ?? '').split(',');
    if (ids.length > MAX_BATCH) throw new MexcRefusal(2034);
    return this.#seen()
      .filter(({ orderId }) => ids.includes(idOf(orderId)))
      .map((order) => this.#rows.order(order));
  }

  #asked(parameters: Parameters): FuturesOrder[] {
    const name = parameters.text('symbol');
    const symbol = name === undefined ? undefined : this.#contracts.find(name).symbol;
    return this.#seen().filter((order) => symbol === undefined || order.symbol === symbol);
  }

  open(parameters: Parameters): object[] {
    const open = this.#asked(parameters).filter(isOpen);
    return pageOf(open, parameters).map((order) => this.#rows.order(order));
  }

  history(parameters: Parameters): object[] {
    const { fromMs, toMs } = periodOf(parameters, this.#market.nowMs());
    const states = parameters.text('states')?.split(',');
    const category = parameters.integer('category');
    const rows = this.#asked(parameters)
      .filter((order) => !isOpen(order) && fromMs <= order.createdMs && order.createdMs <= toMs)
      .map((order) => this.#rows.order(order) as { readonly state: number; readonly category: number })
      .filter((row) => states === undefined || states.includes(String(row.state)))
      .filter((row) => category === undefined || row.category === category);
    return pageOf(rows, parameters);
  }

  dealsOf(parameters: Parameters): object[] {
    const order = this.#seen().find(({ orderId }) => idOf(orderId) === parameters.text('order_id'));
    if (order === undefined) throw new MexcRefusal(2040);
    return order.trades.map((trade) => this.#rows.deal(order, trade));
  }

  deals(parameters: Parameters): object[] {
    const { fromMs, toMs } = periodOf(parameters, this.#market.nowMs());
    if (parameters.text('symbol') === undefined) throw new MexcRefusal(600);
    const deals = this.#asked(parameters).flatMap((order) =>
      order.trades.map((trade) => ({ atMs: trade.atMs, row: this.#rows.deal(order, trade) })),
    );
    const rows = deals.filter(({ atMs }) => fromMs <= atMs && atMs <= toMs).sort((a, b) => b.atMs - a.atMs);
    return pageOf(rows, parameters).map(({ row }) => row);
  }
}
