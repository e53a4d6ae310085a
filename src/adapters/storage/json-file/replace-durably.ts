// Replaces a file whole or not at all, and returns when it would survive a power cut: new file, fsync, rename, fsync of the folder.

import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The owner only: what is kept this way is about keys. */
const OWNER_ONLY = 0o600;

/** Always the same name, so that what a crash left behind is found and removed. */
export const besideOf = (path: string): string => join(dirname(path), `.${basename(path)}.tmp`);

/** Only the holder of the lock of `path` may call this: two at once would write into the same new file. */
export async function replaceDurably(path: string, text: string): Promise<void> {
  const beside = besideOf(path);
  try {
    const file = await open(beside, 'wx', OWNER_ONLY);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A rename is in the folder, not in the file: without this a power cut may bring the old file back. */
export async function syncFolder(folder: string): Promise<void> {
  // There a folder cannot be opened, and the file system keeps the order itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
