// The paper venue: an exchange account that trades play money at market prices and keeps its books like a real one.

import type { Exchange } from '../../../exchanges/exchange.ts';
import type { RangeSource } from '../../../market-data/price-source.ts';
import { backgroundTimers, type Timers } from '../../../timing/timers.ts';
import { entryPriceOf } from '../../../trading/books/holding.ts';
import { type Decimal, decimal, ZERO } from '../../../trading/decimal.ts';
import type {
  FundingPayment,
  OrderReport,
  OrderSide,
  PositionMode,
  Quote,
  Venue,
  VenuePosition,
} from '../../../trading/venue.ts';
import { bookLeverage, takerPrice } from './booking.ts';
import { Bookkeeper } from './bookkeeper.ts';
import type { PaperFundingRow, PaperLedger } from './ledger.ts';
import { liquidationPriceOf } from './liquidation.ts';
import { loadAccount } from './load-account.ts';
import { MarketPrices } from './market-prices.ts';
import { Matcher } from './matcher.ts';
import { checkLeverage } from './order-checks.ts';
import { PaperOrders } from './paper-orders.ts';

const DEFAULT_MATCH_EVERY_MS = 1_000;

export interface PaperVenueOptions {
  readonly exchange: Exchange;
  /** The account's name. */
  readonly account: string;
  readonly ledger: PaperLedger;
  readonly prices: RangeSource;
  readonly nowMs: () => number;
  /** USDT of a new account, as decimal text; an account that exists keeps its balance. */
  readonly startingBalance: string;
  /** Asked whenever it counts: an account may have had another one in the time that a replay goes through. */
  readonly positionMode: () => PositionMode;
  /** How often resting orders are compared with the market. */
  readonly matchEveryMs?: number;
  readonly timers?: Timers;
}

export interface PaperVenue extends Venue {
  readonly mode: 'paper';
  unlisted(market: string): readonly string[] | undefined;
  quote(market: string): Promise<Quote>;
  forcedOrders(): Promise<readonly OrderReport[]>;
  funding(fromMs: number, toMs: number): Promise<readonly FundingPayment[]>;
  fundingTotal(): Promise<Decimal>;
  /** Fills resting orders that the market has passed, as the venue's own timer does; returns how many changed. */
  matchNow(): Promise<number>;
}

export async function openPaperVenue(options: PaperVenueOptions): Promise<PaperVenue> {
  const { exchange, account, ledger, prices, nowMs, positionMode } = options;
  const { matchEveryMs: everyMs = DEFAULT_MATCH_EVERY_MS, timers = backgroundTimers } = options;
  const markets = new MarketPrices(exchange, prices);
  const reload = () => loadAccount(options, markets);
  const keeper = new Bookkeeper(ledger, await reload(), reload);
  const matcher = new Matcher({ keeper, markets, prices, nowMs, everyMs, timers });
  const catchUp = () => matcher.catchUp();
  const orders = new PaperOrders({ name: { exchange, account }, ledger, keeper, markets, nowMs, catchUp });
  matcher.start();
  return {
    exchange,
    account,
    mode: 'paper',
    positionMode: async () => positionMode(),
    unlisted: (market) => markets.unlisted(market),
    tickOf: (market) => markets.knownRules(market)?.tickSize,
    async market(symbol) {
      const rules = keeper.account.books.get(symbol)?.rules ?? (await markets.rules(symbol));
      return { ...rules, lastPrice: await markets.price(symbol) };
    },
    async quote(symbol) {
      const rules = keeper.account.books.get(symbol)?.rules ?? (await markets.rules(symbol));
      const last = await markets.price(symbol);
      const best = (side: OrderSide) => takerPrice(side, last, ZERO, rules);
      return { bid: best('SELL'), ask: best('BUY'), atMs: nowMs() };
    },
    positions: (market) => positionsOf(keeper, market),
    async summary() {
      await keeper.settled();
      await matcher.refreshMarks(keeper.account);
      return keeper.account.summary();
    },
    async ensureLeverage(market, leverage) {
      markets.requireListed(market);
      const rules = await markets.rules(market);
      checkLeverage(rules, leverage);
      const mark = await markets.price(market);
      await keeper.change((books) => bookLeverage(books, books.book(rules, mark), leverage));
    },
    async leverageOf(market) {
      const rules = keeper.account.books.get(market)?.rules ?? (await markets.rules(market));
      return keeper.account.leverageOf(rules);
    },
    tryOrders: (requests, before) => orders.tryOut(requests, before),
    placeOrder: (request) => orders.place(request),
    forcedOrders: () => orders.forced(),
    async funding(fromMs, toMs) {
      return (await ledger.funding({ exchange, account }, fromMs, toMs)).map(paymentFromRow);
    },
    fundingTotal: async () => decimal(await ledger.fundingTotal({ exchange, account })),
    findOrder: (market, clientOrderId) => orders.find(market, clientOrderId),
    openOrders: (market) => orders.open(market),
    cancelOrder: (market, clientOrderId) => orders.cancel(market, clientOrderId),
    watchOrders: (listener) => keeper.watch(listener),
    matchNow: () => matcher.matchNow(),
    async close() {
      await matcher.stop();
      await orders.settled();
      await keeper.close();
    },
  };
}

const paymentFromRow = ({ market, side, atMs, quantity, price, rate, amount }: PaperFundingRow): FundingPayment => ({
  ...{ market, side, atMs, quantity: decimal(quantity), price: decimal(price) },
  ...{ rate: decimal(rate), amount: decimal(amount) },
});

async function positionsOf(keeper: Bookkeeper, market: string): Promise<readonly VenuePosition[]> {
  if (!keeper.isSettled(market)) await keeper.settled(market);
  const { account } = keeper;
  const book = account.books.get(market);
  if (!book) return [];
  const riskySide = book.LONG.holding.quantity >= book.SHORT.holding.quantity ? 'LONG' : 'SHORT';
  return (['LONG', 'SHORT'] as const)
    .map((side) => ({ side, held: book[side].holding, margin: book[side].margin }))
    .filter(({ held }) => held.quantity > ZERO)
    .map(({ side, held, margin }) => ({
      // Worked out where it is read: it looks at every position of the account, and whoever plans an order never asks for it.
      get liquidationPrice() {
        return side === riskySide ? liquidationPriceOf(account, book) : undefined;
      },
      market,
      side,
      quantity: held.quantity,
      entryPrice: entryPriceOf(held),
      leverage: book.leverage,
      margin,
    }));
}
