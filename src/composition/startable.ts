// What a process on a shared database can know before it owns the desk: whether its start would succeed by its own settings. One that
// stood by and could not start would be found out when the owner has died.

import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import type { Config } from '../config.ts';
import { leftAccounts } from './left-accounts.ts';
import { assertOwnKeys } from './live-accounts.ts';
import { assertRowsThere, assertTablesKnown, lookAtOwner } from './storage.ts';
import { accountsToOpen, openStoredAccounts } from './stored-accounts.ts';
import { assertRowsWhereTheyWere } from './where-rows-are.ts';

/** Told at once, and not when it is this process's turn. */
export async function assertStartable(config: Config): Promise<void> {
  assertRowsWhereTheyWere(config);
  await assertRowsThere(config);
  await assertTablesKnown(config);
  // Whoever stands by has a folder of its own.
  lockDataDir(config.dataDir).release();
  if (config.services.includes('gateway')) await assertAccountsOpen(config);
}

/** Modes, credentials, the master key, and whatever is held: only the venues are not asked. */
async function assertAccountsOpen(config: Config): Promise<void> {
  const owner = await lookAtOwner(config);
  try {
    const { accounts } = accountsToOpen(config, owner.storedAccounts);
    await leftAccounts({ config, accounts });
    const real = accounts.filter((account) => account.mode !== 'paper');
    await assertOwnKeys(real, { config, stored: openStoredAccounts(config, owner.storedAccounts, 'start') });
  } finally {
    owner.close();
  }
}
