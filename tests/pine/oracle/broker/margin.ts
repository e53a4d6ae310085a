// What the oracle's broker asks of an account before it buys on margin, and the margin call.

import type { Books } from './books.ts';
import { inUnits, type Side, type Terms } from './market.ts';
import type { Order, Reason } from './orders.ts';

/** The last digits of a double are not what is missing. */
const NOTHING = 1e-10;

export class MarginRules {
  private readonly terms: Terms;
  private readonly books: Books;

  constructor(terms: Terms, books: Books) {
    this.terms = terms;
    this.books = books;
  }

  needed(side: Side, quantity: number, price: number): number {
    return quantity * price * this.terms.market.pointvalue * this.terms.marginOf(side);
  }

  /** Whether money pays for so much of a side at a price. */
  pays(money: number, side: Side, quantity: number, price: number): boolean {
    return this.terms.marginOf(side) === 0 || this.needed(side, quantity, price) <= money * (1 + NOTHING);
  }

  /** Whether it pays for so much of a side and for what is held of the other. */
  paysBoth(money: number, side: Side, quantity: number, price: number): boolean {
    const needed = this.needed(side, quantity, price) + this.needed(-side as Side, this.books.held, price);
    return needed === 0 || needed <= money * (1 + NOTHING);
  }

  /** Whether the account may open so much with an order that has come to its fill. */
  admits(order: Order, opening: number, at: number, reason: Reason, open: number): boolean {
    const { books, terms } = this;
    const { side } = order;
    if (reason === 'stop') return this.pays(books.realized, side, opening, open);
    const equity = books.equity(at);
    const { heldAtPlacement } = order;
    const isAgainst = books.side === -side;
    const isMarketOrder = reason === 'market';
    // Of an opposite pair of one bar both must be paid for.
    if (order.kind === 'entry' && isMarketOrder && isAgainst && heldAtPlacement === 0)
      return this.paysBoth(equity, side, opening, at);
    const beside = isAgainst ? 0 : books.held;
    if (this.pays(equity, side, opening + beside, at)) return true;
    // Orders of one bar are measured one by one.
    const before = Math.max(0, heldAtPlacement * side);
    if (isMarketOrder && before < beside) return this.pays(equity, side, opening + before, at);
    // After a close of the same bar, and for all of the account less a fee, it fills and is trimmed.
    if (isMarketOrder && heldAtPlacement !== 0 && books.held === 0) return true;
    return order.isByDefault && terms.sizeType !== 'fixed' && terms.feeValue > 0;
  }

  /** How much a margin call at a price closes; 0 where none comes. */
  callAt(price: number): number {
    const { books, terms } = this;
    const side = books.side;
    if (side === 0) return 0;
    const each = this.needed(side, 1, price);
    const equity = books.equity(price);
    if (each <= 0 || this.pays(equity, side, books.held, price)) return 0;
    const missing = terms.wholeSteps(books.held - equity / each);
    return Math.min(books.held, missing > 0 ? inUnits(4 * missing) : 1);
  }

  /** Where equity and margin meet; na where they never do. */
  get liquidationPrice(): number {
    const { books, terms } = this;
    const side = books.side;
    if (side === 0) return Number.NaN;
    const margin = terms.marginOf(side);
    if (margin === 0 || margin === side) return Number.NaN;
    const money = books.realized / (terms.market.pointvalue * books.held);
    const price = (money - side * books.averagePrice) / (margin - side);
    return price > 0 ? terms.onTick(price, -side as Side) : Number.NaN;
  }
}
