// What the owner asks about accounts: which there are, whether each may risk real money, and how its venue answers.
//
// The running instance has one of these over what it has opened, and a command asks it there: the shell of a command may have another
// environment. Where no instance runs a command has its own, over its settings.

import { MasterKeyFault } from '../adapters/keystores/master-key-file.ts';
import type { LiveAccount } from '../adapters/venues/live-accounts.ts';
import type { AccountList, DoctorCheck, ListedAccount, TestedAccount } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { errorText } from '../errors/error-text.ts';
import { withoutFolders } from '../errors/storage-error.ts';
import { settingPrefix } from '../exchanges/exchange.ts';
import { SealedTextFault } from '../keys/sealed-text.ts';
import {
  type NewStoredAccount,
  StoredAccountFault,
  type StoredAccountName,
  type StoredAccountStore,
  type StoredAccounts,
} from '../keys/stored-accounts.ts';
import type { VenueCredentials } from '../keys/venue-credentials.ts';
import { type AccountName, MAIN_ACCOUNT } from '../trading/accounts.ts';
import { shownMoney } from '../trading/books/shown-amounts.ts';
import type { RealAccount } from '../trading/configured-accounts.ts';
import { toText } from '../trading/decimal.ts';
import { type LiveConfirmationParts, LiveConfirmations } from '../trading/intake/live-confirmations.ts';
import type { RestrictionStore } from '../trading/intake/restrictions.ts';
import { type PositionMode, VenueError } from '../trading/venue.ts';
import { reasonToWait, removeStored } from './account-changes.ts';
import { checkAccounts } from './account-doctor.ts';
import { type AccountRow, accountRows, isNamed, liveAmong, noSuchAccount, openRows } from './account-rows.ts';
import { nowMs } from './clocks.ts';
import { judgeAccount, type LiveAdapters, openLiveAccount, wantedMode } from './live-accounts.ts';
import { createLiveAdapters } from './live-adapters.ts';
import { IN_INSTANCE } from './running-accounts.ts';
import { assertNotOfEnvironment, environmentKeys } from './shared-keys.ts';
import { unsettledAccounts } from './storage.ts';
import { masterKeyName, openStoredAccounts } from './stored-accounts.ts';

const BY_SHELL = 'by the settings of this shell, and no instance runs';

export interface KnownAccountParts {
  readonly config: Config;
  readonly store: StoredAccountStore;
  readonly settings: LiveConfirmationParts['store'];
  readonly restrictions: Pick<RestrictionStore, 'list'>;
  /** Whether this is the instance that trades: then what is open now stays open until its end. */
  readonly isTrading: boolean;
  /** Those of the release if left out. */
  readonly adapters?: LiveAdapters | undefined;
}

export interface AddedAccount {
  readonly keyStart: string;
  /** Which master key it was, in words. */
  readonly sealedWith: string;
  /** Why a restart is not enough to trade it; empty where it is. */
  readonly waits: string;
  readonly tested: TestedAccount;
}

export class KnownAccounts {
  readonly #parts: KnownAccountParts;
  readonly #stored: StoredAccounts;
  readonly #confirmations: LiveConfirmations;
  /** Undefined where nothing is open. */
  readonly #opened: readonly AccountRow[] | undefined;

  constructor(parts: KnownAccountParts) {
    const { config, store, settings, isTrading } = parts;
    this.#parts = parts;
    this.#stored = openStoredAccounts(config, store, 'owner');
    this.#confirmations = new LiveConfirmations({ store: settings, isAsked: config.confirmFirstLiveOrder, nowMs });
    this.#opened = isTrading ? openRows(config, store) : undefined;
  }

  list(): AccountList {
    const { rows, faults } = this.#rows();
    const environment = environmentKeys(this.#parts.config);
    return { accounts: rows.map((row) => this.#listed(row)), faults, environment };
  }

  /** Whether the account may open positions with the key that it is open with. */
  isConfirmed(name: AccountName): boolean {
    if (name.mode !== 'live') return true;
    const row = this.#open().find((each) => isNamed(each, name) && each.mode === name.mode);
    return this.#confirmations.isConfirmed(name, row?.fingerprint ?? '');
  }

  /** A live account that may be confirmed. */
  live(name: StoredAccountName): ListedAccount {
    return this.#listed(this.#live(name));
  }

  async confirm(name: StoredAccountName, actor: string): Promise<void> {
    await this.#confirmations.confirm(name, this.#live(name).fingerprint, actor);
  }

  forget(name: StoredAccountName, actor: string): Promise<void> {
    return this.#confirmations.forget(name, actor);
  }

  /** Whatever its mode and the modes of the settings are: it is asked for, so it is tried. */
  async test(name: StoredAccountName): Promise<TestedAccount> {
    const parts = { config: this.#parts.config, stored: this.#stored, adapters: this.#adapters() };
    const account = this.#accountToTest(name);
    return this.#tested(account, await openLiveAccount(account, parts), wantedMode(account, this.#stored));
  }

  /** Stores it only if its venue answers, and lets it be traded with these credentials. */
  async add(account: NewStoredAccount, credentials: VenueCredentials, actor: string): Promise<AddedAccount> {
    const { config, store } = this.#parts;
    assertNotOfEnvironment(account, credentials.apiKey, environmentKeys(config));
    const { exchange, positionMode } = account;
    const asked: RealAccount = { ...account, credentialsFrom: 'stored' };
    const { baseUrl } = config.venues[exchange];
    const live = await this.#adapters()[exchange]({ account: asked, credentials, baseUrl });
    const tested = await this.#tested(asked, live, positionMode).catch((error: unknown) => {
      throw isRejected(error) ? new StoredAccountFault(errorText(error), 'refused') : error;
    });
    if (tested.refusal !== undefined) throw new StoredAccountFault(tested.refusal, 'refused');
    const { keyStart } = await openStoredAccounts(config, store, actor).add(account, credentials).catch(inOwnWords);
    return { keyStart, sealedWith: masterKeyName(config), waits: reasonToWait(account, this.list().accounts), tested };
  }

  async remove(name: StoredAccountName, { force }: { readonly force: boolean }, actor: string): Promise<void> {
    const { config, store } = this.#parts;
    const stored = openStoredAccounts(config, store, actor);
    const unsettled = unsettledAccounts(config);
    const parts = { unsettled, store, stored, environment: async () => environmentKeys(config) };
    await removeStored(name, { force, orForce: 'send force=true' }, parts);
    await this.forget(name, actor);
  }

  /** What `signalbox doctor` says of them; with `live` their venues are asked. */
  check({ live }: { readonly live: boolean }): Promise<readonly DoctorCheck[]> {
    const { config, store, restrictions, isTrading } = this.#parts;
    const real = this.#open().flatMap(({ exchange, account, mode, credentialsFrom, keyStart }) =>
      mode === 'paper' || credentialsFrom === 'none' ? [] : [{ exchange, account, mode, credentialsFrom, keyStart }],
    );
    const parts = { config, stored: this.#stored, adapters: this.#adapters(), confirmations: this, nowMs };
    return checkAccounts({ ...parts, store, restrictions, real, live, isTrading });
  }

  async #tested(account: RealAccount, live: LiveAccount, wanted: PositionMode | undefined): Promise<TestedAccount> {
    const { venue, clockOffsetMs, permissions } = live;
    try {
      const offsetMs = await clockOffsetMs();
      const { balance } = await venue.summary();
      const found = await permissions();
      const positionMode = await venue.positionMode();
      const asked = { ...live, permissions: async () => found };
      const { refusal, advice } = await judgeAccount(account, asked, { config: this.#parts.config, wanted });
      const told = { clockOffsetMs: offsetMs, balance: toText(shownMoney(balance)), positionMode, permissions: found };
      return { ...told, refusal, advice };
    } finally {
      await venue.close();
    }
  }

  #adapters(): LiveAdapters {
    return this.#parts.adapters ?? createLiveAdapters({ log: { warn: () => {} }, onTrouble: () => {} });
  }

  #open(): readonly AccountRow[] {
    return this.#opened ?? openRows(this.#parts.config, this.#parts.store);
  }

  #rows() {
    return accountRows(this.#parts.config, this.#parts.store, this.#open());
  }

  #listed({ fingerprint, ...row }: AccountRow): ListedAccount {
    const isConfirmed = row.credentialsFrom === 'none' || this.#confirmations.isConfirmed(row, fingerprint);
    return { ...row, isUnconfirmed: !isConfirmed };
  }

  #live(name: StoredAccountName): AccountRow {
    return liveAmong(this.#rows().rows, name, this.#parts.isTrading ? IN_INSTANCE : BY_SHELL);
  }

  #accountToTest(name: StoredAccountName): RealAccount {
    const kept = this.#stored.find(name);
    if (kept !== undefined) return { ...name, mode: kept.mode, credentialsFrom: 'stored' };
    const { mode, credentials } = this.#parts.config.venues[name.exchange];
    if (name.account !== MAIN_ACCOUNT || credentials === undefined) throw noSuchAccount(name, this.#parts.store);
    if (mode === 'paper')
      throw new StoredAccountFault(
        `${name.exchange}:${name.account} trades on paper, so nobody knows whether its API key is one for testnet or live; set ` +
          `${settingPrefix(name.exchange)}_MODE to the one it is for`,
      );
    return { ...name, mode, credentialsFrom: 'environment' };
  }
}

/** The venue has answered, and does not take the key. */
const isRejected = (error: unknown): boolean => error instanceof VenueError && error.failure === 'rejected';

/** A master key that is lost or open to others is the owner's to mend; its folder is nobody else's business. */
function inOwnWords(error: unknown): never {
  if (error instanceof MasterKeyFault || error instanceof SealedTextFault)
    throw new StoredAccountFault(withoutFolders(error.message), 'conflict');
  throw error;
}
