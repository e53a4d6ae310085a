// Revocations for a key file that a running process owns: a folder beside the file with one empty note per key id.
//
// The folder is there only while notes are: whoever has taken the last note removes it, and an attempt to remove it fails
// when another note has come meanwhile. So one look for the folder tells whether there is anything to do, and no note
// can be missed between two looks.

import { statSync } from 'node:fs';
import { chown, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StorageError } from '../../../errors/storage-error.ts';
import { foregroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import { type DiskSync, diskSync } from '../durable-file.ts';
import { inWords } from './owned-file.ts';

export const NOTE = /^[0-9a-f]{12}$/;
const OWNER_ONLY = 0o700;
/** The owner of the file looks twice a second when it is idle, and before each call when it is not. */
export const WAIT_MS = 3000;
const LOOK_AGAIN_MS = 20;
/** The folder may vanish between making it and writing into it, but hardly this often. */
const ATTEMPTS = 20;

export const notesFolder = (path: string): string => `${path}.revoked`;

/** For the owner of the file: whether there may be notes. One stat. */
export function hasNotes(path: string): boolean {
  return statSync(notesFolder(path), { throwIfNoEntry: false }) !== undefined;
}

/** Key ids to be revoked. What is no note of ours is left alone. */
export async function readNotes(path: string): Promise<string[]> {
  const names = await readdir(notesFolder(path)).catch(unless(path, ['ENOENT'], []));
  return names.filter((name) => NOTE.test(name));
}

/** Only when the file itself no longer has those keys, on the disk. */
export async function removeNotes(path: string, keyIds: readonly string[]): Promise<void> {
  const folder = notesFolder(path);
  for (const keyId of keyIds) await rm(join(folder, keyId), { force: true }).catch(unless(path, [], undefined));
  await rmdir(folder).catch(unless(path, ['ENOENT', 'ENOTEMPTY', 'EEXIST'], undefined));
}

/** Forgives these faults. A folder that cannot be used may hold revocations, so after any other one nothing must pass. */
const unless =
  <T>(path: string, forgiven: readonly string[], instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    const { code = 'unknown' } = error;
    if (forgiven.includes(code)) return instead;
    throw new StorageError(
      `${notesFolder(path)} may hold revocations but cannot be used (${code}); make it a folder of the user who runs Signalbox`,
      { cause: error },
    );
  };

/** For everybody else: leaves a note and resolves when the owner of the file has taken it. */
export async function revokeByNote(
  path: string,
  keyId: string,
  { waitMs = WAIT_MS, sync = diskSync }: { waitMs?: number; sync?: DiskSync } = {},
): Promise<void> {
  if (!NOTE.test(keyId)) throw new StorageError(`${keyId} is no key id; it has 12 characters of 0-9 and a-f`);
  const note = join(notesFolder(path), keyId);
  const writeEmpty = async () => (await open(note, 'w', 0o600)).close();
  await inWords(note, () => leaveNote(path, note, writeEmpty, sync));
  if (!(await isTakenWithin(note, waitMs)))
    throw new StorageError(
      `the Signalbox that owns ${path} has not taken the revocation yet; it will before it next uses a key, or at its ` +
        'next start. See whether it hangs',
    );
}

/** Whether the owner of the file has removed the note, which it does when it has done what the note says. */
export async function isTakenWithin(note: string, waitMs: number): Promise<boolean> {
  const isTaken = () => statSync(note, { throwIfNoEntry: false }) === undefined;
  for (let waitedMs = 0; !isTaken(); waitedMs += LOOK_AGAIN_MS) {
    if (waitedMs >= waitMs) return false;
    await wait(LOOK_AGAIN_MS, { timers: foregroundTimers });
  }
  return true;
}

/** Makes the folder of the note and the note itself, `write`, durably and for the owner of the key file. */
export async function leaveNote(path: string, note: string, write: () => Promise<void>, sync: DiskSync): Promise<void> {
  const folder = dirname(note);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Making it may fail for the same reason: it looks for the folder it found there, and it is gone.
      await mkdir(folder, { mode: OWNER_ONLY, recursive: true });
      await write();
      break;
    } catch (error) {
      // The owner of the file removed the folder at this very moment.
      if (!isMissing(error) || attempt === ATTEMPTS) throw error;
    }
  }
  try {
    // The note first: when the folder is the owner's, everything in it can be read.
    await handOver(path, [note, folder]);
    await sync.folder(folder);
    await sync.folder(dirname(folder));
  } catch (error) {
    // It was taken already.
    if (!isMissing(error)) throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Root may revoke for a service with a user of its own, who must be able to read and remove the note. */
async function handOver(path: string, made: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(path);
  for (const each of made) await chown(each, uid, gid);
}
