// The owner's password as the command line changes it: in the data folder, beside a running instance or without one.

import { OWNER } from '../adapters/storage/sqlite/database-files.ts';
import type { KeyStoreOptions, OpenedAccess } from '../cli/host.ts';
import { openAccess } from './access.ts';
import { readConfig } from './read-config.ts';
import { isInstanceRunning } from './running-instance.ts';
import { assertInstanceThere, closeOwner, openOwner } from './storage.ts';

const ACTOR = 'cli';

export async function openAccessForCommand({ dataDir }: KeyStoreOptions): Promise<OpenedAccess> {
  // Whoever wants to listen to other machines may do so with a password in place of a token, and is just about to set it.
  const config = readConfig({ HOST: '127.0.0.1', ...(dataDir !== undefined && { DATA_DIR: dataDir }) });
  await assertInstanceThere(config, [OWNER.name]);
  const running = isInstanceRunning(config.dataDir);
  const owner = await openOwner(config);
  const access = openAccess({ store: owner.settings.access, onTrouble: () => {} });
  return {
    isPasswordSet: () => access.isPasswordSet(),
    setPassword: (password) => access.setPassword(password, ACTOR),
    removePassword: () => access.removePassword(ACTOR),
    removeTotp: () => access.removeTotp(ACTOR),
    where: `data folder ${config.dataDir}${running ? '' : ' (Signalbox is not running)'}`,
    close: () => closeOwner(owner),
  };
}
