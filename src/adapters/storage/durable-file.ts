// Files of our own that survive a power cut: written beside, synced, renamed, and then the folder is synced that holds the name.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

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

/** Whole or not at all. Two at once would write into the same new file, so only the owner of `path` may call this. */
export async function replaceDurably(path: string, text: string, sync: DiskSync = diskSync): Promise<void> {
  const beside = besideOf(path);
  // What a crash has left of an earlier attempt.
  await rm(beside, { force: true });
  try {
    await writeNew(beside, text, sync);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
  await sync.folder(dirname(path));
}

/** A file that is there already is left alone (EEXIST); one that could not be written whole is not left there. */
export async function createDurably(path: string, text: string, sync: DiskSync = diskSync): Promise<void> {
  try {
    await writeNew(path, text, sync);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
    throw error;
  }
  await sync.folder(dirname(path));
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
