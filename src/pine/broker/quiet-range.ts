// The prices between which nothing happens: no order is reached and no margin is missing, so that bars inside need no look.
//
//   unknown ──a bar on which nothing could fill──► known ──an order or the position changes──► unknown
//
// It becomes known only while there are no market orders and no trailing stops, which every bar must be walked for. What
// changes an order, the book or the position makes it forget: nobody else needs to think of it.

import type { CurrentBar } from './current-bar.ts';

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

  /** All prices, after a bar on which nothing could fill; what could fill elsewhere then takes its own away. */
  begin({ low, high }: CurrentBar): void {
    this.lowest = low;
    this.highest = high;
    this.above = Number.NEGATIVE_INFINITY;
    this.below = Number.POSITIVE_INFINITY;
  }

  /** A bar inside it goes further than all others since it is known. */
  widen({ low, high }: CurrentBar): void {
    this.lowest = Math.min(low, this.lowest);
    this.highest = Math.max(high, this.highest);
  }

  /** It lies above a level; NaN is none. */
  raise(level: number): void {
    if (level > this.above) this.above = level;
  }

  /** It lies below a level; NaN is none. */
  lower(level: number): void {
    if (level < this.below) this.below = level;
  }
}
