// Margin: whether an account can carry a position at a price, and how much of it must go when it cannot.

import type { Grid } from './grid.ts';
import type { Ledger } from './ledger.ts';
import type { PointValue } from './point-value.ts';
import type { QuietRange } from './quiet-range.ts';
import type { BrokerSettings, Direction } from './settings.ts';

/** How TradingView's list of trades names what a margin call closes. */
export const MARGIN_CALL = 'Margin call';
/** How many times the missing part a margin call closes. */
const CALL_FACTOR = 4;
/** An account is not short of money by the last digit of a double. */
const TOLERANCE = 1e-10;
/** What the price of a margin call may be wrong by, and more: nearer prices are looked at one by one. */
const CARRIED_TOLERANCE = 1e-6;

export class Margin {
  private readonly settings: BrokerSettings;
  private readonly ledger: Ledger;
  private readonly grid: Grid;
  private readonly pointValue: PointValue;

  constructor(settings: BrokerSettings, ledger: Ledger, grid: Grid, pointValue: PointValue) {
    this.settings = settings;
    this.ledger = ledger;
    this.grid = grid;
    this.pointValue = pointValue;
  }

  /** Money that each contract binds at a price, as a share of its value. */
  shareOf(direction: Direction): number {
    return direction > 0 ? this.settings.marginLong : this.settings.marginShort;
  }

  /** Whether the account may hold so many contracts in this direction, after closing what stands against it. */
  allows(direction: Direction, quantity: number, price: number, equity: number): boolean {
    const share = this.shareOf(direction);
    if (share === 0) return true;
    return quantity * price * this.pointValue.now * share <= equity * (1 + TOLERANCE);
  }

  /** Whether the account may turn a position that was opened at the same moment: both must be paid for. */
  allowsPair(direction: Direction, quantity: number, price: number): boolean {
    const { size } = this.ledger;
    const old = Math.abs(size) * this.shareOf(size > 0 ? 1 : -1);
    const needed = (old + quantity * this.shareOf(direction)) * price * this.pointValue.now;
    return needed === 0 || needed <= this.ledger.equity(price) * (1 + TOLERANCE);
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
    const perContract = price * this.pointValue.now * this.shareOf(direction);
    const missing = Math.abs(size) - this.ledger.equity(price) / perContract;
    const whole = this.grid.floor(missing);
    return Math.min(Math.abs(size), whole > 0 ? whole * CALL_FACTOR : 1);
  }

  /** Where the next margin call would come; na for what is paid in full or needs no margin. */
  get liquidationPrice(): number {
    const { direction } = this.ledger;
    if (direction === 0) return Number.NaN;
    const price = this.callPrice(direction);
    return price > 0 ? this.grid.snap(price, direction > 0 ? -1 : 1) : Number.NaN;
  }

  /** NaN where no price brings a margin call, or every one does. */
  private callPrice(direction: Direction): number {
    const { size, averagePrice, realizedEquity } = this.ledger;
    const share = this.shareOf(direction);
    if (share === 0 || share === direction) return Number.NaN;
    const perContract = realizedEquity / (this.pointValue.now * Math.abs(size));
    return (perContract - direction * averagePrice) / (share - direction);
  }

  /** Takes the prices at which margin may be missing from the quiet range. */
  leaveOutOf(quiet: QuietRange): void {
    if (this.ledger.size > 0) quiet.raise(this.carriedTo);
    else quiet.lower(this.carriedTo);
  }

  /** How far the price may go against the position before margin may be missing; NaN: as far as it likes. */
  private get carriedTo(): number {
    const { direction } = this.ledger;
    const share = direction === 0 ? 0 : this.shareOf(direction);
    if (share === 0 || share === direction) return Number.NaN;
    // The higher the price, the more is missing: each must be looked at.
    if (share > 1 && direction > 0) return Number.POSITIVE_INFINITY;
    const price = this.callPrice(direction as Direction);
    return price + direction * Math.abs(price) * CARRIED_TOLERANCE;
  }
}
