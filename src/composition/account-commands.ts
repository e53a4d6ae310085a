// The accounts of a data folder as the command line uses them. Where an instance runs it is asked, because only it knows which accounts
// are open, and with which keys; adding and removing goes to the data folder, which an instance reads at its start.

import { OWNER } from '../adapters/storage/sqlite/database-files.ts';
import { hasDatabases, isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import { unsettledInWords, unsettledOf } from '../adapters/storage/sqlite/unsettled.ts';
import type { AccountsOptions, OpenedAccounts } from '../cli/host.ts';
import type { Config } from '../config.ts';
import type { StoredAccountName, StoredAccountStore, StoredAccounts } from '../keys/stored-accounts.ts';
import { MAIN_ACCOUNT } from '../trading/accounts.ts';
import { ADDED_LATER } from './account-rows.ts';
import { KnownAccounts, noSuchAccount } from './known-accounts.ts';
import type { LiveAdapters } from './live-accounts.ts';
import { makeDataFolder } from './make-data-folder.ts';
import { noInstance } from './no-instance.ts';
import { readConfig } from './read-config.ts';
import { type AskedAccounts, runningAccounts } from './running-accounts.ts';
import { isInstanceRunning } from './running-instance.ts';
import { assertNotOfEnvironment, inEnvironment } from './shared-keys.ts';
import { masterKeyInWords, openStoredAccounts } from './stored-accounts.ts';

const ACTOR = 'cli';

interface AccountParts {
  readonly config: Config;
  readonly store: StoredAccountStore;
  readonly stored: StoredAccounts;
  /** By the settings of this shell. */
  readonly known: KnownAccounts;
}

export async function openAccounts(
  { dataDir, makeFolder = false }: AccountsOptions,
  adapters?: LiveAdapters,
): Promise<OpenedAccounts> {
  const config = readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });
  const isNew = !isDataFolder(config.dataDir);
  // To open a database that is not there would make it.
  if (isNew && !makeFolder) throw noInstance(config.dataDir);
  if (isNew) await makeDataFolder(config.dataDir);
  assertDatabasesThere(config.dataDir);
  if (!hasDatabases(config.dataDir)) throw noInstance(config.dataDir);
  const running = isInstanceRunning(config.dataDir);
  await excuseLogs(config.dataDir, [OWNER.name]);
  const { storedAccounts: store, settings, restrictions, close } = openSettingsStorage(config.dataDir);
  const stored = openStoredAccounts(config, store, ACTOR);
  const known = new KnownAccounts({ config, store, settings, restrictions, adapters, isTrading: false });
  const parts: AccountParts = { config, store, stored, known };
  const asked = running ? runningAccounts(config) : byShell(known);
  return {
    ...asked,
    async add(account, credentials) {
      assertNotOfEnvironment(account, credentials.apiKey, (await asked.list()).environment);
      const { keyStart } = await stored.add(account, credentials);
      return { sealedWith: masterKeyInWords(config), keyStart, waits: await reasonToWait(account, asked) };
    },
    remove: (name, { force }) => removeAccount(name, force, { ...parts, asked }),
    where: `data folder ${config.dataDir}${isNew ? ', made just now for a new instance' : running ? '' : ' (Signalbox is not running)'}`,
    running,
    close: async () => close(),
  };
}

const byShell = (known: KnownAccounts): Omit<AskedAccounts, 'check'> => ({
  list: async () => known.list(),
  test: (name) => known.test(name),
  live: async (name) => known.live(name),
  confirm: async (name) => known.confirm(name, ACTOR),
});

/** It is stored already: an instance that does not tell leaves only the restart to be said, and so does one that needs nothing else. */
async function reasonToWait(
  { exchange, account }: StoredAccountName,
  { list }: Pick<AskedAccounts, 'list'>,
): Promise<string> {
  const { accounts } = await list().catch(() => ({ accounts: [] }));
  const rows = accounts.filter((row) => row.exchange === exchange && row.account === account);
  const why = rows.find(({ credentialsFrom }) => credentialsFrom === 'stored')?.off ?? '';
  return why === ADDED_LATER ? '' : why;
}

async function removeAccount(
  name: StoredAccountName,
  force: boolean,
  { config, store, stored, known, asked }: AccountParts & { readonly asked: Pick<AskedAccounts, 'list'> },
): Promise<void> {
  const account = stored.find(name);
  if (account === undefined) {
    const { environment } = await asked.list();
    const isThere = name.account === MAIN_ACCOUNT && environment.some(({ exchange }) => exchange === name.exchange);
    throw isThere ? new Error(inEnvironment(name)) : noSuchAccount(name, store);
  }
  const unsettled = unsettledInWords(unsettledOf(config.dataDir, account));
  if (!force && unsettled !== '')
    throw new Error(
      `${name.exchange}:${name.account} has not settled everything: ${unsettled}. Without its credentials nobody ` +
        'here could close, protect or follow that. Close it first ("signalbox positions", "signalbox orders"), or say --force',
    );
  stored.remove(account);
  known.forget(account, ACTOR);
}
