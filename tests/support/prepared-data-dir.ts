// A data folder whose databases are there already: to make them anew takes longer than most tests.

import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataStorage } from '../../src/adapters/storage/sqlite/open-data.ts';
import { openSettingsStorage } from '../../src/adapters/storage/sqlite/settings.ts';
import { freshDataDir } from './process.ts';
import { isRunFolder } from './temporary-folder.ts';

const FOLDER = 'data-folder-of-this-run';

/** The databases of the gateway, as a first start makes them and with nothing in them. */
export async function preparedDataDir(): Promise<string> {
  const dataDir = freshDataDir();
  if (isRunFolder(tmpdir())) cpSync(await emptyFolder(), dataDir, { recursive: true });
  return dataDir;
}

/** The first one that asks makes it for the whole run. */
async function emptyFolder(): Promise<string> {
  const folder = join(tmpdir(), FOLDER);
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(`${folder}-`);
  await openSettingsStorage(draft).close();
  const data = await openDataStorage({ dataDir: draft, nowMs: Date.now, onDeath: () => {} });
  await data.close();
  try {
    // Under its name only when it is whole.
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    // Another process was first.
    rmSync(draft, { recursive: true });
  }
  return folder;
}
