// One paper account in memory: balance, positions, resting orders and the margin they bind. Changes only synchronously.

import { MAIN_ACCOUNT } from '../../../trading/accounts.ts';
import { FLAT, type Holding, profitAt } from '../../../trading/books/holding.ts';
import { type Decimal, decimal, minus, plus, rounded, times, toText, ZERO } from '../../../trading/decimal.ts';
import { type AccountSummary, type PositionMode, type PositionSide, VenueError } from '../../../trading/venue.ts';
import type { PaperAccountName, PaperAccountRow } from './ledger.ts';
import type { PaperMarket, VenueTerms } from './market-rules.ts';
import type { PaperOrder } from './order.ts';

/** Anyone who may signal may name a market; those that nothing is known of make room for others. */
const MAX_MARKETS = 2_000;

export interface Slot {
  holding: Holding;
  margin: Decimal;
  unrealized: Decimal;
}

export interface RestingOrder {
  readonly order: PaperOrder;
  /** Margin and fee set aside for an opening order. */
  reserved: Decimal;
}

export interface MarketBook {
  readonly rules: PaperMarket;
  leverage: number;
  /** The last price seen: unrealised profit is told by it. */
  mark: Decimal;
  readonly LONG: Slot;
  readonly SHORT: Slot;
  readonly resting: Map<string, RestingOrder>;
}

export interface AccountSettings {
  readonly name: PaperAccountName;
  readonly positionMode: () => PositionMode;
  readonly terms: VenueTerms;
}

/** Margin that an amount binds. */
const marginOf = (notional: Decimal, leverage: number): Decimal => (notional / BigInt(leverage)) as Decimal;

const copyOf = (book: MarketBook): MarketBook => ({
  ...{ ...book, LONG: { ...book.LONG }, SHORT: { ...book.SHORT } },
  resting: new Map([...book.resting].map(([id, resting]) => [id, { ...resting }])),
});

/** Sums over all positions and orders are kept up to date with each change, so that a check costs the same in any account. */
export class Account {
  readonly settings: AccountSettings;
  readonly books = new Map<string, MarketBook>();
  matchedUntilMs: number;
  #balance: Decimal;
  #nextOrderNumber: number;
  #version: number;
  #marginInUse: Decimal = ZERO;
  #unrealized: Decimal = ZERO;

  constructor(settings: AccountSettings, row: PaperAccountRow) {
    this.settings = settings;
    this.matchedUntilMs = row.matchedUntilMs;
    this.#balance = decimal(row.balance);
    this.#nextOrderNumber = row.nextOrderNumber;
    this.#version = row.version;
  }

  /** To try orders of a market on: whatever becomes of the copy, this account stays as it is. */
  copyFor(market: string): Account {
    const row = { balance: toText(this.#balance), nextOrderNumber: this.#nextOrderNumber, version: this.#version };
    const copy = new Account(this.settings, { ...this.settings.name, ...row, matchedUntilMs: this.matchedUntilMs });
    for (const [name, book] of this.books) copy.books.set(name, name === market ? copyOf(book) : book);
    copy.#marginInUse = this.#marginInUse;
    copy.#unrealized = this.#unrealized;
    return copy;
  }

  /** The row of the next entry: each entry is one step of the account. */
  nextRow(): PaperAccountRow {
    this.#version++;
    return {
      ...this.settings.name,
      balance: toText(this.#balance),
      nextOrderNumber: this.#nextOrderNumber,
      matchedUntilMs: this.matchedUntilMs,
      version: this.#version,
    };
  }

  takeOrderId(): string {
    const number = String(this.#nextOrderNumber++).padStart(6, '0');
    return `paper-${this.#shortName()}-${number}`;
  }

  #shortName(): string {
    const { exchange, account } = this.settings.name;
    return account === MAIN_ACCOUNT ? exchange : `${exchange}-${account}`;
  }

  summary(): AccountSummary {
    const equity = this.equity();
    return {
      balance: this.#balance,
      unrealizedPnl: this.#unrealized,
      equity,
      marginInUse: this.#marginInUse,
      available: minus(equity, this.#marginInUse),
    };
  }

  /** What everything would come to at the last prices. */
  equity(): Decimal {
    return plus(this.#balance, this.#unrealized);
  }

  available(): Decimal {
    return (this.#balance + this.#unrealized - this.#marginInUse) as Decimal;
  }

  book(rules: PaperMarket, mark: Decimal): MarketBook {
    const known = this.books.get(rules.symbol);
    if (known) return known;
    if (this.books.size >= MAX_MARKETS) this.#makeRoom();
    const leverage = this.#defaultLeverage(rules);
    const slot = (): Slot => ({ holding: FLAT, margin: ZERO, unrealized: ZERO });
    const book = { rules, leverage, mark, LONG: slot(), SHORT: slot(), resting: new Map() };
    this.books.set(rules.symbol, book);
    return book;
  }

  settle(change: Decimal): void {
    this.#balance = plus(this.#balance, change);
  }

  setMark(book: MarketBook, mark: Decimal): void {
    if (book.mark === mark) return;
    book.mark = mark;
    this.setHolding(book, 'LONG', book.LONG.holding);
    this.setHolding(book, 'SHORT', book.SHORT.holding);
  }

  setHolding(book: MarketBook, side: PositionSide, holding: Holding): void {
    const slot = book[side];
    if (slot.holding === FLAT && holding === FLAT) return;
    const margin = marginOf(rounded(holding.cost), book.leverage);
    const unrealized = profitAt(holding, side, book.mark);
    this.#marginInUse = (this.#marginInUse - slot.margin + margin) as Decimal;
    this.#unrealized = (this.#unrealized - slot.unrealized + unrealized) as Decimal;
    slot.holding = holding;
    slot.margin = margin;
    slot.unrealized = unrealized;
  }

  rest(book: MarketBook, order: PaperOrder): void {
    const reserved = this.#reserveFor(book, order);
    book.resting.set(order.clientOrderId, { order, reserved });
    this.#marginInUse = plus(this.#marginInUse, reserved);
  }

  unrest(book: MarketBook, resting: RestingOrder): void {
    book.resting.delete(resting.order.clientOrderId);
    this.#marginInUse = minus(this.#marginInUse, resting.reserved);
  }

  setLeverage(book: MarketBook, leverage: number): void {
    book.leverage = leverage;
    this.setHolding(book, 'LONG', book.LONG.holding);
    this.setHolding(book, 'SHORT', book.SHORT.holding);
    for (const resting of book.resting.values()) {
      const reserved = this.#reserveFor(book, resting.order);
      this.#marginInUse = (this.#marginInUse - resting.reserved + reserved) as Decimal;
      resting.reserved = reserved;
    }
  }

  /** Margin and fee of an opening order at a price. */
  cost(book: MarketBook, quantity: Decimal, price: Decimal, feeRate: Decimal): Decimal {
    const notional = times(quantity, price);
    return plus(marginOf(notional, book.leverage), times(notional, feeRate));
  }

  leverageOf(rules: PaperMarket): number {
    return this.books.get(rules.symbol)?.leverage ?? this.#defaultLeverage(rules);
  }

  #defaultLeverage({ maxLeverage }: PaperMarket): number {
    return Math.min(this.settings.terms.defaultLeverage, maxLeverage);
  }

  #makeRoom(): void {
    for (const [market, { rules, leverage, LONG, SHORT, resting }] of this.books) {
      const flat = LONG.holding === FLAT && SHORT.holding === FLAT;
      if (flat && resting.size === 0 && leverage === this.#defaultLeverage(rules)) this.books.delete(market);
    }
    if (this.books.size >= MAX_MARKETS)
      throw new VenueError(
        'rejected',
        `a paper account trades at most ${MAX_MARKETS} markets: use one of those it knows`,
      );
  }

  #reserveFor(book: MarketBook, { reduceOnly, price, quantity }: PaperOrder): Decimal {
    if (reduceOnly || price === undefined) return ZERO;
    return this.cost(book, quantity, price, this.settings.terms.makerFee);
  }
}
