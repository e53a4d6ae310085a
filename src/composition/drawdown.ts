// Puts the drawdown guard over all paper accounts, where a limit is set.

import type { PaperVenue } from '../adapters/venues/paper/paper-venue.ts';
import { decimal, plus, ZERO } from '../trading/decimal.ts';
import { createDrawdownGuard, type DrawdownParts } from '../trading/protection/drawdown-guard.ts';
import type { Teardown } from './teardown.ts';

export interface DrawdownOptions extends Omit<DrawdownParts, 'limitPercent' | 'equity'> {
  /** 0 means that there is no guard. */
  readonly limitPercent: number;
  readonly venues: readonly Pick<PaperVenue, 'account'>[];
  readonly teardown: Teardown;
}

export function guardDrawdown({ limitPercent, venues, teardown, ...parts }: DrawdownOptions): void {
  if (limitPercent === 0) return;
  const equity = async () => {
    const accounts = await Promise.all(venues.map((venue) => venue.account()));
    return accounts.reduce((sum, account) => plus(sum, account.equity), ZERO);
  };
  const guard = createDrawdownGuard({ ...parts, limitPercent: decimal(limitPercent), equity });
  teardown.add(() => guard.stop());
  guard.start();
}
