// The books of a strategy's account: open lots, closed trades, what was earned and paid. It knows nothing of orders.

import type { CurrentBar } from './current-bar.ts';
import { inUnits, tenDigits } from './grid.ts';
import { added } from './lists.ts';
import { type ClosedTrade, Lot } from './lot.ts';
import type { PointValue } from './point-value.ts';
import type { QuietRange } from './quiet-range.ts';
import type { BrokerSettings, Direction } from './settings.ts';
import { Snapshot } from './snapshot.ts';
import { Totals } from './totals.ts';

/** Where and when something was bought or sold. */
export interface Fill {
  readonly id: string;
  readonly comment: string;
  readonly price: number;
  /** What the list of trades shows; the same, but for an immediate close, which is listed without its slippage. */
  readonly listedPrice: number;
  readonly bar: number;
  readonly timeMs: number;
}

interface LedgerState {
  readonly size: number;
  readonly averagePrice: number;
}

/** A share of what was paid for a trade that is nothing but the last digits of doubles. */
const DUST = 1e-13;

export class Ledger {
  /** Rows of the list of trades that are open, oldest first. */
  lots: Lot[] = [];
  /** Entries with something bound to them, oldest first. */
  entries: Lot[] = [];
  readonly closed: ClosedTrade[] = [];
  readonly totals = new Totals();
  /** Positive long, negative short. */
  size = 0;
  averagePrice = Number.NaN;
  /** Closed trades and fees of open ones. */
  netProfit = 0;
  realizedEquity: number;
  private readonly settings: BrokerSettings;
  private readonly pointValue: PointValue;
  private readonly quiet: QuietRange;
  private readonly lotsKept = new Snapshot<Lot>();
  private readonly entriesKept = new Snapshot<Lot>();
  private kept: (LedgerState & { readonly totals: Totals; readonly closed: number; readonly rate: number }) | null =
    null;

  constructor(settings: BrokerSettings, pointValue: PointValue, quiet: QuietRange) {
    this.settings = settings;
    this.pointValue = pointValue;
    this.quiet = quiet;
    this.totals.peak = settings.initialCapital;
    this.totals.trough = settings.initialCapital;
    this.realizedEquity = settings.initialCapital;
  }

  get direction(): Direction | 0 {
    return this.size > 0 ? 1 : this.size < 0 ? -1 : 0;
  }

  openProfit(price: number): number {
    return this.size === 0 ? 0 : this.size * (price - this.averagePrice) * this.pointValue.now;
  }

  equity(price: number): number {
    return this.realizedEquity + this.openProfit(price);
  }

  /** A bar begins on which another rate of exchange may hold: from here on everything is worth what it says. */
  convertAt(timeMs: number): void {
    const { pointValue, lots } = this;
    const rate = pointValue.rateOn(timeMs);
    if (rate === pointValue.rate) return;
    for (const lot of lots) lot.keepExtremes(pointValue.now);
    pointValue.setRate(rate);
  }

  /** Whether the account was ever worth nothing or less when a trade had closed. */
  get hasOwed(): boolean {
    return this.totals.trough <= 0;
  }

  /** What an order of this size costs; a flat fee is split by the caller. */
  feeOf(quantity: number, price: number): number {
    const { commissionType, commissionValue } = this.settings;
    if (commissionValue === 0) return 0;
    if (commissionType === 'percent')
      return tenDigits((price * quantity * this.pointValue.now * commissionValue) / 100);
    return commissionType === 'cash_per_contract' ? tenDigits(quantity * commissionValue) : commissionValue;
  }

  open(direction: Direction, quantity: number, fee: number, fill: Fill): Lot {
    const { id, comment, price, bar, timeMs } = fill;
    const entry = { id, comment, direction, price, bar, timeMs, quantity, fee };
    const lot = new Lot({ ...entry, pointValue: this.pointValue.now });
    this.lots = added(this.lots, lot);
    this.entries = added(this.entries, lot);
    this.totals.openFees += fee;
    this.resize();
    const { totals, size } = this;
    totals.mostHeld = Math.max(totals.mostHeld, Math.abs(size));
    if (size > 0) totals.mostLong = Math.max(totals.mostLong, size);
    else totals.mostShort = Math.max(totals.mostShort, -size);
    return lot;
  }

  /** Closes rows, oldest first, of all or only of those that are meant; gives back what could not be closed. */
  close(quantity: number, fee: number, fill: Fill, isMeant: ((lot: Lot) => boolean) | null = null): number {
    const { lots } = this;
    let left = quantity;
    for (let index = 0; index < lots.length && left > 0; ) {
      const lot = lots[index]!;
      if (isMeant !== null && !isMeant(lot)) {
        index += 1;
        continue;
      }
      const taken = Math.min(left, lot.quantity);
      this.book(lot, taken, quantity === 0 ? 0 : (fee * taken) / quantity, fill);
      left = inUnits(left - taken);
      if (lot.quantity > 0) index += 1;
      else lots.splice(index, 1);
    }
    this.resize();
    this.totals.watch(this.equity(fill.price));
    return left;
  }

  /** Takes from what is bound to an entry; one with nothing left is no entry any more. */
  settle(lot: Lot, quantity: number): void {
    lot.bound = inUnits(lot.bound - Math.min(quantity, lot.bound));
    if (lot.bound > 0) return;
    const place = this.entries.indexOf(lot);
    if (place >= 0) this.entries.splice(place, 1);
  }

  /** The same over the entries with an id, or over all, oldest first; gives back what they did not have. */
  settleById(id: string | null, quantity: number): number {
    let left = quantity;
    for (const lot of [...this.entries]) {
      if (left <= 0) break;
      if (id !== null && lot.id !== id) continue;
      const taken = Math.min(left, lot.bound);
      left = inUnits(left - taken);
      this.settle(lot, taken);
    }
    return left;
  }

  /** What the rows that are meant hold together. */
  heldIn(isMeant: (lot: Lot) => boolean): number {
    let held = 0;
    for (const lot of this.lots) if (isMeant(lot)) held += lot.quantity;
    return inUnits(held);
  }

  /** The price has come to a point of its path: open lots and the equity may stand better or worse than ever there. */
  touch(price: number): void {
    if (this.size === 0) return;
    for (const lot of this.lots) lot.touch(price);
    this.totals.watch(this.equity(price));
  }

  /** The same on a bar on which nothing fills: at both extremes, in one go because most bars are such. */
  touchExtremes(bar: CurrentBar): void {
    if (this.size === 0) return;
    const { low, high } = bar;
    // Of an account that has owed money, the run-up in percent is not largest at the best price.
    if (this.hasOwed) {
      this.touch(bar.open);
      this.touch(bar.close);
    }
    for (const lot of this.lots) {
      if (high > lot.highest) lot.highest = high;
      if (low < lot.lowest) lot.lowest = low;
    }
    this.totals.watch(this.equity(low));
    this.totals.watch(this.equity(high));
  }

  /** What a part of a lot makes at a price, and the best and the worst it has stood at. */
  resultOf(lot: Lot, quantity: number, price: number, exitFee: number) {
    const entryFee = (lot.fee * quantity) / lot.quantity;
    const perPoint = lot.direction * quantity * this.pointValue.now;
    const [best, worst] = lot.direction > 0 ? [lot.highest, lot.lowest] : [lot.lowest, lot.highest];
    return {
      entryFee,
      profit: (price - lot.price) * perPoint - entryFee - exitFee,
      runup: Math.max(0, Math.max((best - lot.price) * perPoint, lot.best * quantity) - entryFee),
      drawdown: Math.min(0, Math.min((worst - lot.price) * perPoint, lot.worst * quantity) - entryFee),
    };
  }

  private book(lot: Lot, quantity: number, exitFee: number, fill: Fill): void {
    const { totals } = this;
    lot.touch(fill.price);
    const { profit: exact, runup, drawdown, entryFee } = this.resultOf(lot, quantity, fill.price, exitFee);
    const value = lot.price * quantity * this.pointValue.now;
    // What fees have eaten to the last digit is neither won nor lost, wherever trades are counted.
    const profit = Math.abs(exact) < value * DUST ? 0 : exact;
    const percent = (amount: number): number => (amount / value) * 100;
    this.closed.push({
      entryId: lot.id,
      entryComment: lot.comment,
      direction: lot.direction,
      entryBar: lot.bar,
      entryTimeMs: lot.timeMs,
      entryPrice: lot.price,
      exitId: fill.id,
      exitComment: fill.comment,
      exitBar: fill.bar,
      exitTimeMs: fill.timeMs,
      exitPrice: fill.listedPrice,
      quantity,
      value: lot.price * quantity * lot.pointValue,
      commission: entryFee + exitFee,
      profit,
      profitPercent: percent(profit),
      runup,
      runupPercent: percent(runup),
      drawdown,
      drawdownPercent: percent(drawdown),
    });
    lot.quantity = inUnits(lot.quantity - quantity);
    lot.fee -= entryFee;
    totals.openFees = Math.abs(totals.openFees - entryFee) < 1e-12 ? 0 : totals.openFees - entryFee;
    totals.closedProfit += profit;
    totals.count(profit, percent(profit), this.settings.initialCapital);
  }

  /** The position or the money behind it has changed, and with it what may bring a margin call. */
  private countMoney(): void {
    this.quiet.forget();
    this.netProfit = this.totals.closedProfit - this.totals.openFees;
    this.realizedEquity = this.settings.initialCapital + this.netProfit;
  }

  private resize(): void {
    this.countMoney();
    let size = 0;
    let cost = 0;
    for (const lot of this.lots) {
      size += lot.quantity;
      cost += lot.quantity * lot.price;
    }
    if (size === 0) {
      this.size = 0;
      this.averagePrice = Number.NaN;
      if (this.lots.length > 0) this.lots = [];
      if (this.entries.length > 0) this.entries = [];
      return;
    }
    this.size = inUnits(size) * this.lots[0]!.direction;
    this.averagePrice = cost / size;
  }

  /** The state now is what `restore` goes back to. */
  save(): void {
    const { lots, entries, totals, size, averagePrice } = this;
    this.lotsKept.keep(lots);
    this.entriesKept.keep(entries);
    this.kept = {
      totals: Object.assign(new Totals(), totals),
      closed: this.closed.length,
      size,
      averagePrice,
      rate: this.pointValue.rate,
    };
  }

  restore(): void {
    if (this.kept === null) return;
    const { totals, closed, rate, ...rest } = this.kept;
    // Entries whose rows are closed are in one list only, so that both are gone through.
    this.lots = this.lotsKept.restored();
    this.entries = this.entriesKept.restored();
    Object.assign(this.totals, totals);
    this.countMoney();
    this.closed.length = closed;
    this.pointValue.setRate(rate);
    Object.assign(this, rest);
  }
}
