// The accounts of a run of chaos: two at every venue, of which the first has its credentials from the settings and the second is stored.

import { makeDataFolder } from '../../../src/composition/make-data-folder.ts';
import { closeOwner, openOwner } from '../../../src/composition/storage.ts';
import { openStoredAccounts } from '../../../src/composition/stored-accounts.ts';
import type { Config } from '../../../src/config.ts';
import type { Exchange } from '../../../src/exchanges/exchange.ts';
import { accountInWords, MAIN_ACCOUNT } from '../../../src/trading/accounts.ts';
import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import type { MatchingMarket } from '../emulated-venues/matching-market.ts';
import type { LiveAddress } from '../live-gateway.ts';
import { STOP_VENUES, type StopVenueRow } from '../stop-venues.ts';

const SECOND_ACCOUNT = 'second';

/** An account, and its venue as it is there for it: market and credentials are its own, faults and requests are those of the venue. */
export interface ChaosAccount extends EmulatedVenue {
  readonly exchange: Exchange;
  readonly account: string;
  /** `binance`, `binance:second`. */
  readonly words: string;
  readonly row: StopVenueRow;
  /** Where the prices of both are set. */
  readonly prices: MatchingMarket;
}

export type ChaosAccounts = ReadonlyMap<string, ChaosAccount>;

export async function openChaosAccounts(nowMs: () => number): Promise<ChaosAccounts> {
  const accounts: ChaosAccount[] = [];
  for (const row of STOP_VENUES) {
    const { exchange } = row;
    const venue = await row.start({ nowMs });
    const second = venue.openAccount({ apiKey: `second-key-at-${exchange}`, secret: `second-secret-at-${exchange}` });
    const named = (account: string, own: object): ChaosAccount => ({
      ...{ ...venue, ...own },
      ...{ exchange, account, words: accountInWords({ exchange, account }), row, prices: venue.market },
    });
    accounts.push(named(MAIN_ACCOUNT, {}), named(SECOND_ACCOUNT, second));
  }
  return new Map(accounts.map((account) => [account.words, account]));
}

/** Makes the folder of a gateway, with the second ones in it. */
export async function storeAccounts(config: Config, accounts: ChaosAccounts): Promise<void> {
  await makeDataFolder(config);
  const owner = await openOwner(config);
  const stored = openStoredAccounts(config, owner.settings.storedAccounts, 'chaos');
  for (const { exchange, account, credentials } of accounts.values())
    if (account !== MAIN_ACCOUNT) await stored.add({ exchange, account, mode: 'live' }, credentials);
  await closeOwner(owner);
}

/** Where the venues are, with the credentials of the first accounts. */
export const addressesOf = (accounts: ChaosAccounts): Readonly<Record<Exchange, LiveAddress>> => {
  const first = [...accounts.values()].filter(({ account }) => account === MAIN_ACCOUNT);
  const rows = first.map(({ exchange, baseUrl, credentials }) => [exchange, { baseUrl, credentials }] as const);
  return Object.fromEntries(rows) as Record<Exchange, LiveAddress>;
};

/** Those of one venue are closed by it. */
export const closeChaosAccounts = async (accounts: ChaosAccounts): Promise<void> => {
  for (const account of accounts.values()) if (account.account === MAIN_ACCOUNT) await account.close();
};
