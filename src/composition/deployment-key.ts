// The key that secrets of deployments are sealed with. The script process, which needs it, is not handed the master key, with which it
// could open the credentials of accounts: it gets one that follows from it and does not lead back.

import { createHmac } from 'node:crypto';
import { readOwnerStores } from '../adapters/storage/sqlite/settings.ts';
import type { Config } from '../config.ts';
import { masterKeyOf } from './stored-accounts.ts';

const PURPOSE = 'signalbox: secrets of deployments';

type KeyConfig = Pick<Config, 'masterKey' | 'dataDir' | 'databaseUrl'>;

export async function deploymentKeyOf(config: KeyConfig): Promise<string> {
  const owner = await storedAccountsAt(config);
  try {
    const masterKey = await masterKeyOf(config, owner.storedAccounts);
    return createHmac('sha256', masterKey).update(PURPOSE).digest('hex');
  } finally {
    await owner.close();
  }
}

async function storedAccountsAt({ dataDir, databaseUrl }: KeyConfig) {
  if (databaseUrl === undefined) return readOwnerStores(dataDir);
  const { openOwnerStorage } = await import('../adapters/storage/postgres/owner.ts');
  const { settings, close } = await openOwnerStorage(databaseUrl);
  return { storedAccounts: settings.storedAccounts, close };
}
