// An account of ours at an emulated venue, opened as the product opens it, over real HTTP.

import { LiveAccounts, type LiveAccountsOptions } from '../../src/adapters/venues/live-accounts.ts';
import { venueFolder } from '../../src/composition/venue-folders.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import type { Venue } from '../../src/trading/venue.ts';
import type { EmulatedVenue } from './emulated-venues/emulated-venue.ts';

/** `changes`: another clock or pace than the real one. */
export async function openEmulatedAccount(
  exchange: Exchange,
  { baseUrl, credentials }: Pick<EmulatedVenue, 'baseUrl' | 'credentials'>,
  changes: Partial<LiveAccountsOptions> = {},
): Promise<Venue> {
  const accounts = new LiveAccounts({
    ...{ nowMs: Date.now, monotonicMs: () => performance.now(), timers: foregroundTimers, folderOf: venueFolder },
    ...{ random: Math.random, log: { warn() {} }, onTrouble: () => {}, ...changes },
  });
  return (await accounts.open({ exchange, account: 'main', mode: 'live', credentials, baseUrl })).venue;
}
