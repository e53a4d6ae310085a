// The adapters of real venues, put together when the first account is opened.

import { LiveAccounts, type LiveAccountsOptions } from '../adapters/venues/live-accounts.ts';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { accountInWords } from '../trading/accounts.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { LiveAdapters, OpenLiveAccount } from './live-accounts.ts';
import { venueFolder } from './venue-folders.ts';

export function createLiveAdapters({ log, onTrouble }: Pick<LiveAccountsOptions, 'log' | 'onTrouble'>): LiveAdapters {
  const accounts = new LiveAccounts({
    ...{ nowMs, monotonicMs, timers: foregroundTimers, random: Math.random, folderOf: venueFolder, log, onTrouble },
  });
  const open: OpenLiveAccount = async ({ account, credentials, baseUrl, positionMode }) => {
    const { exchange, account: name, mode } = account;
    const opened = await accounts.open({ exchange, account: name, mode, credentials, baseUrl });
    const present = positionMode === undefined ? undefined : await opened.venue.positionMode();
    if (present === positionMode) return opened;
    await opened.venue.close();
    throw new Error(
      `${accountInWords({ exchange, account: name })} is to be ${positionMode} and is ${present} at the venue; change it there while nothing is held, or add the account again without a position mode`,
    );
  };
  return Object.fromEntries(EXCHANGES.map((exchange) => [exchange, open])) as Record<Exchange, OpenLiveAccount>;
}
