// Everything that the oracle's broker knows at one moment: the bar, the books, the orders, and the rules of risk.

import { Books } from './books.ts';
import type { Terms } from './market.ts';
import { type Bracket, NODE, type Order, type WaitingExit } from './orders.ts';

export interface PlainBar {
  readonly index: number;
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

const NO_BAR: PlainBar = { index: -1, timeMs: 0, open: 0, high: 0, low: 0, close: 0 };
const DAY_MS = 86_400_000;

type Limit = { readonly value: number; readonly isPercent: boolean } | null;

/** What strategy.risk.* has set, and how the days went. */
export interface Rules {
  allowed: 'all' | 'long' | 'short';
  mostFills: number;
  largest: number;
  drawdown: Limit;
  dayLoss: Limit;
  lossDays: number;
}

export class Desk {
  readonly terms: Terms;
  readonly books: Books;
  orders: Order[] = [];
  brackets: Bracket[] = [];
  waiting: WaitingExit[] = [];
  bar = NO_BAR;
  node: number = NODE.close;
  /** How far the bar had come when the present run of the script began. */
  placedAt: number = NODE.close;
  /** Where on the path the price is. */
  price = 0;
  /** What the account is valued at while the script runs. */
  mark = 0;
  /** Runs of the script so far, to tell two calls of one run from those of two. */
  run = 0;
  /** Fills so far. */
  fills = 0;
  hasPricedEntry = false;
  readonly rules: Rules = {
    ...{ allowed: 'all', mostFills: Number.POSITIVE_INFINITY, largest: Number.POSITIVE_INFINITY },
    ...{ drawdown: null, dayLoss: null, lossDays: Number.POSITIVE_INFINITY },
  };
  isOver = false;
  isDayOver = false;
  fillsOfDay = 0;
  equityAtDayStart: number;
  private day = Number.NaN;
  private daysOfLoss = 0;

  constructor(terms: Terms) {
    this.terms = terms;
    this.books = new Books(terms);
    this.equityAtDayStart = terms.capital;
  }

  /** Whether anything may be ordered or filled. */
  get mayTrade(): boolean {
    return !this.isOver && !this.isDayOver;
  }

  beginDay(): void {
    const { realized } = this.books;
    const day = Math.floor(this.bar.timeMs / DAY_MS);
    if (day === this.day) return;
    if (!Number.isNaN(this.day)) {
      const change = realized - this.equityAtDayStart;
      this.daysOfLoss = change < 0 ? this.daysOfLoss + 1 : 0;
      if (this.daysOfLoss >= this.rules.lossDays) this.isOver = true;
    }
    this.day = day;
    this.isDayOver = false;
    this.fillsOfDay = 0;
    this.equityAtDayStart = realized;
  }

  drop(order: Order): void {
    this.orders = this.orders.filter((other) => other !== order);
    this.waiting = this.waiting.filter((exit) => exit.order !== order);
  }

  cancelAll(): void {
    this.orders = [];
    this.brackets = [];
    this.waiting = [];
  }

  /** What earlier brackets of the same entry leave to this one. */
  shareOf(bracket: Bracket): number {
    let left = bracket.row.bound;
    for (const other of this.brackets) {
      if (other === bracket) break;
      if (other.row === bracket.row) left = Math.max(0, left - other.wanted);
    }
    return Math.min(left, bracket.wanted);
  }

  /** Brackets live as long as their entry has something bound to it. */
  dropSpentBrackets(): void {
    const { entries } = this.books;
    this.brackets = this.brackets.filter(({ row }) => entries.includes(row));
  }
}
