// Margin: whether an account can carry a position at a price, and how much of it must go when it cannot.

import type { Grid } from './grid.ts';
import type { Ledger } from './ledger.ts';
import type { BrokerSettings, Direction } from './settings.ts';

/** How many times the missing part a margin call closes. */
const CALL_FACTOR = 4;
/** An account is not short of money by the last digit of a double. */
const SLACK = 1e-10;

export class Margin {
  private readonly settings: BrokerSettings;
  private readonly ledger: Ledger;
  private readonly grid: Grid;
  private readonly pointvalue: number;

  constructor(settings: BrokerSettings, ledger: Ledger, grid: Grid, pointvalue: number) {
    this.settings = settings;
    this.ledger = ledger;
    this.grid = grid;
    this.pointvalue = pointvalue;
  }

  /** Money that each contract binds at a price, as a share of its value. */
  shareOf(direction: Direction): number {
    return direction > 0 ? this.settings.marginLong : this.settings.marginShort;
  }

  /** Whether the account may hold so many contracts in this direction, after closing what stands against it. */
  allows(direction: Direction, quantity: number, price: number, equity: number): boolean {
    const share = this.shareOf(direction);
    if (share === 0) return true;
    return quantity * price * this.pointvalue * share <= equity * (1 + SLACK);
  }

  /** Whether the account may turn a position that was opened at the same moment: both must be paid for. */
  allowsPair(direction: Direction, quantity: number, price: number): boolean {
    const { size } = this.ledger;
    const old = Math.abs(size) * this.shareOf(size > 0 ? 1 : -1);
    const needed = (old + quantity * this.shareOf(direction)) * price * this.pointvalue;
    return needed === 0 || needed <= this.ledger.equity(price) * (1 + SLACK);
  }

  /** Whether the position is short of money at a price. */
  isShortAt(price: number): boolean {
    const { direction, size } = this.ledger;
    if (direction === 0 || this.shareOf(direction) === 0) return false;
    return !this.allows(direction, Math.abs(size), price, this.ledger.equity(price));
  }

  /** Whether the path brings a margin call there; a long position that is paid in full has had its own at its fill. */
  isCalledAt(price: number): boolean {
    return !(this.settings.marginLong === 1 && this.ledger.size > 0) && this.isShortAt(price);
  }

  /**
   * What a margin call closes: four times the part that is missing, which is cut to whole steps first; at least one
   * contract, at most all.
   */
  callQuantity(price: number): number {
    const { direction, size } = this.ledger;
    if (direction === 0) return 0;
    const perContract = price * this.pointvalue * this.shareOf(direction);
    const missing = Math.abs(size) - this.ledger.equity(price) / perContract;
    const whole = this.grid.floor(missing);
    return Math.min(Math.abs(size), whole > 0 ? whole * CALL_FACTOR : 1);
  }

  /** Where the next margin call would come; na for what is paid in full or needs no margin. */
  get liquidationPrice(): number {
    const { direction, size, averagePrice, realizedEquity } = this.ledger;
    if (direction === 0) return Number.NaN;
    const share = this.shareOf(direction);
    if (share === 0 || share === direction) return Number.NaN;
    const perContract = realizedEquity / (this.pointvalue * Math.abs(size));
    const price = (perContract - direction * averagePrice) / (share - direction);
    return price > 0 ? this.grid.snap(price, direction > 0 ? -1 : 1) : Number.NaN;
  }
}
