// Puts a drawdown guard over every account, where a limit is set, and says what its switch holds back.

import { decimal } from '../trading/decimal.ts';
import type { Controls, KillSwitch } from '../trading/intake/controls.ts';
import type { Restrictions } from '../trading/intake/restrictions.ts';
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

export interface Switches {
  readonly controls: Pick<Controls, 'current'>;
  readonly restrictions: Pick<Restrictions, 'list'>;
}

/**
 * The switch over everything stops the wallet when it was thrown by hand. A loss on an exchange is no reason to lock the
 * wallet, unless its owner says so; earlier versions of the guard threw the switch over everything.
 */
export function walletSwitch({ controls, restrictions }: Switches, drawdownFreezesWallet: boolean): KillSwitch {
  const { killSwitch } = controls.current();
  const isByGuard = (thrown: KillSwitch | undefined): thrown is KillSwitch =>
    thrown?.active === true && thrown.by === 'drawdown-guard';
  if (killSwitch.active && !isByGuard(killSwitch)) return killSwitch;
  const thrown = [killSwitch, ...restrictions.list().map((row) => row.killSwitch)].find(isByGuard);
  return thrown && drawdownFreezesWallet ? thrown : { active: false, scope: 'all' };
}
