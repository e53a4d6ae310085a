// The books of the oracle's broker: open rows, closed rows, and which entry still has something bound to it.
//
// Rows are closed oldest first. Beside them each entry keeps what its own exits may still take, because an exit belongs
// to the entry it was ordered for and yet closes the oldest row.

import { inUnits, type Side, type Terms } from './market.ts';

export interface Row {
  readonly id: string;
  readonly comment: string;
  readonly side: Side;
  readonly price: number;
  readonly bar: number;
  readonly timeMs: number;
  /** As it was filled. */
  readonly filled: number;
  /** What is left of the row. */
  left: number;
  /** What its own exits and closes may still take. */
  bound: number;
  /** The entry's fee for what is left. */
  fee: number;
  highest: number;
  lowest: number;
  /** Brackets that have taken their part. */
  readonly taken: Set<string>;
}

export interface ClosedRow {
  readonly row: Row;
  readonly exitId: string;
  readonly exitComment: string;
  readonly exitBar: number;
  readonly exitTimeMs: number;
  readonly exitPrice: number;
  readonly quantity: number;
  readonly commission: number;
  readonly profit: number;
  /** What was paid for it, which percentages are of. */
  readonly value: number;
  readonly runup: number;
  readonly drawdown: number;
}

/** A sale or purchase: `listed` is the price of the list of trades, which an immediate close has without its slippage. */
export interface Deal {
  readonly id: string;
  readonly comment: string;
  readonly price: number;
  readonly listed: number;
  readonly bar: number;
  readonly timeMs: number;
}

export class Books {
  rows: Row[] = [];
  /** Entries with something bound to them. */
  entries: Row[] = [];
  readonly closed: ClosedRow[] = [];
  /** Of realized equity. */
  peak: number;
  trough: number;
  maxDrawdown = 0;
  maxDrawdownPercent = 0;
  maxRunup = 0;
  maxRunupPercent = 0;
  mostLong = 0;
  mostShort = 0;
  private readonly terms: Terms;

  constructor(terms: Terms) {
    this.terms = terms;
    this.peak = terms.capital;
    this.trough = terms.capital;
  }

  get size(): number {
    return inUnits(this.rows.reduce((sum, { left, side }) => sum + left * side, 0));
  }

  get held(): number {
    return Math.abs(this.size);
  }

  get side(): Side | 0 {
    return Math.sign(this.size) as Side | 0;
  }

  get averagePrice(): number {
    if (this.rows.length === 0) return Number.NaN;
    return this.rows.reduce((sum, { left, price }) => sum + left * price, 0) / this.held;
  }

  get openFees(): number {
    return this.rows.reduce((sum, { fee }) => sum + fee, 0);
  }

  get closedProfit(): number {
    return this.closed.reduce((sum, { profit }) => sum + profit, 0);
  }

  /** With the fees of open entries in it. */
  get netProfit(): number {
    return this.closedProfit - this.openFees;
  }

  get realized(): number {
    return this.terms.capital + this.netProfit;
  }

  openProfit(price: number): number {
    if (this.rows.length === 0) return 0;
    return this.size * (price - this.averagePrice) * this.terms.market.pointvalue;
  }

  equity(price: number): number {
    return this.realized + this.openProfit(price);
  }

  open(side: Side, quantity: number, fee: number, deal: Deal): Row {
    const { id, comment, price, bar, timeMs } = deal;
    const size = { filled: quantity, left: quantity, bound: quantity, fee };
    const row: Row = {
      id,
      comment,
      side,
      price,
      bar,
      timeMs,
      ...size,
      highest: price,
      lowest: price,
      taken: new Set(),
    };
    this.rows.push(row);
    this.entries.push(row);
    if (this.side > 0) this.mostLong = Math.max(this.mostLong, this.held);
    else this.mostShort = Math.max(this.mostShort, this.held);
    return row;
  }

  /** Closes that much, oldest rows first, or only the rows that `isMeant` allows. The fee is split by quantity. */
  close(quantity: number, fee: number, deal: Deal, isMeant: (row: Row) => boolean = () => true): void {
    let toClose = quantity;
    for (const row of this.rows.filter(isMeant)) {
      const part = Math.min(toClose, row.left);
      if (part <= 0) continue;
      toClose = inUnits(toClose - part);
      this.closePart(row, part, (fee * part) / quantity, deal);
    }
    this.rows = this.rows.filter(({ left }) => left > 0);
    this.measure(this.equity(deal.price));
  }

  /** What exits and closes took of entries: those that are meant first, then whatever is oldest. */
  unbind(quantity: number, isMeant: (row: Row) => boolean): void {
    let toTake = quantity;
    for (const row of [...this.entries.filter(isMeant), ...this.entries.filter((entry) => !isMeant(entry))]) {
      const part = Math.min(toTake, row.bound);
      row.bound = inUnits(row.bound - part);
      toTake = inUnits(toTake - part);
    }
    this.entries = this.rows.length === 0 ? [] : this.entries.filter(({ bound }) => bound > 0);
  }

  /** The price was there while this position was held. */
  touch(price: number): void {
    if (this.rows.length === 0) return;
    for (const row of this.rows) {
      row.highest = Math.max(row.highest, price);
      row.lowest = Math.min(row.lowest, price);
    }
    this.measure(this.equity(price));
  }

  /** How a part of a row stands or ends at a price, after its fees. */
  resultOf(row: Row, quantity: number, price: number, exitFee: number) {
    const { pointvalue } = this.terms.market;
    const entryFee = (row.fee * quantity) / row.left;
    const worth = (at: number): number => (at - row.price) * row.side * quantity * pointvalue;
    const [best, worst] = row.side > 0 ? [row.highest, row.lowest] : [row.lowest, row.highest];
    const profit = worth(price) - entryFee - exitFee;
    const runup = Math.max(0, worth(best) - entryFee);
    const drawdown = Math.max(0, entryFee - worth(worst));
    return { profit, runup, drawdown, entryFee, value: row.price * quantity * pointvalue };
  }

  private closePart(row: Row, part: number, exitFee: number, deal: Deal): void {
    row.highest = Math.max(row.highest, deal.price);
    row.lowest = Math.min(row.lowest, deal.price);
    const { profit, runup, drawdown, entryFee, value } = this.resultOf(row, part, deal.price, exitFee);
    this.closed.push({
      row: { ...row },
      exitId: deal.id,
      exitComment: deal.comment,
      exitBar: deal.bar,
      exitTimeMs: deal.timeMs,
      exitPrice: deal.listed,
      quantity: part,
      commission: entryFee + exitFee,
      profit,
      value,
      runup,
      drawdown,
    });
    row.fee -= entryFee;
    row.left = inUnits(row.left - part);
    const made = this.terms.capital + this.closedProfit;
    this.peak = Math.max(this.peak, made);
    this.trough = Math.min(this.trough, made);
  }

  private measure(equity: number): void {
    const { peak, trough } = this;
    if (peak - equity > this.maxDrawdown) this.maxDrawdown = peak - equity;
    if (equity - trough > this.maxRunup) this.maxRunup = equity - trough;
    this.maxDrawdownPercent = Math.max(this.maxDrawdownPercent, ((peak - equity) / peak) * 100);
    // Of an account that owes money there is no percentage.
    if (equity > 0) this.maxRunupPercent = Math.max(this.maxRunupPercent, ((equity - trough) / equity) * 100);
  }
}
