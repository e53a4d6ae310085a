// The rules of strategy.risk.*: what an account may lose, hold and do before trading ends for the day or for good.

import type { Direction, Side } from './settings.ts';

interface Loss {
  readonly value: number;
  readonly isPercent: boolean;
}

interface Rules {
  side: Side;
  lossDays: number;
  drawdown: Loss | null;
  /** Orders that may fill on one day. */
  fills: number;
  dayLoss: Loss | null;
  position: number;
}

/** Method names in Pine's spelling are called by generated code. The script sets them on every bar; the last word counts. */
export class Risk {
  private rules: Rules = {
    side: 'all',
    lossDays: Number.POSITIVE_INFINITY,
    drawdown: null,
    fills: Number.POSITIVE_INFINITY,
    dayLoss: null,
    position: Number.POSITIVE_INFINITY,
  };
  private state = { day: Number.NaN, fills: 0, dayEquity: Number.NaN, lossDays: 0, isOver: false, isOverToday: false };
  private keptRules = { ...this.rules };
  private keptState = { ...this.state };

  allow_entry_in(side: Side | null): void {
    this.rules.side = side ?? 'all';
  }

  max_cons_loss_days(count: number): void {
    if (!Number.isNaN(count)) this.watch({ lossDays: count });
  }

  max_drawdown(value: number, type: string): void {
    if (!Number.isNaN(value)) this.watch({ drawdown: { value, isPercent: type === 'percent_of_equity' } });
  }

  max_intraday_filled_orders(count: number): void {
    if (!Number.isNaN(count)) this.watch({ fills: count });
  }

  max_intraday_loss(value: number, type: string): void {
    if (!Number.isNaN(value)) this.watch({ dayLoss: { value, isPercent: type === 'percent_of_equity' } });
  }

  private watch(rule: Partial<Rules>): void {
    Object.assign(this.rules, rule);
    this.watchesBars = true;
  }

  max_position_size(contracts: number): void {
    if (!Number.isNaN(contracts)) this.rules.position = contracts;
  }

  /** Whether a rule was ever set that must be looked at on every bar. */
  watchesBars = false;

  /** Whether any rule looks at days. */
  get watchesDays(): boolean {
    // On the first bar the script has not set its rules yet.
    return (
      Number.isNaN(this.state.day) ||
      this.rules.fills < Number.POSITIVE_INFINITY ||
      this.rules.dayLoss !== null ||
      this.rules.lossDays < Number.POSITIVE_INFINITY
    );
  }

  get watchesLosses(): boolean {
    return this.rules.drawdown !== null || this.rules.dayLoss !== null;
  }

  get isHalted(): boolean {
    return this.state.isOver || this.state.isOverToday;
  }

  /** True when the day that is over was one loss too many: trading ends. */
  beginBar(day: number, realizedEquity: number): boolean {
    const { state } = this;
    if (day === state.day) return false;
    const isFirst = Number.isNaN(state.day);
    if (!isFirst) state.lossDays = realizedEquity < state.dayEquity ? state.lossDays + 1 : 0;
    const isEnd = state.lossDays >= this.rules.lossDays && !state.isOver;
    if (isEnd) state.isOver = true;
    state.day = day;
    state.dayEquity = realizedEquity;
    state.fills = 0;
    state.isOverToday = false;
    return isEnd;
  }

  /** How much of an entry may open: none against the allowed direction, no more than the largest position. */
  allowed(direction: Direction, quantity: number, held: number): number {
    const { side, position } = this.rules;
    if (side !== 'all' && (side === 'long') !== direction > 0) return 0;
    return Math.max(0, Math.min(quantity, position - held));
  }

  /** Counts a fill; true when it was the last of the day. */
  countFill(): boolean {
    this.state.fills += 1;
    if (this.state.fills < this.rules.fills) return false;
    this.state.isOverToday = true;
    return true;
  }

  /** The rule that the equity has broken, in the words of the list of trades; null while none is. */
  brokenBy(equity: number, peak: number, hasClosed: boolean): string | null {
    const { state } = this;
    const { drawdown, dayLoss } = this.rules;
    const exceeds = ({ value, isPercent }: Loss, loss: number, of: number): boolean =>
      loss >= (isPercent ? (of * value) / 100 : value);
    if (drawdown !== null && hasClosed && exceeds(drawdown, peak - equity, peak)) {
      state.isOver = true;
      return 'Close Position (Max Drawdown)';
    }
    if (dayLoss !== null && exceeds(dayLoss, state.dayEquity - equity, state.dayEquity)) {
      state.isOverToday = true;
      return 'Close Position (Max intraday loss)';
    }
    return null;
  }

  /** Rules too: a script may set one on a tick that is taken back. */
  save(): void {
    this.keptRules = { ...this.rules };
    this.keptState = { ...this.state };
  }

  restore(): void {
    this.rules = { ...this.keptRules };
    this.state = { ...this.keptState };
  }
}
