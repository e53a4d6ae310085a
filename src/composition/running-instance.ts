// Whether a Signalbox runs on a data folder, for commands that only need to know.

import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { FolderTakenError, lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';

export function isInstanceRunning(dataDir: string): boolean {
  // To lock a folder makes it, and a command must not.
  if (!isDataFolder(dataDir)) return false;
  try {
    lockDataDir(dataDir).release();
    return false;
  } catch (error) {
    if (error instanceof FolderTakenError) return true;
    throw error;
  }
}
