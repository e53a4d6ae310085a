// Whether a Signalbox runs on a data folder, for commands that only need to know.

import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { StorageError } from '../trading/storage-error.ts';

export function isInstanceRunning(dataDir: string): boolean {
  // To lock a folder makes it, and a command must not.
  if (!isDataFolder(dataDir)) return false;
  try {
    lockDataDir(dataDir).release();
    return false;
  } catch (error) {
    if (error instanceof StorageError) return true;
    throw error;
  }
}
