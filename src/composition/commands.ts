// The key stores as the command line opens them: beside a running instance, or without one.

import { randomBytes } from 'node:crypto';
import { relative } from 'node:path';
import { OWNER, STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { moveDatabases, unmovedDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import type { KeyStoreOptions, OpenedAnalysisKeys, OpenedScriptKeys } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { createAnalysisKeys } from '../keys/analysis-keys.ts';
import { createScriptKeys } from '../keys/script-keys.ts';
import { usagePeriod } from '../keys/usage.ts';
import { auditedAnalysisKeys, auditedScriptKeys } from './audited-keys.ts';
import { nowMs } from './clocks.ts';
import { isLibraryIn } from './find-library.ts';
import { createKeyStores, type KeyStores, type OpenedStore } from './key-stores.ts';
import { readConfig } from './read-config.ts';
import { isInstanceRunning } from './running-instance.ts';
import { assertRowsWhereTheyWere } from './where-rows-are.ts';

const configOf = ({ dataDir }: KeyStoreOptions) => readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });

/** Whoever uses a store that is not in the data folder may run anywhere, and a key counts there at once. */
const isInUse = ({ dataDir }: Config, { file }: OpenedStore<unknown>): boolean =>
  file === undefined || relative(dataDir, file).startsWith('..') || isInstanceRunning(dataDir);

/** A folder that the start would refuse is refused here too: whatever is written into it now would be lost with the mend. */
async function openStores(config: Config): Promise<KeyStores> {
  if (isDataFolder(config.dataDir)) assertRowsWhereTheyWere(config);
  if (isDataFolder(config.dataDir) && config.databaseUrl === undefined) {
    assertDatabasesThere(config.dataDir);
    await moveUnlessRunning(config.dataDir);
    await excuseLogs(config.dataDir, [STRANGERS.name, 'api_keys.db', OWNER.name]);
  }
  return createKeyStores(config, { forCommand: true });
}

/** As the start would: whoever runs on a folder that is not moved yet is an older version, and has to be stopped first. */
async function moveUnlessRunning(dataDir: string): Promise<void> {
  const unmoved = unmovedDatabases(dataDir, STRANGERS).map(({ name }) => name);
  if (unmoved.length === 0) return;
  const lock = lockDataDir(dataDir);
  try {
    await excuseLogs(dataDir, [...unmoved, STRANGERS.name]);
    moveDatabases(dataDir, STRANGERS);
  } finally {
    lock.release();
  }
}

export async function openAnalysisKeys(options: KeyStoreOptions): Promise<OpenedAnalysisKeys> {
  const config = configOf(options);
  const { usageReset } = config.analysis;
  const stores = await openStores(config);
  const opened = await stores.analysis();
  const { store, where } = opened;
  return {
    keys: auditedAnalysisKeys(createAnalysisKeys({ store, nowMs, randomBytes, usageReset }), config),
    period: usagePeriod(nowMs(), usageReset),
    where,
    running: isInUse(config, opened),
    close: () => stores.close(),
  };
}

export async function openScriptKeys(options: KeyStoreOptions): Promise<OpenedScriptKeys | undefined> {
  const config = configOf(options);
  if (config.scripts.keyStore === 'memory') return undefined;
  const stores = await openStores(config);
  const opened = await stores.scripts();
  if (opened === undefined) return undefined;
  const { store, where } = opened;
  const keys = createScriptKeys({
    store,
    nowMs,
    randomBytes,
    hasLibrary: (userId) => isLibraryIn(config, userId),
  });
  return {
    keys: auditedScriptKeys(keys, config),
    where,
    running: isInUse(config, opened),
    close: () => stores.close(),
  };
}
