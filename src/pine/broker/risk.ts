// The rules of strategy.risk.*: what an account may lose, hold and do before trading ends for the day or for good.

import type { Direction, Side } from './settings.ts';

interface Loss {
  readonly value: number;
  readonly isPercent: boolean;
}

/** Method names in Pine's spelling are called by generated code. The script sets them on every bar; the last word counts. */
export class Risk {
  private side: Side = 'all';
  private maxLossDays = Number.POSITIVE_INFINITY;
  private maxDrawdown: Loss | null = null;
  private maxFills = Number.POSITIVE_INFINITY;
  private maxDayLoss: Loss | null = null;
  private maxPosition = Number.POSITIVE_INFINITY;
  private state = { day: Number.NaN, fills: 0, dayEquity: Number.NaN, lossDays: 0, isOver: false, isOverToday: false };
  private kept = { ...this.state };

  allow_entry_in(side: Side | null): void {
    this.side = side ?? 'all';
  }

  max_cons_loss_days(count: number): void {
    if (!Number.isNaN(count)) this.maxLossDays = count;
  }

  max_drawdown(value: number, type: string): void {
    if (!Number.isNaN(value)) this.maxDrawdown = { value, isPercent: type === 'percent_of_equity' };
  }

  max_intraday_filled_orders(count: number): void {
    if (!Number.isNaN(count)) this.maxFills = count;
  }

  max_intraday_loss(value: number, type: string): void {
    if (!Number.isNaN(value)) this.maxDayLoss = { value, isPercent: type === 'percent_of_equity' };
  }

  max_position_size(contracts: number): void {
    if (!Number.isNaN(contracts)) this.maxPosition = contracts;
  }

  /** Whether any rule looks at days. */
  get watchesDays(): boolean {
    return (
      this.maxFills < Number.POSITIVE_INFINITY ||
      this.maxDayLoss !== null ||
      this.maxLossDays < Number.POSITIVE_INFINITY
    );
  }

  get watchesLosses(): boolean {
    return this.maxDrawdown !== null || this.maxDayLoss !== null;
  }

  get isHalted(): boolean {
    return this.state.isOver || this.state.isOverToday;
  }

  beginBar(day: number, realizedEquity: number): void {
    const { state } = this;
    if (day === state.day) return;
    const isFirst = Number.isNaN(state.day);
    if (!isFirst) state.lossDays = realizedEquity < state.dayEquity ? state.lossDays + 1 : 0;
    if (state.lossDays >= this.maxLossDays) state.isOver = true;
    state.day = day;
    state.dayEquity = realizedEquity;
    state.fills = 0;
    state.isOverToday = false;
  }

  /** How much of an entry may open: none against the allowed direction, no more than the largest position. */
  allowed(direction: Direction, quantity: number, held: number): number {
    if (this.side !== 'all' && (this.side === 'long') !== direction > 0) return 0;
    return Math.max(0, Math.min(quantity, this.maxPosition - held));
  }

  /** Counts a fill; true when it was the last of the day. */
  countFill(): boolean {
    this.state.fills += 1;
    if (this.state.fills < this.maxFills) return false;
    this.state.isOverToday = true;
    return true;
  }

  /** The rule that the equity has broken, in the words of the list of trades; null while none is. */
  brokenBy(equity: number, peak: number, hasClosed: boolean): string | null {
    const { state } = this;
    const exceeds = ({ value, isPercent }: Loss, loss: number, of: number): boolean =>
      loss >= (isPercent ? (of * value) / 100 : value);
    if (this.maxDrawdown !== null && hasClosed && exceeds(this.maxDrawdown, peak - equity, peak)) {
      state.isOver = true;
      return 'Close Position (Max Drawdown)';
    }
    if (this.maxDayLoss !== null && exceeds(this.maxDayLoss, state.dayEquity - equity, state.dayEquity)) {
      state.isOverToday = true;
      return 'Close Position (Max intraday loss)';
    }
    return null;
  }

  save(): void {
    this.kept = { ...this.state };
  }

  restore(): void {
    this.state = { ...this.kept };
  }
}
