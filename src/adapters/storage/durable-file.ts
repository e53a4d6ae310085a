// Files of our own that survive a power cut: written beside, synced, renamed, and then the folder is synced that holds the name.

import { chmodSync, closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StorageError } from '../../errors/storage-error.ts';

/** Handed in, so that a test sees that nothing is called durable before both were asked for. */
export interface DiskSync {
  /** The bytes of a file. */
  file(handle: FileHandle): Promise<void>;
  /** The names in a folder: without it a power cut may bring the old file back, or take the new one away. */
  folder(path: string): Promise<void>;
}

export const diskSync: DiskSync = {
  file: (handle) => handle.sync(),
  async folder(path) {
    // There a folder cannot be opened, and the file system keeps the order itself.
    if (process.platform === 'win32') return;
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  },
};

/** The owner only: what is kept this way is about keys. */
const OWNER_ONLY = 0o600;

/** Always the same name, so that what a crash left behind is found and removed. */
export const besideOf = (path: string): string => join(dirname(path), `.${basename(path)}.tmp`);

const FULL = (path: string): string => `the disk that holds ${path} is full; free some space`;
const FORBIDDEN = (path: string): string =>
  `${path} cannot be written; check the owner and permissions of the file and its folder`;

/** What the system says when a file of ours cannot be read or written, as a sentence with the remedy. */
const FILE_FAULTS: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: (path) => `${path} cannot be written: its disk can only be read; mount it for writing, or name another place`,
  EIO: (path) => `the disk failed while reading or writing ${path}; check the disk and free space`,
};

/** SQLite's words for a file that cannot be made do not tell why, so it is tried with another one beside it. */
export function fullDiskFault(path: string): StorageError | undefined {
  const beside = besideOf(path);
  try {
    closeSync(openSync(beside, 'w', OWNER_ONLY));
  } catch (error) {
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
    return isFull ? new StorageError(FULL(path), { cause: error }) : undefined;
  }
  rmSync(beside, { force: true });
  return undefined;
}

/** The fault itself when it is none of the disk's: the caller knows what it means. */
export function fileFaultInWords(error: unknown, path: string): unknown {
  const words = FILE_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return words === undefined ? error : new StorageError(words(path), { cause: error });
}

/** Whole or not at all. Two at once would write into the same new file, so only the owner of `path` may call this. */
export async function replaceDurably(path: string, text: string, sync: DiskSync = diskSync): Promise<void> {
  const beside = besideOf(path);
  try {
    // What a crash has left of an earlier attempt.
    await rm(beside, { force: true });
    await writeNew(beside, text, sync);
    await rename(beside, path);
    await sync.folder(dirname(path));
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw fileFaultInWords(error, path);
  }
}

/** A file that is there already is left alone (EEXIST); one that is not durable is not left there. */
export async function createDurably(path: string, text: string, sync: DiskSync = diskSync): Promise<void> {
  try {
    await writeNew(path, text, sync);
    await sync.folder(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined);
    throw fileFaultInWords(error, path);
  }
}

async function writeNew(path: string, text: string, sync: DiskSync): Promise<void> {
  const file = await open(path, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(text);
    await sync.file(file);
  } finally {
    await file.close();
  }
}

/** A database that holds secrets, and what SQLite keeps beside it, which holds the same: for the owner alone. */
export function keepDatabasePrivate(path: string): void {
  try {
    for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, OWNER_ONLY);
  } catch (error) {
    throw fileFaultInWords(error, path);
  }
}
