// The accounts of a data folder as the command line uses them. Where an instance runs it is asked, because only it knows which accounts
// are open, and with which keys; adding and removing goes to the data folder, which an instance reads at its start.

import { OWNER } from '../adapters/storage/sqlite/database-files.ts';
import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import type { AccountsOptions, OpenedAccounts } from '../cli/host.ts';
import { reasonToWait, removeStored } from './account-changes.ts';
import { KnownAccounts } from './known-accounts.ts';
import type { LiveAdapters } from './live-accounts.ts';
import { makeDataFolder } from './make-data-folder.ts';
import { readConfig } from './read-config.ts';
import { type AskedAccounts, runningAccounts } from './running-accounts.ts';
import { isInstanceRunning } from './running-instance.ts';
import { assertNotOfEnvironment } from './shared-keys.ts';
import { assertInstanceThere, closeOwner, openOwner, unsettledAccounts } from './storage.ts';
import { masterKeyInWords, openStoredAccounts } from './stored-accounts.ts';

const ACTOR = 'cli';

export async function openAccounts(
  { dataDir, makeFolder = false }: AccountsOptions,
  adapters?: LiveAdapters,
): Promise<OpenedAccounts> {
  const config = readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });
  const isNew = !isDataFolder(config.dataDir);
  if (isNew && makeFolder) await makeDataFolder(config);
  await assertInstanceThere(config, [OWNER.name]);
  const running = isInstanceRunning(config.dataDir);
  const owner = await openOwner(config);
  const { storedAccounts: store, settings, restrictions } = owner.settings;
  const stored = openStoredAccounts(config, store, ACTOR);
  const known = new KnownAccounts({ config, store, settings, restrictions, adapters, isTrading: false });
  const asked = running ? runningAccounts(config) : byShell(known);
  return {
    ...asked,
    async add(account, credentials) {
      assertNotOfEnvironment(account, credentials.apiKey, (await asked.list()).environment);
      const { keyStart } = await stored.add(account, credentials);
      // It is stored already: an instance that does not tell leaves only the restart to be said.
      const { accounts } = await asked.list().catch(() => ({ accounts: [] }));
      return { sealedWith: masterKeyInWords(config), keyStart, waits: reasonToWait(account, accounts) };
    },
    async remove(name, { force }) {
      const environment = async () => (await asked.list()).environment;
      const parts = { unsettled: unsettledAccounts(config), store, stored, environment };
      await removeStored(name, { force, orForce: 'say --force' }, parts);
      await known.forget(name, ACTOR);
    },
    where: `data folder ${config.dataDir}${isNew ? ', made just now for a new instance' : running ? '' : ' (Signalbox is not running)'}`,
    running,
    close: () => closeOwner(owner),
  };
}

const byShell = (known: KnownAccounts): Omit<AskedAccounts, 'check'> => ({
  list: async () => known.list(),
  test: (name) => known.test(name),
  live: async (name) => known.live(name),
  confirm: (name) => known.confirm(name, ACTOR),
});
