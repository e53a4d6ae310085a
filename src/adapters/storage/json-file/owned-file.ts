// A file that belongs to this process alone: read with care, replaced whole, and never written over when somebody else touched it.

import { readFile, stat } from 'node:fs/promises';
import { StorageError } from '../../../errors/storage-error.ts';
import { type DiskSync, diskSync, replaceDurably } from '../durable-file.ts';

/** Several times what the most keys need, so only a file that is not ours is longer. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const GROUP_AND_OTHERS = 0o077;

export interface OwnedFile {
  /** Refused when it is not as it was last seen; what another hand has put there is not ours to write over. */
  replace(text: string): Promise<void>;
}

/** Notes what the file looks like now, so call it before reading. */
export async function ownFile(path: string, sync: DiskSync = diskSync): Promise<OwnedFile> {
  const look = async (): Promise<string> => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    return found === undefined ? 'missing' : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}`;
  };
  let seen = await look();
  return {
    async replace(text) {
      if (seen !== (await look()))
        throw new StorageError(
          `${path} was changed, moved or deleted while Signalbox runs; nothing was written over it. Put it back, or restart`,
        );
      await replaceDurably(path, text, sync);
      seen = await look();
    },
  };
}

export interface FoundText {
  /** Undefined when there is no file yet. */
  readonly text: string | undefined;
  readonly ownerOnly: boolean;
}

export async function readText(path: string): Promise<FoundText> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return { text: undefined, ownerOnly: true };
  if (!found.isFile()) throw new StorageError(`${path} is no file; set API_KEY_STORE to the path of one`);
  if (found.size > MAX_FILE_BYTES) throw damaged(path, 'it is far too long');
  const bytes = await readFile(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return { text, ownerOnly: (found.mode & GROUP_AND_OTHERS) === 0 };
  } catch {
    throw damaged(path, 'it is no text');
  }
}

export const damaged = (path: string, why: string): StorageError =>
  new StorageError(
    `${path} is damaged (${why}); it was left untouched. Restore a backup of it, or move it away to start without keys`,
  );

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'check the owner and permissions of the file and its folder',
  EPERM: 'check the owner and permissions of the file and its folder',
  EROFS: 'its disk can only be read; set API_KEY_STORE to a path that can be written',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk is full; free some space',
  EIO: 'the disk failed; check the disk and free space',
  ENOTDIR: 'a part of the path is no folder; correct API_KEY_STORE',
  EEXIST: 'a part of the path is no folder; correct API_KEY_STORE',
  EISDIR: 'it is a folder; set API_KEY_STORE to the path of a file',
  EBUSY: 'it is mounted by itself; mount its folder instead, so that it can be replaced',
};

/** Runs the work; what the file system has to say about it comes with a remedy. */
export async function inWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new StorageError(`${path} cannot be read or written: ${REMEDIES[code] ?? message}`, { cause: error });
  }
}
