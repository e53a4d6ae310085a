// Brings a paper account from the ledger into memory; a new account is opened on disk first.

import { type Holding, heldAt } from '../../../trading/books/holding.ts';
import { decimal, productFrom, toText } from '../../../trading/decimal.ts';
import type { PositionMode } from '../../../trading/venue.ts';
import { Account, type MarketBook } from './account.ts';
import type { PaperAccountName, PaperAccountRow, PaperBooks, PaperLedger, PaperPositionRow } from './ledger.ts';
import type { MarketPrices } from './market-prices.ts';
import { venueTerms } from './market-rules.ts';
import { orderFromRow } from './order.ts';

export interface AccountSource extends PaperAccountName {
  readonly ledger: PaperLedger;
  readonly nowMs: () => number;
  readonly startingBalance: string;
  readonly positionMode: () => PositionMode;
}

export async function loadAccount(source: AccountSource, prices: MarketPrices): Promise<Account> {
  const { exchange, positionMode } = source;
  const name = { exchange, account: source.account };
  const books = await source.ledger.load(name);
  const row = books.account ?? (await openAccount(source));
  const account = new Account({ name, positionMode, terms: venueTerms(exchange) }, row);
  const markets = new Map<string, MarketBook>();
  await Promise.all(
    marketsOf(books).map(async (market) => {
      const earlier = earlierPrice(books, market);
      // Only a leverage was set there, and no price can be had: it is set again with the next order.
      if (earlier === undefined && !(await hasRules(prices, market))) return;
      const rules = await prices.rulesNear(market, earlier ?? '0');
      // Without a price the entry stands in: profit is then shown as none until a price comes.
      const entry = books.positions.find((position) => position.market === market)?.entryPrice;
      const mark = await prices.price(market).catch(() => decimal(entry ?? '0'));
      markets.set(market, account.book(rules, mark));
    }),
  );
  const bookOf = (market: string): MarketBook => {
    const book = markets.get(market);
    if (!book) throw new Error(`no book was opened for ${market}`);
    return book;
  };
  for (const { market, leverage } of books.leverages)
    if (markets.has(market)) account.setLeverage(bookOf(market), leverage);
  for (const position of books.positions)
    account.setHolding(bookOf(position.market), position.side, holdingOf(position));
  for (const order of books.openOrders) account.rest(bookOf(order.market), orderFromRow(order));
  return account;
}

const holdingOf = ({ quantity, entryPrice, cost }: PaperPositionRow): Holding =>
  cost === null
    ? heldAt(decimal(quantity), decimal(entryPrice))
    : { quantity: decimal(quantity), cost: productFrom(cost) };

/** A start must not wait for a venue's prices: what the books know of a market is near enough for its rules. */
const earlierPrice = ({ positions, openOrders }: PaperBooks, market: string): string | undefined =>
  positions.find((position) => position.market === market)?.entryPrice ??
  openOrders.find((order) => order.market === market)?.price ??
  undefined;

const hasRules = (prices: MarketPrices, market: string): Promise<boolean> =>
  prices.rules(market).then(
    () => true,
    () => false,
  );

const marketsOf = (books: PaperBooks): string[] => [
  ...new Set([...books.positions, ...books.leverages, ...books.openOrders].map(({ market }) => market)),
];

async function openAccount(source: AccountSource): Promise<PaperAccountRow> {
  const { exchange, account, ledger, nowMs, startingBalance } = source;
  const balance = toText(decimal(startingBalance));
  const row = { exchange, account, balance, nextOrderNumber: 1, matchedUntilMs: nowMs(), version: 1 };
  const result = await ledger.commit({ account: row });
  if (result !== 'committed')
    throw new Error(
      `the paper account ${exchange}:${account} could not be opened (${result}): is another process using it?`,
    );
  return row;
}
