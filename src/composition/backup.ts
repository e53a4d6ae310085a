// `signalbox backup`: which files of an instance go into a backup, what stays out, and where the file goes.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MASTER_KEY_FILE } from '../adapters/keystores/master-key-file.ts';
import { archiveFolder } from '../adapters/storage/sqlite/archive/archive-files.ts';
import { WALLET_KEY_FILE } from '../adapters/storage/sqlite/backup/manifest.ts';
import { type BackupSource, scratchName, writeBackup } from '../adapters/storage/sqlite/backup/write-backup.ts';
import { OWNER, STRANGERS, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere } from '../adapters/storage/sqlite/folder-databases.ts';
import { unmovedDatabases } from '../adapters/storage/sqlite/moved-databases.ts';
import type { BackupOptions, BackupReport } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { analysisKeyPaths } from './analysis-key-file.ts';
import { backupTarget } from './backup-target.ts';
import { nowMs } from './clocks.ts';
import { copyToSqliteFolder } from './instance-copies.ts';
import { noInstance } from './no-instance.ts';
import { readConfig } from './read-config.ts';
import { VERSION } from './version.ts';

export async function backupFolder(options: BackupOptions): Promise<BackupReport> {
  const { dataDir } = options;
  // Whoever may not listen to other machines yet may still back up.
  const config = readConfig({ HOST: '127.0.0.1', ...(dataDir !== undefined && { DATA_DIR: dataDir }) });
  if (config.databaseUrl !== undefined) return backupPostgres(config, config.databaseUrl, options);
  assertBackable(config.dataDir);
  return backupDatabases(config, config.dataDir, options);
}

/** Its databases become files of one moment first, in the data folder: there the same secrets are readable already. */
async function backupPostgres(config: Config, url: string, options: BackupOptions): Promise<BackupReport> {
  await mkdir(config.dataDir, { recursive: true });
  const copies = await mkdtemp(join(config.dataDir, scratchName('postgresql')));
  try {
    await copyToSqliteFolder({ url, folder: copies, withTwins: false });
    return await backupDatabases(config, copies, options);
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** `databases`: the folder that they are in. */
async function backupDatabases(config: Config, databases: string, options: BackupOptions): Promise<BackupReport> {
  const asked = options.encrypt ? () => options.askPassphrase(true) : async () => undefined;
  const passphrase = config.backup.passphrase ?? (await asked());
  const isEncrypted = passphrase !== undefined;
  const { sources, leftOut } = sourcesOf(config, databases, {
    ...options,
    withKeys: options.withKeys || isEncrypted,
  });
  if (sources.length === 0)
    throw new Error(`${config.dataDir} has nothing that a backup could hold, so none was made.`);
  const { file, bytes, manifest } = await writeBackup({
    ...{ dataDir: config.dataDir, sources, leftOut, passphrase, withBars: options.withBars, version: VERSION, nowMs },
    to: backupTarget(options.to ?? (config.backup.folder && `${config.backup.folder}/`), isEncrypted),
  });
  const { madeAt, files } = manifest;
  const holds = files.map(({ name, database }) => `${name}${rowsInWords(database?.rows)}`);
  return { file, bytes, isEncrypted, madeAt, holds, leftOut };
}

function assertBackable(dataDir: string): void {
  if (!isDataFolder(dataDir)) throw noInstance(dataDir);
  assertDatabasesThere(dataDir);
  const [unmoved] = unmovedDatabases(dataDir);
  if (unmoved !== undefined)
    throw new Error(
      `${join(dataDir, unmoved.name)} is of an older version; start this one on the folder once, or copy the folder while nothing runs.`,
    );
}

const rowsInWords = (rows: Readonly<Record<string, number>> | undefined): string =>
  rows === undefined ? '' : ` (${Object.values(rows).reduce((sum, count) => sum + count, 0)} rows)`;

interface Wanted {
  readonly withKeys: boolean;
  readonly withBars: boolean;
}

function sourcesOf(config: Config, folder: string, { withKeys, withBars }: Wanted) {
  const { dataDir } = config;
  // What tells of others first: it is copied first where nothing runs.
  const databases = [STRANGERS, TRADING, OWNER]
    .map(({ name }): BackupSource => ({ name, path: join(folder, name), isDatabase: true }))
    .filter(({ path }) => existsSync(path));
  const keys = keyFiles(config);
  const leftOut = [
    'the settings of the environment and of .env',
    ...(withBars ? [] : ['bars of exchanges, which are fetched again']),
    ...(existsSync(archiveFolder(dataDir))
      ? [`the archive files in ${archiveFolder(dataDir)}: copy that folder after each "signalbox archive"`]
      : []),
    ...(existsSync(join(dataDir, 'twin')) ? ['the paper twins, which begin anew'] : []),
    ...(withKeys ? [] : keys.map(({ path }) => `${path}, a key: keep a copy of it apart`)),
    ...(config.analysis.store === 'redis' ? ['the keys of the Analysis API, which are in Redis'] : []),
    ...(config.scripts.keyStore === 'redis' ? ['the keys of the script worker, which are in Redis'] : []),
  ];
  return { sources: [...databases, ...analysisKeys(config), ...(withKeys ? keys : [])], leftOut };
}

/** What opens sealed credentials and signs transactions. */
function keyFiles({ dataDir, wallet }: Config): readonly BackupSource[] {
  const files = [
    { name: MASTER_KEY_FILE, path: join(dataDir, MASTER_KEY_FILE), isDatabase: false },
    ...(wallet.keystore === undefined ? [] : [{ name: WALLET_KEY_FILE, path: wallet.keystore, isDatabase: false }]),
  ];
  return files.filter(({ path }) => existsSync(path));
}

function analysisKeys(config: Config): readonly BackupSource[] {
  const { jsonPath, sqlitePath } = analysisKeyPaths(config, false);
  const stores = {
    json: [{ name: 'api_keys.json', path: jsonPath, isDatabase: false }],
    sqlite: [{ name: 'api_keys.db', path: sqlitePath, isDatabase: true }],
    redis: [],
  };
  return stores[config.analysis.store].filter(({ path }) => existsSync(path));
}
