// The figures of a backtest that are those of the whole account.

import type { Ratios } from './period-returns.ts';
import type { Swings } from './swings.ts';

/** Figures of the account as a whole, which have no sides. */
export interface AccountStatistics {
  /** At the last close, with what is open. */
  readonly finalEquity: number;
  /** With what open trades stood at on the way. */
  readonly intrabar: Swings;
  /** From exit to exit: what closed trades made alone. */
  readonly closeToClose: Swings;
  readonly buyAndHold: number;
  readonly buyAndHoldPercent: number;
  readonly ratios: Ratios;
}
