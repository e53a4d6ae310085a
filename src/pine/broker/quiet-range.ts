// The prices between which nothing happens: no order is reached and no margin is missing, so that bars inside need no look.
//
//   unknown ──a bar on which nothing could fill──► known ──an order is given, a bar leaves it──► unknown
//
// It becomes known only while there are no market orders and no trailing stops, which every bar must be walked for.

import type { CurrentBar } from './current-bar.ts';
import type { ExitOrder } from './exit-order.ts';
import { moved } from './grid.ts';
import type { Margin } from './margin.ts';
import type { Order } from './order.ts';
import type { OrderBook } from './order-book.ts';

export class QuietRange {
  /** Both NaN while it is unknown, so that no price lies between them. */
  above = Number.NaN;
  below = Number.NaN;
  /** How far bars inside have gone since it is known. */
  lowest = Number.NaN;
  highest = Number.NaN;

  get isKnown(): boolean {
    return this.above < this.below;
  }

  forget(): void {
    this.above = Number.NaN;
    this.below = Number.NaN;
  }

  /** A bar inside it goes further than all others since it is known. */
  widen({ low, high }: CurrentBar): void {
    this.lowest = Math.min(low, this.lowest);
    this.highest = Math.max(high, this.highest);
  }

  /** Where the orders of a book and the money for a position leave room; `slack` is what a limit must be passed by. */
  learn({ low, high }: CurrentBar, { orders, exits }: OrderBook, margin: Margin, slack: number): void {
    this.lowest = low;
    this.highest = high;
    this.above = Number.NEGATIVE_INFINITY;
    this.below = Number.POSITIVE_INFINITY;
    for (const order of orders) this.leaveOut(order, slack);
    for (const exit of exits) this.leaveOutBracket(exit, slack);
    if (margin.isOfLong) this.raise(margin.carriedTo);
    else this.lower(margin.carriedTo);
  }

  private leaveOut(order: Order, slack: number): void {
    const { isStop, direction, stop, limit } = order;
    if (isStop && direction > 0) this.lower(stop);
    else if (isStop) this.raise(stop);
    else if (direction > 0) this.raise(moved(limit, -slack));
    else this.lower(moved(limit, slack));
  }

  private leaveOutBracket({ lot, stop, limit }: ExitOrder, slack: number): void {
    if (lot.direction > 0) {
      this.raise(stop);
      this.lower(moved(limit, slack));
    } else {
      this.lower(stop);
      this.raise(moved(limit, -slack));
    }
  }

  private raise(level: number): void {
    if (level > this.above) this.above = level;
  }

  private lower(level: number): void {
    if (level < this.below) this.below = level;
  }
}
