// The agent's usage ledger in the file of the owner's database.

import { join } from 'node:path';
import { assertNoDamageFound } from '../../found-damage.ts';
import { type UsageStorage, usageStorageOn } from '../../sql/owner/usage-ledger.ts';
import { OWNER } from '../database-files.ts';
import { openSqlite } from '../sql.ts';

export interface UsageStorageOptions {
  readonly dataDir: string;
  readonly keptCalls?: number;
}

export function openUsageStorage({ dataDir, keptCalls }: UsageStorageOptions): UsageStorage {
  const path = join(dataDir, OWNER.name);
  const storage = usageStorageOn(openSqlite(path, OWNER.migrations), keptCalls);
  return {
    ...storage,
    async probe() {
      assertNoDamageFound(path);
      await storage.probe();
    },
  };
}
