// The paper venue: an exchange account that trades play money at market prices and keeps its books like a real one.

import type { RangeSource } from '../../../market-data/price-source.ts';
import { entryPriceOf } from '../../../trading/books/holding.ts';
import { ZERO } from '../../../trading/decimal.ts';
import type { Exchange } from '../../../trading/signal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type OrderLookup,
  type OrderReport,
  type OrderRequest,
  type PositionMode,
  type Venue,
  VenueError,
  type VenuePosition,
} from '../../../trading/venue.ts';
import type { AccountSummary } from './account.ts';
import { bookCancel, bookLeverage, bookOrder, type Change, orderChange } from './booking.ts';
import { Bookkeeper } from './bookkeeper.ts';
import type { PaperLedger } from './ledger.ts';
import { loadAccount } from './load-account.ts';
import { Matcher, type SetTimer } from './matcher.ts';
import { fillFromRow, orderFromRow, reportOf } from './order.ts';
import { checkLeverage, rejected } from './order-checks.ts';
import { PriceDesk } from './price-desk.ts';

const DEFAULT_MATCH_EVERY_MS = 1_000;

export interface PaperVenueOptions {
  readonly exchange: Exchange;
  readonly ledger: PaperLedger;
  readonly prices: RangeSource;
  readonly nowMs: () => number;
  /** USDT of a new account, as decimal text; an account that exists keeps its balance. */
  readonly startingBalance: string;
  readonly positionMode: PositionMode;
  /** How often resting orders are compared with the market. */
  readonly matchEveryMs?: number;
  readonly setTimer?: SetTimer;
}

export interface PaperVenue extends Venue {
  readonly mode: 'paper';
  account(): Promise<AccountSummary>;
  /** Fills resting orders that the market has passed, as the venue's own timer does; returns how many changed. */
  matchNow(): Promise<number>;
}

/** There is no liquidation: a losing account only stops opening positions. */
export async function openPaperVenue(options: PaperVenueOptions): Promise<PaperVenue> {
  const { exchange, ledger, prices, nowMs, positionMode } = options;
  const desk = new PriceDesk(exchange, prices);
  const reload = () => loadAccount(options, desk);
  const keeper = new Bookkeeper(ledger, await reload(), reload);
  const everyMs = options.matchEveryMs ?? DEFAULT_MATCH_EVERY_MS;
  const matcher = new Matcher({ keeper, desk, prices, nowMs, everyMs, setTimer: options.setTimer ?? quietTimer });
  /** Orders being placed, by client order id: until they settle nobody can say that they are absent. */
  const placing = new Map<string, Promise<OrderReport>>();

  async function stored(market: string | undefined, clientOrderId: string): Promise<OrderReport | undefined> {
    const found = await ledger.findOrder(exchange, clientOrderId);
    if (!found || (market !== undefined && found.row.market !== market)) return undefined;
    return reportOf(orderFromRow(found.row), found.fills.map(fillFromRow));
  }

  async function place(request: OrderRequest): Promise<OrderReport> {
    const rules = desk.knownRules(request.market) ?? (await desk.rules(request.market));
    // Before the price is read, so that no trade falls between that price and the order's birth.
    const atMs = nowMs();
    const last = await desk.price(request.market);
    return keeper.change((account) => {
      const book = account.book(rules, last);
      account.setMark(book, last);
      return orderChange(bookOrder(account, book, request, last, atMs));
    });
  }

  /** An order sent again may be refused for what it did the first time (the position is closed): it is a duplicate, not a refusal. */
  async function placeOnce(request: OrderRequest): Promise<OrderReport> {
    try {
      return await place(request);
    } catch (error) {
      const refused = error instanceof VenueError && error.failure === 'rejected';
      if (refused && (await stored(undefined, request.clientOrderId)))
        throw new VenueError('duplicate', 'the venue already has this client order id', { cause: error });
      throw error;
    }
  }

  const placed = async (clientOrderId: string): Promise<void> => {
    await placing.get(clientOrderId)?.catch(() => undefined);
  };

  matcher.start();
  return {
    exchange,
    mode: 'paper',
    positionMode: async () => positionMode,
    tickOf: (market) => desk.knownRules(market)?.tickSize,

    async market(symbol) {
      const rules = desk.knownRules(symbol) ?? (await desk.rules(symbol));
      return { ...rules, lastPrice: await desk.price(symbol) };
    },

    async positions(market): Promise<readonly VenuePosition[]> {
      if (!keeper.isSettled(market)) await keeper.settled(market);
      const book = keeper.account.books.get(market);
      if (!book) return [];
      return (['LONG', 'SHORT'] as const)
        .map((side) => ({ side, held: book[side].holding }))
        .filter(({ held }) => held.quantity > ZERO)
        .map(({ side, held }) => ({ market, side, quantity: held.quantity, entryPrice: entryPriceOf(held) }));
    },

    async account() {
      await keeper.settled();
      await matcher.refreshMarks(keeper.account);
      return keeper.account.summary();
    },

    async ensureLeverage(market, leverage) {
      const rules = await desk.rules(market);
      checkLeverage(rules, leverage);
      const mark = await desk.price(market);
      await keeper.change((account) => bookLeverage(account, account.book(rules, mark), leverage));
    },

    placeOrder(request) {
      const order = placeOnce(request).finally(() => {
        if (placing.get(request.clientOrderId) === order) placing.delete(request.clientOrderId);
      });
      placing.set(request.clientOrderId, order);
      return order;
    },

    async findOrder(market, clientOrderId): Promise<OrderLookup> {
      await placed(clientOrderId);
      await keeper.settled(market);
      const order = await stored(market, clientOrderId);
      return order ? { found: true, order } : { found: false, certain: true };
    },

    async openOrders(market) {
      await keeper.settled(market);
      return [...(keeper.account.books.get(market)?.resting.values() ?? [])]
        .filter(({ order }) => order.clientOrderId.startsWith(CLIENT_ORDER_PREFIX))
        .map(({ order }) => reportOf(order, []));
    },

    async cancelOrder(market, clientOrderId) {
      await placed(clientOrderId);
      const canceled = await keeper.change((account): Change<OrderReport | undefined> => {
        const book = account.books.get(market);
        const resting = book?.resting.get(clientOrderId);
        if (!book || !resting) return { answer: undefined };
        return orderChange([bookCancel(account, book, resting, nowMs())]);
      });
      if (canceled) keeper.tell(canceled);
      else await keeper.settled(market);
      const final = canceled ?? (await stored(market, clientOrderId));
      if (!final) throw rejected(`there is no order ${clientOrderId} in ${market} to cancel`);
      return final;
    },

    watchOrders: (listener) => keeper.watch(listener),
    matchNow: () => matcher.matchNow(),

    async close() {
      await matcher.stop();
      await Promise.allSettled(placing.values());
      await keeper.close();
    },
  };
}

/** A waiting timer alone does not keep the process alive. */
const quietTimer: SetTimer = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
};
