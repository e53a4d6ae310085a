// `signalbox migrate`: brings the databases of a data folder to the shape of a start, copies them into a PostgreSQL, and marks the folder.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { MASTER_KEY_FILE } from '../adapters/keystores/master-key-file.ts';
import { readPostgresAddress } from '../adapters/storage/postgres/postgres-address.ts';
import { archiveFolder } from '../adapters/storage/sqlite/archive/archive-files.ts';
import { openMigrated } from '../adapters/storage/sqlite/database.ts';
import { OWNER, STRANGERS, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { hasDatabases, isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { moveDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import { markMoved, movedTo, removeMark } from '../adapters/storage/sqlite/moved-folder.ts';
import { retireCommitLog } from '../adapters/storage/sqlite/retired-commit-log.ts';
import { openStrangers } from '../adapters/storage/sqlite/strangers/open-strangers.ts';
import type { MigrateOptions, MigrateReport } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { Sealer } from '../keys/sealed-text.ts';
import { analysisKeyPaths } from './analysis-key-file.ts';
import { nowMs } from './clocks.ts';
import { deploymentKeyOf } from './deployment-key.ts';
import { type CopiedInstance, copyToPostgres, databasesOf, isMoveUnfinished } from './instance-copies.ts';
import { noInstance } from './no-instance.ts';
import { readConfig } from './read-config.ts';
import { SealedWebhooks } from './sealed-webhooks.ts';

export async function migrateFolder({ dataDir, onProgress, ...options }: MigrateOptions): Promise<MigrateReport> {
  // Whoever may not listen to other machines yet may still move.
  const config = readConfig({ HOST: '127.0.0.1', ...(dataDir !== undefined && { DATA_DIR: dataDir }) });
  const url = options.url ?? config.databaseUrl;
  if (url === undefined)
    throw new Error('Nothing was done: give the address of the database with --to, or set DATABASE_URL.');
  const copied = await moveToPostgres(config, url, onProgress);
  return { ...copied, folder: resolve(config.dataDir), staying: stayingIn(config) };
}

/** The databases of a folder that nothing runs on. From then on the folder refuses to be an instance of its own. */
export async function moveToPostgres(
  config: Config,
  url: string,
  onProgress?: MigrateOptions['onProgress'],
): Promise<CopiedInstance> {
  const { dataDir } = config;
  // What is moved is in files, whatever DATABASE_URL is set to already.
  const inFiles: Config = { ...config, databaseUrl: undefined };
  const { where } = readPostgresAddress(url);
  if (!isDataFolder(dataDir)) throw noInstance(dataDir);
  const lock = lockDataDir(dataDir);
  try {
    await assertNotMovedYet(dataDir, url, where);
    await bringUpToDate(inFiles);
    const beforeUse = (): Promise<void> => markMoved(dataDir, where, nowMs());
    return await copyToPostgres({ dataDir, url, beforeUse, ...(onProgress && { onProgress }) });
  } finally {
    lock.release();
  }
}

/** A move that was killed between the mark and its very end is done to its end. */
async function assertNotMovedYet(dataDir: string, url: string, where: string): Promise<void> {
  const place = movedTo(dataDir);
  if (place === undefined) return;
  if (place !== where || !(await isMoveUnfinished(url)))
    throw new Error(
      `The databases of ${resolve(dataDir)} are in PostgreSQL at ${place} already, so nothing was done. Set DATABASE_URL to its address, then start.`,
    );
  await removeMark(dataDir);
}

/** As a start does, for all of its processes. */
async function bringUpToDate(config: Config): Promise<void> {
  const { dataDir } = config;
  assertDatabasesThere(dataDir);
  await excuseLogs(dataDir);
  retireCommitLog(dataDir);
  for (const database of [OWNER, TRADING, STRANGERS]) moveDatabases(dataDir, database);
  if (!hasDatabases(dataDir)) throw noInstance(dataDir);
  for (const { path, file } of databasesOf(dataDir)) openMigrated(path, file.migrations).close();
  if (existsSync(join(dataDir, STRANGERS.name))) await sealSecrets(config);
  for (const { path, file } of databasesOf(dataDir)) {
    const db = openMigrated(path, file.migrations);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  }
}

/** A file can be written over. What a row of PostgreSQL held once may stay on its disk for long. */
async function sealSecrets(config: Config): Promise<void> {
  const sealer = async (): Promise<Sealer> => new Sealer({ masterKey: await deploymentKeyOf(config), randomBytes });
  const db = openStrangers({ dataDir: config.dataDir });
  try {
    await new SealedWebhooks(sealer).sealStored(db);
  } finally {
    await db.close();
  }
}

/** What is in no database, or is needed by each process for itself. */
function stayingIn(config: Config): readonly string[] {
  const { jsonPath, sqlitePath } = analysisKeyPaths(config, false);
  const keys = { json: [jsonPath], sqlite: [sqlitePath], redis: [] }[config.analysis.store];
  const files = [join(config.dataDir, MASTER_KEY_FILE), ...keys, config.wallet.keystore, config.backup.folder];
  const inFolder = files.flatMap((path) => {
    const name = path === undefined ? '..' : relative(config.dataDir, path);
    return name.startsWith('..') || !existsSync(join(config.dataDir, name)) ? [] : [name];
  });
  const archived = archiveFolder(config.dataDir);
  const archive = existsSync(archived) ? [`the archive files in ${relative(config.dataDir, archived)}`] : [];
  return [...inFolder, ...archive, 'the bars of exchanges, a cache in scripts.db'];
}
