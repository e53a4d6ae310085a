// Opens testnet and live accounts: each with the adapter of its venue, and nothing with a key that may withdraw.

import type { LiveAccount } from '../adapters/venues/live-accounts.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Exchange } from '../exchanges/exchange.ts';
import type { StoredAccounts } from '../keys/stored-accounts.ts';
import type { VenueCredentials } from '../keys/venue-credentials.ts';
import type { Timers } from '../timing/timers.ts';
import { accountInWords } from '../trading/accounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { judgePermissions } from '../trading/key-permissions.ts';
import type { Patience } from '../trading/leases.ts';
import type { RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import type { PositionMode, Venue } from '../trading/venue.ts';
import { type AccountVerdict, KeyGate } from './key-gate.ts';
import { sharedKeyFaults } from './shared-keys.ts';

export interface LiveAccountOptions {
  readonly account: RealAccount;
  readonly credentials: VenueCredentials;
  /** In the place of the venue's own address. */
  readonly baseUrl: string | undefined;
}

/** Asks nobody anything yet. Closing the venue closes the account. */
export type OpenLiveAccount = (options: LiveAccountOptions) => Promise<LiveAccount>;
export type LiveAdapters = Readonly<Record<Exchange, OpenLiveAccount>>;

export interface LiveAccountParts {
  readonly config: Pick<Config, 'venues' | 'allowWithdrawalKeys'>;
  readonly stored: StoredAccounts;
  readonly adapters: LiveAdapters;
}

/** Says in words why not, where they cannot be opened. */
export async function credentialsOf(
  account: RealAccount,
  { config, stored }: Pick<LiveAccountParts, 'config' | 'stored'>,
): Promise<VenueCredentials> {
  const { exchange, account: name } = account;
  const isStored = account.credentialsFrom === 'stored';
  const kept = isStored ? stored.find(account) : undefined;
  const ofStore = kept && (await stored.credentialsOf(kept));
  const credentials = isStored ? ofStore : config.venues[exchange].credentials;
  if (credentials === undefined)
    throw new Error(`the credentials of ${exchange}:${name} were removed meanwhile; try again`);
  return credentials;
}

export async function openLiveAccount(account: RealAccount, parts: LiveAccountParts): Promise<LiveAccount> {
  const { config, adapters } = parts;
  const credentials = await credentialsOf(account, parts);
  return adapters[account.exchange]({ account, credentials, baseUrl: config.venues[account.exchange].baseUrl });
}

/** Those that have one key, in words. */
export async function sharedKeysOf(
  accounts: readonly RealAccount[],
  parts: Pick<LiveAccountParts, 'config' | 'stored'>,
): Promise<readonly string[]> {
  const keyed = accounts.map(async (account) => ({ account, apiKey: (await credentialsOf(account, parts)).apiKey }));
  return sharedKeyFaults(await Promise.all(keyed));
}

/** Throws where credentials cannot be opened either. */
export async function assertOwnKeys(...asked: Parameters<typeof sharedKeysOf>): Promise<void> {
  const faults = await sharedKeysOf(...asked);
  if (faults.length > 0) throw new ConfigError(faults);
}

/** The position mode that its owner wants it to have. */
export const wantedMode = (account: RealAccount, stored: StoredAccounts): PositionMode | undefined =>
  account.credentialsFrom === 'stored' ? stored.find(account)?.positionMode : undefined;

export interface JudgeParts {
  readonly config: Pick<Config, 'allowWithdrawalKeys'>;
  /** The position mode it is to have; undefined: whichever it has. */
  readonly wanted: PositionMode | undefined;
}

/** Asks the venue whether the account may be traded: by what its key may do, and by the position mode it is to have. */
export async function judgeAccount(
  account: RealAccount,
  { venue, permissions }: LiveAccount,
  { config, wanted }: JudgeParts,
): Promise<AccountVerdict> {
  // A signed read: not every venue tells what a key may do, and then nobody would notice that it is a wrong one.
  const present = await (venue.readPositionMode?.() ?? venue.positionMode());
  const found = await permissions();
  const judged = judgePermissions(account, found, config);
  // Rights that could not be read may be told the next time: until then the account is shut.
  const endsStart = judged.refusal !== undefined && found.canWithdraw === true;
  const verdict = { ...judged, positionMode: present, endsStart };
  if (wanted === undefined || wanted === present || verdict.refusal !== undefined) return verdict;
  const refusal = `${accountInWords(account)} is to be ${wanted} and is ${present} at the venue; change it there while nothing is held, or add the account again without a position mode`;
  return { ...verdict, refusal };
}

export interface LiveAccountsParts extends LiveAccountParts {
  readonly accounts: readonly RealAccount[];
  readonly alarms: Pick<RaisedAlarms, 'stand' | 'over'>;
  readonly timers: Timers;
  readonly patience?: Patience | undefined;
  /** What its owner should know of a key. */
  readonly onAdvice: (advice: string) => void;
}

/** All of them, or none: an account that is left out would miss its closes and its stops. Side by side: one may be away or shut. */
export async function openLiveAccounts(parts: LiveAccountsParts): Promise<readonly Venue[]> {
  await assertOwnKeys(parts.accounts, parts);
  const opened = await Promise.allSettled(parts.accounts.map((account) => openGuarded(account, parts)));
  const venues = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = opened.find((each) => each.status === 'rejected');
  if (failed === undefined) return venues;
  await Promise.allSettled(venues.map((venue) => venue.close()));
  throw failed.reason;
}

async function openGuarded(account: RealAccount, parts: LiveAccountsParts): Promise<Venue> {
  const { config, stored, alarms, timers, patience, onAdvice } = parts;
  const live = await openLiveAccount(account, parts);
  const ask = () => judgeAccount(account, live, { config, wanted: wantedMode(account, stored) });
  const gate = new KeyGate({ account, alarms, timers, patience, onAdvice, ask });
  live.watchKey?.(() => gate.shut());
  try {
    await gate.open();
  } catch (error) {
    await live.venue.close();
    throw error;
  }
  return gate.over(live.venue);
}
