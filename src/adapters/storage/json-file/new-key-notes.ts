// New keys for a key file that a running process owns: a folder beside the file with one note per key, the key's own line.
//
// As with revocations the folder is there only while notes are. What a note holds is no secret: a key's hash and tier.

import { statSync } from 'node:fs';
import { readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageError } from '../../../errors/storage-error.ts';
import type { AnalysisKey } from '../../../keys/analysis-key-store.ts';
import { type DiskSync, diskSync, replaceDurably } from '../durable-file.ts';
import { keyLine, printKeyFile, readKeyFile } from './key-layouts.ts';
import { inWords } from './owned-file.ts';
import { isTakenWithin, leaveNote, NOTE, WAIT_MS } from './revocation-notes.ts';

const WRITABLE_BY_OTHERS = 0o022;
const MS_PER_S = 1000;

export const newKeysFolder = (path: string): string => `${path}.added`;

/** For the owner of the file: whether there may be new keys. One stat. */
export const hasNewKeys = (path: string): boolean =>
  statSync(newKeysFolder(path), { throwIfNoEntry: false }) !== undefined;

/**
 * For the owner of the file: hands every noted key to `add`, then removes its note. A key that cannot be read or added
 * goes too, so that whoever waits for it learns it; nothing here keeps the keys there are from working.
 */
export async function takeNewKeys(
  path: string,
  add: (key: AnalysisKey) => Promise<void>,
  nowMs: () => number,
): Promise<void> {
  const folder = newKeysFolder(path);
  if (!(await isOurs(folder))) return;
  for (const keyId of (await readdir(folder).catch(() => [])).filter((name) => NOTE.test(name))) {
    const note = join(folder, keyId);
    const key = await readNote(note, keyId, nowMs).catch(() => undefined);
    if (key !== undefined) await add(key).catch(() => undefined);
    await rm(note, { force: true }).catch(() => undefined);
  }
  await rmdir(folder).catch(() => undefined);
}

/** Who may write into the folder makes keys, so a folder of anybody else counts for nothing. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & WRITABLE_BY_OTHERS) === 0);
}

async function readNote(note: string, keyId: string, nowMs: () => number): Promise<AnalysisKey | undefined> {
  const keys = readKeyFile(await readFile(note, 'utf8'), Math.floor(nowMs() / MS_PER_S));
  return keys.length === 1 && keys[0]?.keyId === keyId ? keys[0] : undefined;
}

/** For everybody else: leaves a note, and resolves when the owner of the file has taken it; look into the file then. */
export async function addByNote(
  path: string,
  key: AnalysisKey,
  { waitMs = WAIT_MS, sync = diskSync }: { waitMs?: number; sync?: DiskSync } = {},
): Promise<void> {
  const note = join(newKeysFolder(path), key.keyId);
  // Whole from the moment it is there: the owner may look at any time.
  const draft = `${path}.${key.keyId}.new`;
  await inWords(note, async () => {
    await replaceDurably(draft, printKeyFile([keyLine(key)]), sync);
    try {
      await leaveNote(path, note, () => rename(draft, note), sync);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  });
  if (await isTakenWithin(note, waitMs)) return;
  // Nobody will ever be shown this key, so it should not be made later.
  await inWords(note, () => rm(note, { force: true }));
  throw new StorageError(
    `the Signalbox that owns ${path} does not take new keys; see whether it hangs, or restart it if it is older than this command`,
  );
}
