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
    if (!this.watchesBars) throw new Error('a rule that looks at every bar was not asked for by onEveryBar()');
    Object.assign(this.rules, rule);
  }

  max_position_size(contracts: number): void {
    if (!Number.isNaN(contracts)) this.rules.position = contracts;
  }

  /**
   * Whether every bar must be looked at. A rule may get its value late, and it counts from the start of its day: so the
   * days are followed from the first bar on.
   */
  watchesBars = false;

  /** Called before the first bar by a script with a rule that looks at days, fills or losses. */
  onEveryBar(): this {
    this.watchesBars = true;
    return this;
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
    if (!Number.isNaN(state.day)) state.lossDays = realizedEquity < state.dayEquity ? state.lossDays + 1 : 0;
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
