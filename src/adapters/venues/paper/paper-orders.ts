// Orders at the paper venue: placed, found, listed and canceled, each with the books on disk before anything is said.

import {
  type BeforeOrders,
  CLIENT_ORDER_PREFIX,
  type OrderLookup,
  type OrderReport,
  type OrderRequest,
  type RefusedOrder,
  VenueError,
} from '../../../trading/venue.ts';
import { bookCancel, bookLeverage, bookOrder, type Change, LIQUIDATION_PREFIX, orderChange } from './booking.ts';
import type { Bookkeeper } from './bookkeeper.ts';
import type { PaperAccountName, PaperLedger } from './ledger.ts';
import type { MarketPrices } from './market-prices.ts';
import { fillFromRow, orderFromRow, reportOf } from './order.ts';
import { checkLeverage, rejected } from './order-checks.ts';

export interface PaperOrdersParts {
  readonly name: PaperAccountName;
  readonly ledger: PaperLedger;
  readonly keeper: Bookkeeper;
  readonly markets: MarketPrices;
  readonly nowMs: () => number;
  /** What passed while nobody looked comes before a new order. */
  readonly catchUp: () => Promise<void> | undefined;
}

export class PaperOrders {
  readonly #parts: PaperOrdersParts;
  /** Orders being placed, by client order id: until they settle nobody can say that they are absent. */
  readonly #placing = new Map<string, Promise<OrderReport>>();

  constructor(parts: PaperOrdersParts) {
    this.#parts = parts;
  }

  place(request: OrderRequest): Promise<OrderReport> {
    const order = this.#placeOnce(request).finally(() => {
      if (this.#placing.get(request.clientOrderId) === order) this.#placing.delete(request.clientOrderId);
    });
    this.#placing.set(request.clientOrderId, order);
    return order;
  }

  /** Booked on a copy of the account, which nobody keeps. */
  async tryOut(
    orders: readonly OrderRequest[],
    { leverage, canceled }: BeforeOrders,
  ): Promise<RefusedOrder | undefined> {
    const { markets, keeper, nowMs } = this.#parts;
    const [first] = orders;
    if (first === undefined) return undefined;
    const { market } = first;
    const rules = keeper.account.books.get(market)?.rules ?? (await markets.rules(market));
    const last = await markets.price(market);
    const account = keeper.account.copyFor(market);
    const book = account.book(rules, last);
    account.setMark(book, last);
    for (const id of canceled) {
      const resting = book.resting.get(id);
      if (resting) account.unrest(book, resting);
    }
    const steps = orders.map((request) => () => {
      if (!request.reduceOnly) markets.requireListed(market);
      bookOrder(account, book, request, last, nowMs());
    });
    const setLeverage = () => {
      if (leverage === undefined) return;
      checkLeverage(rules, leverage);
      bookLeverage(account, book, leverage);
    };
    for (const [index, step] of [setLeverage, ...steps].entries()) {
      const reason = refusalOf(step);
      if (reason !== undefined) return { index: Math.max(0, index - 1), reason };
    }
    return undefined;
  }

  async find(market: string, clientOrderId: string): Promise<OrderLookup> {
    await this.#placed(clientOrderId);
    await this.#parts.keeper.settled(market);
    const order = await this.#stored(market, clientOrderId);
    return order ? { found: true, order } : { found: false, certain: true };
  }

  /** Those that Signalbox itself has placed. */
  async open(market: string): Promise<readonly OrderReport[]> {
    const { keeper } = this.#parts;
    await keeper.settled(market);
    return [...(keeper.account.books.get(market)?.resting.values() ?? [])]
      .filter(({ order }) => order.clientOrderId.startsWith(CLIENT_ORDER_PREFIX))
      .map(({ order }) => reportOf(order, []));
  }

  /** Those that the venue itself has placed. */
  async forced(): Promise<readonly OrderReport[]> {
    const { ledger, name, keeper, catchUp } = this.#parts;
    await catchUp();
    await keeper.settled();
    const orders = await ledger.ordersNamed(name, LIQUIDATION_PREFIX);
    return orders.map(({ row, fills }) => reportOf(orderFromRow(row), fills.map(fillFromRow)));
  }

  async cancel(market: string, clientOrderId: string): Promise<OrderReport> {
    const { keeper, nowMs } = this.#parts;
    await this.#placed(clientOrderId);
    const canceled = await keeper.change((account): Change<OrderReport | undefined> => {
      const book = account.books.get(market);
      const resting = book?.resting.get(clientOrderId);
      if (!book || !resting) return { answer: undefined };
      return orderChange([bookCancel(account, book, resting, nowMs())]);
    });
    if (canceled) keeper.tell(canceled);
    else await keeper.settled(market);
    const final = canceled ?? (await this.#stored(market, clientOrderId));
    if (!final) throw rejected(`there is no order ${clientOrderId} in ${market} to cancel`);
    return final;
  }

  /** Resolves when no order is being placed any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#placing.values());
  }

  /**
   * An order that is sent again may be refused for what it did the first time, such as closing the position. Then the
   * answer is that it is a duplicate, and not the refusal.
   */
  async #placeOnce(request: OrderRequest): Promise<OrderReport> {
    try {
      return await this.#book(request);
    } catch (error) {
      const isRefused = error instanceof VenueError && error.failure === 'rejected';
      if (isRefused && (await this.#stored(undefined, request.clientOrderId)))
        throw new VenueError('duplicate', 'the venue already has this client order id', { cause: error });
      throw error;
    }
  }

  async #book(request: OrderRequest): Promise<OrderReport> {
    const { markets, keeper, nowMs, catchUp } = this.#parts;
    await catchUp();
    if (!request.reduceOnly) markets.requireListed(request.market);
    // What the account holds has its rules, also in a market that has left the list since.
    const rules = keeper.account.books.get(request.market)?.rules ?? (await markets.rules(request.market));
    // Taken before the price is read, so that no trade falls between that price and the order's birth.
    const atMs = nowMs();
    const last = await markets.price(request.market);
    return keeper.change((account) => {
      const book = account.book(rules, last);
      account.setMark(book, last);
      return orderChange(bookOrder(account, book, request, last, atMs));
    });
  }

  async #placed(clientOrderId: string): Promise<void> {
    await this.#placing.get(clientOrderId)?.catch(() => undefined);
  }

  async #stored(market: string | undefined, clientOrderId: string): Promise<OrderReport | undefined> {
    const { ledger, name } = this.#parts;
    const found = await ledger.findOrder(name, clientOrderId);
    if (!found || (market !== undefined && found.row.market !== market)) return undefined;
    return reportOf(orderFromRow(found.row), found.fills.map(fillFromRow));
  }
}

function refusalOf(step: () => void): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (error instanceof VenueError && error.failure === 'rejected') return error.message;
    throw error;
  }
}
