// The file that the analysis keys are kept in: where it is, how it is opened, and what the operator is told about it.

import { join } from 'node:path';
import { FileIsOwned } from '../adapters/storage/file-is-owned.ts';
import { openAnalysisKeys as openJsonKeys, readKeys } from '../adapters/storage/json-file/analysis-keys.ts';
import { openAnalysisKeysBeside } from '../adapters/storage/json-file/analysis-keys-beside-owner.ts';
import { otherHolder } from '../adapters/storage/json-file/file-lock.ts';
import { keyDatabasePath, keyFilePath } from '../adapters/storage/json-file/key-file-path.ts';
import { openKeysWhenUsable } from '../adapters/storage/keys-when-usable.ts';
import { openAnalysisKeys as openSqliteKeys } from '../adapters/storage/sqlite/analysis-keys.ts';
import type { Config } from '../config.ts';
import type { StorageError } from '../errors/storage-error.ts';
import type { AnalysisKeyStore } from '../keys/analysis-key-store.ts';
import { monotonicMs, nowMs } from './clocks.ts';

type KeyFileConfig = Pick<Config, 'analysis' | 'dataDir'>;

/** Told what is wrong with the file, or whose it was, and the remedy; without words, that all is well. */
export type OnKeyFileState = (words: string | undefined) => void;

export function analysisKeyPaths({ analysis, dataDir }: KeyFileConfig, mayMake: boolean) {
  const { path: jsonPath, warning } = keyFilePath({ configured: analysis.jsonPath, dataDir, mayMake });
  return { jsonPath, sqlitePath: keyDatabasePath(analysis.sqlitePath, jsonPath), warning };
}

/** Throws what is wrong with the file; for the doctor, who opens and makes nothing. */
export async function assertKeyFileWhole(config: KeyFileConfig): Promise<void> {
  if (config.analysis.store === 'json') await readKeys({ path: analysisKeyPaths(config, false).jsonPath, nowMs });
}

/** For the server: scripts run all the same where the file is damaged, or held by another instance as the default one easily is. */
export function openKeyFile(
  { analysis, dataDir }: KeyFileConfig,
  path: string,
  onState: OnKeyFileState = () => {},
): Promise<AnalysisKeyStore> {
  const words = keyFileWords(path, dataDir);
  const open = async (): Promise<AnalysisKeyStore> =>
    analysis.store === 'sqlite' ? openSqliteKeys({ path }) : openJsonKeys({ path, dataDir, nowMs });
  return openKeysWhenUsable({ path, open, monotonicMs, onState: (reason) => onState(words(reason)) });
}

/** For a command, which may work beside the server that owns the file, and fails where the file cannot be used. */
export const openKeyFileForCommand = async (
  { analysis, dataDir }: KeyFileConfig,
  path: string,
): Promise<AnalysisKeyStore> =>
  analysis.store === 'sqlite' ? openSqliteKeys({ path }) : openAnalysisKeysBeside({ path, dataDir, nowMs });

/** Where a command worked: with whose file, where that is another instance's. */
export function whereKeyFileIs({ dataDir }: Pick<Config, 'dataDir'>, path: string): string {
  const holder = otherHolder(path, dataDir);
  return `analysis keys in ${path}${holder === undefined ? '' : `, held by the Signalbox that runs on ${holder}`}`;
}

/** What the operator is told; it remembers who held the file, for the time when that one lets go of it. */
function keyFileWords(path: string, dataDir: string): (reason: StorageError | undefined) => string | undefined {
  const ownFile = `API_KEY_STORE=${join(dataDir, 'api_keys.json')}`;
  let holder: string | undefined;
  return (reason) => {
    if (reason instanceof FileIsOwned) {
      holder = otherHolder(path, dataDir);
      const who = holder === undefined ? 'another Signalbox' : `the Signalbox that runs on ${holder}`;
      return `Analysis keys are off: ${who} holds ${path}; set ${ownFile} and start again, or stop the other one.`;
    }
    if (reason !== undefined) return `Analysis keys are off: ${reason.message}. They are taken up when that is done.`;
    if (holder === undefined) return undefined;
    return (
      `Analysis keys in ${path} were taken over from the Signalbox on ${holder}, which let go of them; its own are off when ` +
      `it starts again. To give them back, set ${ownFile} and start this one again.`
    );
  };
}
