// `signalbox restore`: makes a data folder out of a backup, marked so that its first start trades nothing twice.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WALLET_KEY_FILE } from '../adapters/storage/sqlite/backup/manifest.ts';
import { isEncrypted } from '../adapters/storage/sqlite/backup/read-backup.ts';
import { restoreFolder } from '../adapters/storage/sqlite/backup/restore-folder.ts';
import { openDatabase } from '../adapters/storage/sqlite/database.ts';
import { OWNER, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { listDatabases } from '../adapters/storage/sqlite/folder-databases.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import type { RestoreOptions, RestoreReport } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { markRestored } from '../trading/intake/restored-books.ts';
import { Restrictions } from '../trading/intake/restrictions.ts';
import { analysisKeyPaths } from './analysis-key-file.ts';
import { nowMs } from './clocks.ts';
import { openControls } from './controls.ts';
import { assertEmptyPostgres, type CopiedInstance } from './instance-copies.ts';
import { moveToPostgres } from './migrate.ts';
import { readConfig } from './read-config.ts';

export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { file, replace, to } = options;
  const config = readConfig({ HOST: '127.0.0.1', ...(to !== undefined && { DATA_DIR: to }) });
  const { databaseUrl } = config;
  // Before anything is unpacked.
  if (databaseUrl !== undefined) await assertEmptyPostgres(databaseUrl);
  const asked = isEncrypted(file) ? () => options.askPassphrase(false) : async () => undefined;
  const passphrase = config.backup.passphrase ?? (await asked());
  const restored = await restoreFolder({
    ...(databaseUrl !== undefined && { insteadOfReplacing: goesOn(config.dataDir) }),
    ...{ file, to: config.dataDir, replace, passphrase, allowUnencrypted: options.allowUnencrypted, nowMs },
    prepare: (folder, { madeAt }) => prepareFolder(folder, Date.parse(madeAt), config),
  });
  const { folder, aside, manifest } = restored;
  const names = manifest.files.map(({ name }) => name);
  const { madeAt, version } = manifest;
  const moved = databaseUrl === undefined ? [] : [movedInWords(await moveToPostgres(config, databaseUrl))];
  const notes = [...moved, ...notesOn(names, folder, config), ...manifest.leftOut.map(notIn)];
  // The manifest has vouched for it: without it there are no trades either.
  const isKillSwitchOn = names.includes(OWNER.name);
  return { folder, aside, madeAt, version, isKillSwitchOn, notes };
}

/** A restore that was killed behind the folder and before the end of the move. */
const goesOn = (dataDir: string): string =>
  `If it holds what a restore into PostgreSQL had put there when it was interrupted, "signalbox migrate --data-dir ${dataDir}" goes on with it`;

const movedInWords = ({ where }: CopiedInstance): string =>
  `Its databases were moved to PostgreSQL at ${where}; the other files stay in the folder.`;

const notIn = (what: string): string => `Not in the backup: ${what}.`;

/** In the folder itself, so that no start can miss it. */
async function prepareFolder(folder: string, backupAtMs: number, config: Config): Promise<void> {
  if (existsSync(join(folder, OWNER.name))) {
    const restoredAtMs = nowMs();
    const settings = openSettingsStorage(folder);
    try {
      const controls = openControls(config, settings.settings, () => restoredAtMs);
      const restrictions = new Restrictions({ store: settings.restrictions, nowMs: () => restoredAtMs });
      const { remember } = settings;
      await markRestored(
        { backupAtMs, restoredAtMs, throughSeq: newestTrade(folder) },
        { controls, restrictions, remember },
      );
      // Whoever was logged out since would be in again.
      await settings.access.change((rows) => {
        for (const { id } of rows.sessions()) rows.removeSession(id);
      });
    } finally {
      await settings.close();
    }
  }
  await listDatabases(folder);
}

function newestTrade(folder: string): number {
  const path = join(folder, TRADING.name);
  if (!existsSync(path)) return 0;
  const db = openDatabase({ path, readOnly: true });
  try {
    return Number(db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM trades').get()?.seq);
  } finally {
    db.close();
  }
}

/** What is not where the settings look for it. */
function notesOn(names: readonly string[], folder: string, config: Config): readonly string[] {
  const { jsonPath, sqlitePath } = analysisKeyPaths(config, false);
  const places = [
    { name: 'api_keys.json', setting: 'API_KEY_STORE', path: jsonPath },
    { name: 'api_keys.db', setting: 'API_KEY_STORE_SQLITE', path: sqlitePath },
    { name: WALLET_KEY_FILE, setting: 'WALLET_KEYSTORE', path: config.wallet.keystore },
  ];
  return places
    .filter(({ name, path }) => names.includes(name) && (path === undefined || resolve(path) !== join(folder, name)))
    .map(({ name, setting }) => `Set ${setting}=${join(folder, name)}, or move that file to where ${setting} points.`);
}
