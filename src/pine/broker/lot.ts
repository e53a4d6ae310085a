// One filled entry: the row it makes in the list of trades, and what is still bound to its own exits.
//
// Two quantities are kept apart, because rows are closed oldest first while an exit belongs to the entry it was ordered
// for: with two entries open, the exit of the second closes the row of the first. `quantity` is what is left of the row,
// `bound` what exits and closes of this entry may still take.

import type { Direction } from './settings.ts';

export class Lot {
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
  /** What a point of a contract was worth when it was bought or sold, in the account's currency. */
  readonly pointValue: number;
  /** The highest and the lowest price since the entry; with a rate of exchange, since the rate is what it is. */
  highest: number;
  lowest: number;
  /** The best and the worst that a contract has stood at while other rates of exchange held; nothing without one. */
  best = 0;
  worst = 0;

  constructor(entry: {
    id: string;
    comment: string;
    direction: Direction;
    price: number;
    bar: number;
    timeMs: number;
    quantity: number;
    fee: number;
    pointValue: number;
  }) {
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
    this.pointValue = entry.pointValue;
    this.highest = entry.price;
    this.lowest = entry.price;
  }

  touch(price: number): void {
    if (price > this.highest) this.highest = price;
    if (price < this.lowest) this.lowest = price;
  }

  /** Another rate of exchange comes: what it stood at so far is kept in money, and prices are watched anew. */
  keepExtremes(pointValue: number): void {
    const { direction, price, highest, lowest } = this;
    const [best, worst] = direction > 0 ? [highest, lowest] : [lowest, highest];
    this.best = Math.max(this.best, (best - price) * direction * pointValue);
    this.worst = Math.min(this.worst, (worst - price) * direction * pointValue);
    this.highest = price;
    this.lowest = price;
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
  /** What the entry was worth, at the rate of its day. */
  readonly value: number;
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
