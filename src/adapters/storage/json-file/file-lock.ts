// One writer per file: a lock beside it that the kernel gives back even after kill -9.

import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { fullDiskFault } from '../durable-file.ts';
import { FileIsOwned } from '../file-is-owned.ts';

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Says on which data folder the instance runs that has the lock. It is believed only while somebody has it. */
const holderPath = (path: string): string => `${path}.lock-holder`;

/**
 * Locks `path` by a file next to it, since the file itself is replaced with every write. Returns how to let go. A server
 * names its data folder, so that commands for another one can be told whose file this is.
 */
export function lockFile(path: string, dataDir?: string): () => void {
  const lockPath = `${path}.lock`;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    if (dataDir === undefined) rmSync(holderPath(path), { force: true });
    else writeFileSync(holderPath(path), realPathOf(dataDir), { mode: 0o600 });
  } catch (error) {
    if (db?.isOpen) db.close();
    const code = (error as { errcode?: number }).errcode ?? 0;
    if ((code & 0xff) === SQLITE_BUSY)
      throw new FileIsOwned(`another Signalbox writes ${path}; stop it first, or give this one its own API_KEY_STORE`);
    if ((code & 0xff) === SQLITE_FULL)
      throw new StorageError(`the disk that holds ${lockPath} is full; free some space`, { cause: error });
    const full = fullDiskFault(lockPath);
    if (full) throw full;
    throw new StorageError(`${lockPath} cannot be locked; check the permissions of its folder, or remove that file`, {
      cause: error,
    });
  }
  const held = db;
  return () => {
    if (!held.isOpen) return;
    rmSync(holderPath(path), { force: true });
    held.close();
  };
}

/** The data folder of the instance that has the lock, if it is another one than this; undefined where nobody tells. */
export function otherHolder(path: string, dataDir: string | undefined): string | undefined {
  try {
    const holder = readFileSync(holderPath(path), 'utf8');
    return dataDir !== undefined && holder !== realPathOf(dataDir) ? holder : undefined;
  } catch {
    // Held by a version that does not tell yet, or let go of meanwhile.
    return undefined;
  }
}

/** The real path of a folder, or the path as given while there is no such folder yet. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
