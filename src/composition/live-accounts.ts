// Opens testnet and live accounts: each with the adapter of its venue, and none with a key that may withdraw.

import type { Config } from '../config.ts';
import { EXCHANGE_TITLES, type Exchange } from '../exchanges/exchange.ts';
import type { StoredAccount, StoredAccounts } from '../keys/stored-accounts.ts';
import type { VenueCredentials } from '../keys/venue-credentials.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { judgePermissions, type KeyPermissions } from '../trading/key-permissions.ts';
import type { Venue } from '../trading/venue.ts';

export interface LiveAccountOptions {
  readonly account: RealAccount;
  readonly credentials: VenueCredentials;
  /** In the place of the venue's own address. */
  readonly baseUrl: string | undefined;
  /** The position mode it is to have; undefined leaves it as it is at the venue. */
  readonly positionMode: StoredAccount['positionMode'];
}

export interface LiveAccount {
  readonly venue: Venue;
  /** How far the venue's clock is ahead of ours. */
  clockOffsetMs(): Promise<number>;
  permissions(): Promise<KeyPermissions>;
}

/** Closing the venue closes the account. */
export type OpenLiveAccount = (options: LiveAccountOptions) => Promise<LiveAccount>;
export type LiveAdapters = Partial<Readonly<Record<Exchange, OpenLiveAccount>>>;

export interface LiveAccountParts {
  readonly config: Pick<Config, 'venues' | 'allowWithdrawalKeys'>;
  readonly stored: StoredAccounts;
  readonly adapters: LiveAdapters;
}

/** Says in words why not, where it cannot: no adapter, or credentials that cannot be opened. */
export async function openLiveAccount(
  account: RealAccount,
  { config, stored, adapters }: LiveAccountParts,
): Promise<LiveAccount> {
  const { exchange, account: name } = account;
  const isStored = account.credentialsFrom === 'stored';
  const kept = isStored ? stored.find(account) : undefined;
  const ofStore = kept && (await stored.credentialsOf(kept));
  const credentials = isStored ? ofStore : config.venues[exchange].credentials;
  if (credentials === undefined)
    throw new Error(`the credentials of ${exchange}:${name} were removed meanwhile; try again`);
  const open = adapters[exchange];
  if (open === undefined)
    throw new Error(
      `${exchange}:${name} has its credentials, but this release cannot trade at ${EXCHANGE_TITLES[exchange]} yet; trade on paper`,
    );
  return open({ account, credentials, baseUrl: config.venues[exchange].baseUrl, positionMode: kept?.positionMode });
}

export interface LiveAccountsParts extends LiveAccountParts {
  readonly accounts: readonly RealAccount[];
  /** What its owner should know of a key. */
  readonly onAdvice: (advice: string) => void;
}

/** All of them, or none: an account that is left out would miss its closes and its stops. */
export async function openLiveAccounts({ accounts, onAdvice, ...parts }: LiveAccountsParts): Promise<readonly Venue[]> {
  const opened: Venue[] = [];
  try {
    for (const account of accounts) {
      const { venue, permissions } = await openLiveAccount(account, parts);
      opened.push(venue);
      const { refusal, advice } = judgePermissions(account, await permissions(), parts.config);
      if (refusal !== undefined) throw new Error(refusal);
      advice.forEach(onAdvice);
    }
    return opened;
  } catch (error) {
    await Promise.allSettled(opened.map((venue) => venue.close()));
    throw error;
  }
}
