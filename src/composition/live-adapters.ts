// The adapters of real venues, put together when the first account is opened.

import { LiveAccounts, type LiveAccountsOptions } from '../adapters/venues/live-accounts.ts';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import { hostSilences } from './host-silences.ts';
import type { LiveAdapters, OpenLiveAccount } from './live-accounts.ts';
import { venueFolder } from './venue-folders.ts';

type Options = Pick<LiveAccountsOptions, 'log' | 'onTrouble' | 'fundings' | 'lease'>;

export function createLiveAdapters(options: Options): LiveAdapters {
  const accounts = new LiveAccounts({
    ...{ nowMs, monotonicMs, timers: foregroundTimers, random: Math.random, folderOf: venueFolder },
    ...{ silences: hostSilences, ...options },
  });
  const open: OpenLiveAccount = ({ account: { exchange, account, mode }, credentials, baseUrl }) =>
    accounts.open({ exchange, account, mode, credentials, baseUrl });
  return Object.fromEntries(EXCHANGES.map((exchange) => [exchange, open])) as Record<Exchange, OpenLiveAccount>;
}
