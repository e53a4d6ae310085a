// The key stores as the command line opens them: beside a running instance, or without one.

import { randomBytes } from 'node:crypto';
import type { KeyStoreOptions, OpenedAnalysisKeys, OpenedScriptKeys } from '../cli/host.ts';
import { createAnalysisKeys } from '../keys/analysis-keys.ts';
import { createScriptKeys } from '../keys/script-keys.ts';
import { usagePeriod } from '../keys/usage.ts';
import { nowMs } from './clocks.ts';
import { createKeyStores } from './key-stores.ts';
import { readConfig } from './read-config.ts';

const configOf = ({ dataDir }: KeyStoreOptions) => readConfig(dataDir === undefined ? {} : { DATA_DIR: dataDir });

export async function openAnalysisKeys(options: KeyStoreOptions): Promise<OpenedAnalysisKeys> {
  const config = configOf(options);
  const { usageReset } = config.analysis;
  const stores = createKeyStores(config, { forCommand: true });
  const { store, where } = await stores.analysis();
  return {
    keys: createAnalysisKeys({ store, nowMs, randomBytes, usageReset }),
    period: usagePeriod(nowMs(), usageReset),
    where,
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
  return { keys: createScriptKeys({ store, nowMs, randomBytes }), where, close: () => stores.close() };
}
