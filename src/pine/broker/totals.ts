// Sums over an account's closed trades, and how far its equity has fallen and risen.

/** Sums over closed trades; copied aside as one when a live bar is taken back. */
export class Totals {
  closedProfit = 0;
  grossProfit = 0;
  grossLoss = 0;
  winPercent = 0;
  lossPercent = 0;
  percent = 0;
  wins = 0;
  losses = 0;
  evens = 0;
  /** Fees that open lots have paid. */
  openFees = 0;
  /** Orders that were not taken, or did not fill when their price came, because the account could not pay them. */
  unpaidOrders = 0;
  mostHeld = 0;
  mostLong = 0;
  mostShort = 0;
  /** Realized equity at its highest and lowest. */
  peak = 0;
  trough = 0;
  maxDrawdown = 0;
  maxDrawdownPercent = 0;
  maxRunup = 0;
  maxRunupPercent = 0;

  /** The equity at a point of the path. */
  watch(equity: number): void {
    const { peak, trough } = this;
    const fall = peak - equity;
    const rise = equity - trough;
    if (fall > this.maxDrawdown) this.maxDrawdown = fall;
    if (fall * 100 > this.maxDrawdownPercent * peak) this.maxDrawdownPercent = (fall / peak) * 100;
    if (rise > this.maxRunup) this.maxRunup = rise;
    // Of an account that owes money there is no percentage.
    if (equity > 0 && rise * 100 > this.maxRunupPercent * equity) this.maxRunupPercent = (rise / equity) * 100;
  }

  /** A trade has closed. */
  count(profit: number, percent: number, initialCapital: number): void {
    this.percent += percent;
    if (profit > 0) {
      this.wins += 1;
      this.grossProfit += profit;
      this.winPercent += percent;
    } else if (profit < 0) {
      this.losses += 1;
      this.grossLoss -= profit;
      this.lossPercent -= percent;
    } else this.evens += 1;
    const realized = initialCapital + this.closedProfit;
    this.peak = Math.max(this.peak, realized);
    this.trough = Math.min(this.trough, realized);
  }
}
