// The rules of strategy.risk.*: what an account may lose, hold and do before entries end for the day or for good.

import type { Side } from './settings.ts';

interface Loss {
  readonly value: number;
  readonly isPercent: boolean;
}

/** Method names are Pine's, because generated code calls them. The script sets them on every bar; the last word counts. */
export class Risk {
  side: Side = 'all';
  lossDays = Number.POSITIVE_INFINITY;
  drawdown: Loss | null = null;
  filledOrders = Number.POSITIVE_INFINITY;
  intradayLoss: Loss | null = null;
  positionSize = Number.POSITIVE_INFINITY;
  /** Whether any rule is set that must be looked at on every bar. */
  isWatching = false;

  allow_entry_in(side: Side | null): void {
    this.side = side ?? 'all';
  }

  max_cons_loss_days(count: number): void {
    if (Number.isNaN(count)) return;
    this.lossDays = count;
    this.isWatching = true;
  }

  max_drawdown(value: number, type: string): void {
    if (Number.isNaN(value)) return;
    this.drawdown = { value, isPercent: type === 'percent_of_equity' };
    this.isWatching = true;
  }

  max_intraday_filled_orders(count: number): void {
    if (!Number.isNaN(count)) this.filledOrders = count;
  }

  max_intraday_loss(value: number, type: string): void {
    if (Number.isNaN(value)) return;
    this.intradayLoss = { value, isPercent: type === 'percent_of_equity' };
    this.isWatching = true;
  }

  max_position_size(contracts: number): void {
    if (!Number.isNaN(contracts)) this.positionSize = contracts;
  }
}
