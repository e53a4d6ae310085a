// Chooses where the keys of the analysis API and of the script worker are kept.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openMemoryKeyValues } from '../adapters/storage/memory/key-values.ts';
import type { RedisStores } from '../adapters/storage/redis/open-redis.ts';
import type { SqlDatabase } from '../adapters/storage/sql/sql.ts';
import { keyValueStore } from '../adapters/storage/sql/strangers/key-values.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import type { Config } from '../config.ts';
import type { AnalysisKeyStore } from '../keys/analysis-key-store.ts';
import type { KeyValueStore } from '../keys/key-value-store.ts';
import {
  analysisKeyPaths,
  type OnKeyFileState,
  openKeyFile,
  openKeyFileForCommand,
  whereKeyFileIs,
} from './analysis-key-file.ts';
import { nowMs } from './clocks.ts';
import { noKeyStore, noScriptKeys } from './no-instance.ts';
import { lookIntoStrangersAt, openStrangersAt, type StrangersPlace } from './strangers.ts';

type StoreConfig = Pick<Config, 'analysis' | 'scripts' | 'redisUrl'> & StrangersPlace;

export interface OpenedStore<T> {
  readonly store: T;
  /** Which store it is, in words, without a password. */
  readonly where: string;
  /** The file it is in, where it was opened here and is in one. */
  readonly file?: string | undefined;
  /** Worth one line in the log. */
  readonly warning?: string | undefined;
}

export interface KeyStores {
  analysis(): Promise<OpenedStore<AnalysisKeyStore>>;
  /** Undefined with API_KEYS=none. */
  scripts(): Promise<OpenedStore<KeyValueStore> | undefined>;
  /** Closes what was opened. */
  close(): Promise<void>;
}

/** Told when Redis is lost and when it is back. */
export type OnRedisState = (fault: Error | undefined) => void;

export interface KeyStoresOptions {
  readonly onRedisState?: OnRedisState;
  readonly onKeyFileState?: OnKeyFileState;
  /** The database of the process, which closes it itself; opened by the store of script keys where left out. */
  readonly strangers?: () => Promise<SqlDatabase>;
  /** A command: an instance that runs may own the files, and one that is not there is not made. */
  readonly forCommand?: boolean;
}

export function createKeyStores(config: StoreConfig, options: KeyStoresOptions = {}): KeyStores {
  const { onRedisState, onKeyFileState, forCommand = false } = options;
  const opened: { close(): Promise<void> }[] = [];
  let redis: Promise<RedisStores> | undefined;
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  /** Loaded only where Redis is used, and connected once for both services. */
  const openRedis = async (url: string): Promise<RedisStores> => {
    const { openRedis: open } = await import('../adapters/storage/redis/open-redis.ts');
    return keep(await open({ url, nowMs, ...(onRedisState === undefined ? {} : { onState: onRedisState }) }));
  };
  const connected = (): Promise<RedisStores> => {
    redis ??= openRedis(config.redisUrl ?? '');
    return redis;
  };
  /** Before it is opened, which would make it. */
  const mustBeThere = (path: string, setting: string): void => {
    if (forCommand && !existsSync(path)) throw noKeyStore(path, setting);
  };
  const openScriptDatabase = async (): Promise<SqlDatabase> => {
    if (config.databaseUrl === undefined) mustBeThere(join(config.dataDir, STRANGERS.name), 'DATA_DIR');
    else if (forCommand && !(await lookIntoStrangersAt(config, async () => true))) throw noScriptKeys();
    return keep(await openStrangersAt(config));
  };
  const openFile = (path: string): Promise<AnalysisKeyStore> =>
    forCommand ? openKeyFileForCommand(config, path) : openKeyFile(config, path, onKeyFileState);
  return {
    async analysis() {
      if (config.analysis.store === 'redis') {
        const { analysisKeys, where } = await connected();
        return { store: analysisKeys, where: `analysis keys in Redis at ${where}` };
      }
      const { jsonPath, sqlitePath, warning } = analysisKeyPaths(config, !forCommand);
      if (config.analysis.store === 'sqlite') {
        mustBeThere(sqlitePath, 'API_KEY_STORE_SQLITE');
        return {
          store: keep(await openFile(sqlitePath)),
          where: `analysis keys in ${sqlitePath}`,
          file: sqlitePath,
        };
      }
      mustBeThere(jsonPath, 'API_KEY_STORE');
      return {
        store: keep(await openFile(jsonPath)),
        where: forCommand ? whereKeyFileIs(config, jsonPath) : `analysis keys in ${jsonPath}`,
        file: jsonPath,
        warning,
      };
    },
    async scripts() {
      const { keyStore } = config.scripts;
      if (keyStore === 'none') return undefined;
      if (keyStore === 'memory') return { store: keep(openMemoryKeyValues({ nowMs })), where: 'script keys in memory' };
      if (keyStore === 'redis') {
        const { keyValues, where } = await connected();
        return { store: keyValues, where: `script keys in Redis at ${where}` };
      }
      const ofProcess = await options.strangers?.();
      const db = ofProcess ?? (await openScriptDatabase());
      const isFile = ofProcess === undefined && config.databaseUrl === undefined;
      const file = isFile ? db.name : undefined;
      return { store: keyValueStore(db, { nowMs }), where: `script keys in ${db.name}`, file };
    },
    async close() {
      for (const store of opened.splice(0).reverse()) await store.close();
    },
  };
}
