// Puts a drawdown guard over every account, where a limit is set, and says what its switch holds back.

import { decimal } from '../trading/decimal.ts';
import type { KillSwitch } from '../trading/intake/controls.ts';
import { createDrawdownGuard, type DrawdownParts } from '../trading/protection/drawdown-guard.ts';
import type { Venue } from '../trading/venue.ts';
import type { Teardown } from './teardown.ts';

export interface DrawdownOptions extends Omit<DrawdownParts, 'account' | 'limitPercent' | 'equity'> {
  /** 0 means that there is no guard. */
  readonly limitPercent: number;
  readonly venues: readonly Pick<Venue, 'exchange' | 'mode' | 'account' | 'summary'>[];
  readonly teardown: Teardown;
}

export function guardDrawdown({ limitPercent, venues, teardown, ...parts }: DrawdownOptions): void {
  if (limitPercent === 0) return;
  for (const venue of venues) {
    const account = { exchange: venue.exchange, mode: venue.mode, account: venue.account };
    const equity = async () => (await venue.summary()).equity;
    const guard = createDrawdownGuard({ ...parts, account, limitPercent: decimal(limitPercent), equity });
    teardown.add(() => guard.stop());
    guard.start();
  }
}

/** A loss on an exchange is no reason to lock the wallet, unless its owner says so; a switch thrown by hand always does. */
export const walletSwitch = (killSwitch: KillSwitch, drawdownFreezesWallet: boolean): KillSwitch =>
  killSwitch.by === 'drawdown-guard' && !drawdownFreezesWallet ? { active: false, scope: 'all' } : killSwitch;
