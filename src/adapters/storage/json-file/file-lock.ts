// One writer per file: a lock beside it that the kernel gives back even after kill -9.

import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { fullDiskFault } from '../durable-file.ts';

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;

/** Somebody else has the lock; everything else about the file may be in order. */
export class FileIsOwned extends StorageError {}

/** Locks `path` by a file next to it, since the file itself is replaced with every write. Returns how to let go. */
export function lockFile(path: string): () => void {
  const lockPath = `${path}.lock`;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(lockPath, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
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
    if (held.isOpen) held.close();
  };
}
