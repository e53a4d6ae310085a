// Whether a Signalbox runs on a data folder, for commands that only need to know.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import {
  FolderTakenError,
  isInstanceAlive,
  lockDataDir,
  readInstanceNote,
} from '../adapters/storage/sqlite/instance-lock.ts';

export function isInstanceRunning(dataDir: string): boolean {
  // To lock a folder makes it, and its lock file, and a command must not.
  if (!isDataFolder(dataDir)) return false;
  if (!existsSync(join(dataDir, 'instance.lock'))) {
    const note = readInstanceNote(dataDir);
    return note !== undefined && isInstanceAlive(note);
  }
  try {
    lockDataDir(dataDir).release();
    return false;
  } catch (error) {
    if (error instanceof FolderTakenError) return true;
    throw error;
  }
}
