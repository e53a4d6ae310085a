// Makes the data folder of a new instance with its databases, as a first start does, for a command that brings the first thing in.

import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { openDataStorage } from '../adapters/storage/sqlite/open-data.ts';
import { openSettingsStorage } from '../adapters/storage/sqlite/settings.ts';
import { nowMs } from './clocks.ts';

export async function makeDataFolder(dataDir: string): Promise<void> {
  const lock = lockDataDir(dataDir);
  try {
    await openSettingsStorage(dataDir).close();
    const data = await openDataStorage({ dataDir, nowMs, onDeath: () => {} });
    await data.close();
  } finally {
    lock.release();
  }
}
