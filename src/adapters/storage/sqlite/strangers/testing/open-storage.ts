// The stores of the strangers' database for tests, each over an opening of its own, as a process has it that uses no other.

import type { KeyValueStore } from '../../../../../keys/key-value-store.ts';
import type { DeploymentStore, OpinionStore } from '../../../../../library/deployments/index.ts';
import type { PublicationLimits, PublicationStore } from '../../../../../library/publication-store.ts';
import type { RunStore } from '../../../../../library/runs/run-store.ts';
import type { ScriptStore, ScriptStoreLimits } from '../../../../../library/script-store.ts';
import type { UsageStore } from '../../../../../library/usage.ts';
import { beat } from '../../../sql/heartbeat.ts';
import type { SqlDatabase } from '../../../sql/sql.ts';
import { deploymentStore } from '../../../sql/strangers/deployments/deployments.ts';
import { opinionStore } from '../../../sql/strangers/deployments/opinions.ts';
import { type KeyValuesOptions, keyValueStore } from '../../../sql/strangers/key-values.ts';
import { runStore } from '../../../sql/strangers/runs.ts';
import { publicationStore } from '../../../sql/strangers/scripts/publications.ts';
import { scriptStore, usageStore } from '../../../sql/strangers/scripts/scripts.ts';
import { openStrangers, type StrangersOptions } from '../open-strangers.ts';

export interface OpenStorage {
  readonly db: SqlDatabase;
  readonly path: string;
  probe(): Promise<void>;
  close(): Promise<void>;
}

export interface ScriptStorage extends OpenStorage {
  readonly scripts: ScriptStore;
  readonly publications: PublicationStore;
  readonly usage: UsageStore;
}

export interface DeploymentStorage extends OpenStorage {
  readonly deployments: DeploymentStore;
  readonly opinions: OpinionStore;
}

export interface RunStorage extends OpenStorage {
  readonly runs: RunStore;
}

export interface ScriptStorageOptions extends StrangersOptions {
  readonly limits?: ScriptStoreLimits | undefined;
  readonly publicationLimits?: PublicationLimits | undefined;
}

function opened(options: StrangersOptions): OpenStorage {
  const db = openStrangers(options);
  return { db, path: db.name, probe: () => beat(db), close: () => db.close() };
}

export function openScriptStorage({ limits, publicationLimits, ...options }: ScriptStorageOptions): ScriptStorage {
  const storage = opened(options);
  const { db } = storage;
  const publications = publicationStore(db, publicationLimits);
  return { ...storage, scripts: scriptStore(db, limits), publications, usage: usageStore(db) };
}

export function openDeploymentStorage(options: StrangersOptions): DeploymentStorage {
  const storage = opened(options);
  return { ...storage, deployments: deploymentStore(storage.db), opinions: opinionStore(storage.db) };
}

export function openRunStorage(options: StrangersOptions): RunStorage {
  const storage = opened(options);
  return { ...storage, runs: runStore(storage.db) };
}

export const openKeyValues = ({
  dataDir,
  ...options
}: KeyValuesOptions & { readonly dataDir: string }): KeyValueStore =>
  keyValueStore(openStrangers({ dataDir }), options);
