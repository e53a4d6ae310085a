// Where a backup goes: into the file that is named, or into a folder, which gets a file of ours and is made if it is not there.

import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileFaultInWords } from '../adapters/storage/durable-file.ts';
import { SEALED_ENDING } from '../adapters/storage/sqlite/backup/read-backup.ts';
import { StorageError } from '../errors/storage-error.ts';
import { backupName } from './backup-files.ts';
import { nowMs } from './clocks.ts';

/** A name that does not end so is that of a folder: "--to /mnt/backups" must not make a file of that name on the first day. */
const OF_A_FILE = /\.(tar\.gz|tgz|sealed)$/i;

export function backupTarget(to: string | undefined, isEncrypted: boolean): string {
  if (to !== undefined && OF_A_FILE.test(to) && !isFolder(to)) {
    assertNotCalledSealed(to, isEncrypted);
    return resolve(to);
  }
  const folder = resolve(to ?? '.');
  assertNoFileInTheWay(folder);
  const named = (atMs: number): string => resolve(folder, backupName(atMs, isEncrypted));
  // Names tell seconds: a second backup of the same one has the next.
  let atMs = nowMs();
  while (existsSync(named(atMs))) atMs += 1000;
  return named(atMs);
}

/** Whoever is told ENOTDIR does not know which part of the path is a file. */
export function assertNoFileInTheWay(folder: string): void {
  for (let path = resolve(folder); path !== dirname(path); path = dirname(path)) {
    const isThere = found(path);
    if (isThere?.isDirectory()) return;
    if (isThere !== undefined)
      throw new StorageError(
        `${path} is a file, and backups go into a folder; name another one with --to or BACKUP_DIR, or move that file away ` +
          '(the name of a file for a backup ends in .tar.gz, or in .sealed where it is encrypted)',
      );
  }
}

/** What is in the folder of the backups, which is made with the first one. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    assertNoFileInTheWay(folder);
    throw error;
  }
}

const isFolder = (path: string): boolean => found(path)?.isDirectory() ?? false;

function found(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileFaultInWords(error, path);
  }
}

/** A restore takes such a name for the word of its owner that only he can have made the file. */
function assertNotCalledSealed(to: string, isEncrypted: boolean): void {
  if (!isEncrypted && to.endsWith(SEALED_ENDING))
    throw new StorageError(
      `${to} would not be encrypted, although it ends in ${SEALED_ENDING}; say --encrypt, or name it otherwise`,
    );
}
