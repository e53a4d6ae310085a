// The owner's password as the command line changes it: in the data folder, beside a running instance or without one.

import { OWNER } from '../adapters/storage/sqlite/database-files.ts';
import { hasDatabases, isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import type { KeyStoreOptions, OpenedAccess } from '../cli/host.ts';
import { openAccess } from './access.ts';
import { noInstance } from './no-instance.ts';
import { readConfig } from './read-config.ts';
import { isInstanceRunning } from './running-instance.ts';

const ACTOR = 'cli';

export async function openAccessForCommand({ dataDir }: KeyStoreOptions): Promise<OpenedAccess> {
  // Whoever wants to listen to other machines may do so with a password in place of a token, and is just about to set it.
  const config = readConfig({ HOST: '127.0.0.1', ...(dataDir !== undefined && { DATA_DIR: dataDir }) });
  // To open a database that is not there would make it.
  if (!isDataFolder(config.dataDir)) throw noInstance(config.dataDir);
  assertDatabasesThere(config.dataDir);
  if (!hasDatabases(config.dataDir)) throw noInstance(config.dataDir);
  const running = isInstanceRunning(config.dataDir);
  await excuseLogs(config.dataDir, [OWNER.name]);
  const settings = openSettingsStorage(config.dataDir);
  const access = openAccess({ store: settings.access, onTrouble: () => {} });
  return {
    isPasswordSet: () => access.isPasswordSet(),
    setPassword: (password) => access.setPassword(password, ACTOR),
    removePassword: () => access.removePassword(ACTOR),
    removeTotp: () => access.removeTotp(ACTOR),
    where: `data folder ${config.dataDir}${running ? '' : ' (Signalbox is not running)'}`,
    close: () => settings.close(),
  };
}
