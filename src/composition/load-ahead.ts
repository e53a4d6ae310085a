// Loads what the owner of the desk will need while this process does not own it yet. Loading holds up everything else in a process
// for as long as it takes, seconds on a busy machine: signals would wait so much longer at a take-over, and the new owner could
// not even renew its lease meanwhile.

import type { Config } from '../config.ts';
import { EXCHANGES, type Exchange } from '../exchanges/exchange.ts';
import { loadPostgres } from './storage.ts';
import { feedFolder, loadVenueFolder } from './venue-folders.ts';

type Settings = Pick<Config, 'venues' | 'telegram' | 'smtpPort' | 'marketData'>;

/** What fails here fails again where it is used, and is told there. */
export async function loadAhead({ venues, telegram, smtpPort, marketData }: Settings): Promise<void> {
  const real = EXCHANGES.filter((exchange) => venues[exchange].mode !== 'paper');
  const fed = EXCHANGES.filter((exchange): exchange is Exchange => real.includes(exchange) || exchange === marketData);
  await Promise.allSettled([
    loadPostgres(),
    import('./wallet.ts'),
    import('./agent.ts'),
    ...real.map(loadVenueFolder),
    ...fed.map(feedFolder),
    telegram.token !== undefined && import('../adapters/notifiers/telegram/index.ts'),
    smtpPort !== undefined && import('../adapters/mail/open-mail.ts'),
  ]);
}
