// The stored accounts of a data folder over the master key they are sealed with, and the accounts that all sources together make.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  createMasterKeyFile,
  MASTER_KEY_FILE,
  MasterKeyFault,
  readMasterKeyFile,
} from '../adapters/keystores/master-key-file.ts';
import { createDurably } from '../adapters/storage/durable-file.ts';
import { type Config, ConfigError } from '../config.ts';
import { Sealer } from '../keys/sealed-text.ts';
import { KEY_START_CHARS, type StoredAccountStore, StoredAccounts } from '../keys/stored-accounts.ts';
import { type ConfiguredAccount, type ConfiguredAccounts, configuredAccounts } from '../trading/configured-accounts.ts';
import { nowMs } from './clocks.ts';

type KeyConfig = Pick<Config, 'masterKey' | 'dataDir'>;

const SETTING = 'SIGNALBOX_MASTER_KEY';

/** The key is made with the first account, and never again: with a new one nobody could open those that are there. */
export function openStoredAccounts(config: KeyConfig, store: StoredAccountStore, actor: string): StoredAccounts {
  let sealer: Promise<Sealer> | undefined;
  const open = async (): Promise<Sealer> => {
    return new Sealer({ masterKey: await masterKeyOf(config, store), randomBytes });
  };
  return new StoredAccounts({ store, sealer: () => (sealer ??= open()), nowMs, actor });
}

/** Made where it is needed for the first time. */
export const masterKeyOf = async (config: KeyConfig, store: Pick<StoredAccountStore, 'list'>): Promise<string> =>
  config.masterKey ?? readMasterKeyFile(config.dataDir) ?? newKey(config, store);

/** Which key it is, in words. */
export const masterKeyInWords = ({ masterKey, dataDir }: KeyConfig): string =>
  masterKey === undefined ? join(dataDir, MASTER_KEY_FILE) : SETTING;

/** The same without its folder, for answers that leave the machine. */
export const masterKeyName = ({ masterKey }: Pick<Config, 'masterKey'>): string =>
  masterKey === undefined ? `${MASTER_KEY_FILE} in the data folder` : SETTING;

function newKey({ dataDir }: KeyConfig, store: Pick<StoredAccountStore, 'list'>): Promise<string> {
  if (store.list().length === 0) return createMasterKeyFile({ dataDir, randomBytes, createFile: createDurably });
  throw new MasterKeyFault(
    `there are stored accounts, but not the master key their credentials are sealed with: ${SETTING} is not set, and ` +
      `${join(dataDir, MASTER_KEY_FILE)} is not there. Bring it back from a backup; without it those credentials are lost: ` +
      'remove the accounts with "signalbox accounts remove", and add them again',
  );
}

type AccountConfig = Pick<Config, 'venues' | 'paperAccounts'>;

export const accountsOf = ({ venues, paperAccounts }: AccountConfig, store: StoredAccountStore): ConfiguredAccounts =>
  configuredAccounts({ venues, paperAccounts, stored: store.list() });

/** The same for a start, which a fault stops. */
export function accountsToOpen(config: AccountConfig, store: StoredAccountStore): ConfiguredAccounts {
  const accounts = accountsOf(config, store);
  if (accounts.faults.length > 0) throw new ConfigError(accounts.faults);
  return accounts;
}

/** The first characters of an account's API key; empty on paper. */
export function keyStartOf(
  { exchange, account, credentialsFrom }: ConfiguredAccount,
  { venues }: AccountConfig,
  store: StoredAccountStore,
): string {
  if (credentialsFrom === 'environment') return venues[exchange].credentials?.apiKey.slice(0, KEY_START_CHARS) ?? '';
  if (credentialsFrom === 'none') return '';
  return store.list().find((each) => each.exchange === exchange && each.account === account)?.keyStart ?? '';
}
