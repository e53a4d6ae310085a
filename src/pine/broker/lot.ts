// One filled entry: the row it makes in the list of trades, and what is still bound to its own exits.
//
// Two quantities are kept apart, because rows are closed oldest first while an exit belongs to the entry it was ordered
// for: with two entries open, the exit of the second closes the row of the first. `quantity` is what is left of the row,
// `bound` what exits and closes of this entry may still take.

import type { Direction } from './settings.ts';

export class Lot {
  readonly number: number;
  readonly id: string;
  readonly comment: string;
  readonly direction: Direction;
  readonly price: number;
  readonly bar: number;
  readonly timeMs: number;
  readonly original: number;
  quantity: number;
  bound: number;
  /** Names of brackets that have taken their part and do not come back. */
  fired: readonly string[] = [];
  /** What the entry cost, of the part that is left. */
  fee: number;
  /** The highest and the lowest price since the entry. */
  highest: number;
  lowest: number;

  constructor(entry: {
    number: number;
    id: string;
    comment: string;
    direction: Direction;
    price: number;
    bar: number;
    timeMs: number;
    quantity: number;
    fee: number;
  }) {
    this.number = entry.number;
    this.id = entry.id;
    this.comment = entry.comment;
    this.direction = entry.direction;
    this.price = entry.price;
    this.bar = entry.bar;
    this.timeMs = entry.timeMs;
    this.original = entry.quantity;
    this.quantity = entry.quantity;
    this.bound = entry.quantity;
    this.fee = entry.fee;
    this.highest = entry.price;
    this.lowest = entry.price;
  }

  touch(price: number): void {
    if (price > this.highest) this.highest = price;
    if (price < this.lowest) this.lowest = price;
  }
}

export interface ClosedTrade {
  readonly entryId: string;
  readonly entryComment: string;
  readonly direction: Direction;
  readonly entryBar: number;
  readonly entryTimeMs: number;
  readonly entryPrice: number;
  readonly exitId: string;
  readonly exitComment: string;
  readonly exitBar: number;
  readonly exitTimeMs: number;
  readonly exitPrice: number;
  readonly quantity: number;
  /** Fees of both sides. */
  readonly commission: number;
  readonly profit: number;
  readonly profitPercent: number;
  /** The best and the worst the trade stood at, in money; the entry's fee is paid. */
  readonly runup: number;
  readonly runupPercent: number;
  readonly drawdown: number;
  readonly drawdownPercent: number;
}
