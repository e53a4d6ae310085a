// The key stores as the command line opens them: beside a running instance, or without one.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import type { KeyStoreOptions, OpenedAnalysisKeys, OpenedScriptKeys } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { createAnalysisKeys } from '../keys/analysis-keys.ts';
import { createScriptKeys, type ScriptKeys } from '../keys/script-keys.ts';
import { usagePeriod } from '../keys/usage.ts';
import { auditEntryOf } from '../trading/controls.ts';
import { nowMs } from './clocks.ts';
import { createKeyStores } from './key-stores.ts';
import { readConfig } from './read-config.ts';
import { isInstanceRunning } from './running-instance.ts';

const ACTOR = 'cli';

const configOf = ({ dataDir }: KeyStoreOptions) => readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });

/** In Redis a key counts at once: whoever uses that Redis may run on another machine. */
const isInUse = ({ dataDir }: Config, store: string): boolean => store === 'redis' || isInstanceRunning(dataDir);

export async function openAnalysisKeys(options: KeyStoreOptions): Promise<OpenedAnalysisKeys> {
  const config = configOf(options);
  const { usageReset } = config.analysis;
  const stores = createKeyStores(config, { forCommand: true });
  const { store, where } = await stores.analysis();
  return {
    keys: createAnalysisKeys({ store, nowMs, randomBytes, usageReset }),
    period: usagePeriod(nowMs(), usageReset),
    where,
    running: isInUse(config, config.analysis.store),
    close: () => stores.close(),
  };
}

export async function openScriptKeys(options: KeyStoreOptions): Promise<OpenedScriptKeys | undefined> {
  const config = configOf(options);
  if (config.scripts.keyStore === 'memory') return undefined;
  const stores = createKeyStores(config, { forCommand: true });
  const opened = await stores.scripts();
  if (opened === undefined) return undefined;
  const { store, where } = opened;
  const keys = createScriptKeys({ store, nowMs, randomBytes });
  return {
    keys: { ...keys, renew: async (of) => audited(config, await keys.renew(of)) },
    where,
    running: isInUse(config, config.scripts.keyStore),
    close: () => stores.close(),
  };
}

/** A library that passes to another key is the operator's doing, so it is written down like every other change of his. */
function audited({ dataDir }: Config, renewed: Awaited<ReturnType<ScriptKeys['renew']>>) {
  // A folder without settings has no audit, and a command makes no file.
  if (typeof renewed === 'string' || !existsSync(join(dataDir, 'settings.db'))) return renewed;
  const { userId, tier } = renewed;
  const change = { actor: ACTOR, setting: 'scriptKey', before: null, after: { userId, tier } };
  try {
    const settings = openSettingsStorage(dataDir);
    settings.settings.appendAudit(auditEntryOf(change, nowMs()));
    settings.close();
  } catch (error) {
    // The old key has ended: whatever happens, the new one must be shown.
    process.stderr.write(`The renewal is not in the audit: ${(error as Error).message}\n`);
  }
  return renewed;
}
