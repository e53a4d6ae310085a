// One Signalbox per data folder: a lock the kernel gives back even after kill -9, and a note of who holds it.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../trading/storage-error.ts';
import { inWords } from './database.ts';

export interface InstanceNote {
  readonly pid: number;
  readonly url?: string;
}

export interface InstanceLock {
  /** The last holder left its note behind: it did not stop, it died. */
  readonly foundCrash: boolean;
  /** Tells the command line where this instance listens. */
  announce(note: InstanceNote): void;
  release(): void;
}

const NOTE = 'instance.json';

/** A connection that nobody knows any more is closed by the garbage collector, and its lock is gone: these are known. */
const HELD = new Set<DatabaseSync>();

export function readInstanceNote(dataDir: string): InstanceNote | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, NOTE), 'utf8')) as InstanceNote;
  } catch {
    return undefined;
  }
}

export function lockDataDir(dataDir: string): InstanceLock {
  const path = join(dataDir, 'instance.lock');
  let db: DatabaseSync;
  try {
    mkdirSync(dataDir, { recursive: true });
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code !== undefined && (code & 0xff) === 5) {
      const holder = readInstanceNote(dataDir);
      const who = holder ? ` (process ${holder.pid}${holder.url ? ` at ${holder.url}` : ''})` : '';
      throw new StorageError(
        `another Signalbox${who} is using ${dataDir}; stop it first, or give this one its own folder with DATA_DIR`,
      );
    }
    throw inWords(error, path);
  }
  HELD.add(db);
  let announced = false;
  return {
    foundCrash: readInstanceNote(dataDir) !== undefined,
    announce(note) {
      announced = true;
      writeFileSync(join(dataDir, NOTE), JSON.stringify(note), { mode: 0o600 });
    },
    release() {
      // Whoever only looked around leaves the note of a crash where it is.
      if (announced) rmSync(join(dataDir, NOTE), { force: true });
      HELD.delete(db);
      db.close();
    },
  };
}
