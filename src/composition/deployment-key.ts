// The key that secrets of deployments are sealed with. The script process, which needs it, is not handed the master key, with which it
// could open the credentials of accounts: it gets one that follows from it and does not lead back.

import { createHmac } from 'node:crypto';
import type { Config } from '../config.ts';
import { lookAtOwner } from './storage.ts';
import { masterKeyOf } from './stored-accounts.ts';

const PURPOSE = 'signalbox: secrets of deployments';

export async function deploymentKeyOf(config: Pick<Config, 'masterKey' | 'dataDir' | 'databaseUrl'>): Promise<string> {
  const owner = await lookAtOwner(config);
  try {
    const masterKey = await masterKeyOf(config, owner.storedAccounts);
    return createHmac('sha256', masterKey).update(PURPOSE).digest('hex');
  } finally {
    owner.close();
  }
}
