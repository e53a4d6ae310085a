// Heeds what commands leave beside the key file, new keys and revocations: before each look at a key, and twice a second when idle.

import { StorageError } from '../../../errors/storage-error.ts';
import type { AnalysisKey } from '../../../keys/analysis-key-store.ts';
import { hasNewKeys, takeNewKeys } from './new-key-notes.ts';
import { hasNotes, notesFolder, readNotes, removeNotes } from './revocation-notes.ts';

/** Often enough for somebody who waits for his revocation; a look costs a few microseconds. */
const LOOK_EVERY_MS = 500;

export interface NoteKeeper {
  /**
   * Does the work when every note that is there now has ended its key; at once when there is none. Rejects when a note
   * cannot be heeded: then nobody can tell which keys are still good.
   */
  before<T>(work: () => T | Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface NoteKeeperOptions {
  readonly path: string;
  /** Resolves when the keys are gone from the disk. */
  readonly revoke: (keyIds: readonly string[]) => Promise<void>;
  /** Resolves when the key is on the disk. */
  readonly add: (key: AnalysisKey) => Promise<void>;
  readonly nowMs: () => number;
}

/** Heeds what was left while nobody ran, and everything from then on. */
export async function openNotes({ path, revoke, add, nowMs }: NoteKeeperOptions): Promise<NoteKeeper> {
  let current: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  async function take(): Promise<void> {
    // New keys first: a key may be revoked right after it was made.
    if (hasNewKeys(path)) await takeNewKeys(path, add, nowMs);
    const keyIds = await readNotes(path);
    // In this order: a crash in between leaves a note for a key that is gone, which harms nobody.
    if (keyIds.length > 0) await revoke(keyIds);
    await removeNotes(path, keyIds);
  }

  /** One at a time. Whoever comes while one is under way waits for the next: that one has not read the newest notes. */
  function takeAll(): Promise<void> {
    if (current !== undefined) {
      following ??= current
        .catch(() => undefined)
        .then(() => {
          following = undefined;
          return takeAll();
        });
      return following;
    }
    current = take().finally(() => {
      current = undefined;
    });
    return current;
  }

  function look(): boolean {
    try {
      return hasNotes(path) || hasNewKeys(path);
    } catch (error) {
      throw new StorageError(`${notesFolder(path)} cannot be looked for; check the permissions of its folder`, {
        cause: error,
      });
    }
  }

  async function before<T>(work: () => T | Promise<T>): Promise<T> {
    if (look()) await takeAll();
    return work();
  }

  await before(() => undefined);
  // What goes wrong here shows itself to the next who asks for a key.
  const timer = setInterval(() => void before(() => undefined).catch(() => undefined), LOOK_EVERY_MS);
  timer.unref();
  return {
    before,
    async close() {
      clearInterval(timer);
      await Promise.allSettled([current, following]);
    },
  };
}
