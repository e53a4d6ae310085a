// One Signalbox per data folder: a lock the kernel gives back even after kill -9, and a note of who holds it.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import { type DiskSync, diskSync, replaceDurably } from '../durable-file.ts';
import { inWords } from './database.ts';

export interface InstanceNote {
  readonly pid: number;
  readonly url?: string;
  /** Tells the process from a later one with the same number. */
  readonly born?: string;
  /** Its databases: until it closes them, each has its write-ahead log beside it. */
  readonly open?: readonly string[];
}

export interface InstanceLock {
  /** The last holder left its note behind: it did not stop, it died. */
  readonly foundCrash: boolean;
  /** Tells the command line where this instance listens. */
  announce(note: InstanceNote): Promise<void>;
  /**
   * `logsLeft`: the databases whose write-ahead log could not be brought in, asked for by whoever left a note. While there
   * are any the note stays, so that the next start misses a log that is gone by then.
   */
  release(logsLeft?: () => readonly string[]): void;
}

/** Another process has the folder. */
export class FolderTakenError extends StorageError {}

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

export const writeInstanceNote = (dataDir: string, note: InstanceNote, sync: DiskSync = diskSync): Promise<void> =>
  replaceDurably(join(dataDir, NOTE), JSON.stringify(note), sync);

/**
 * In its place, because logs are left where the disk is full, and there a new file would find no room. A note that cannot be
 * written even so stays as it was.
 */
function rewriteNote(dataDir: string, note: InstanceNote): void {
  try {
    const path = join(dataDir, NOTE);
    // Blanks take the place of what was longer.
    const text = JSON.stringify(note).padEnd(readFileSync(path).length);
    const fd = openSync(path, 'r+');
    try {
      writeSync(fd, text, 0);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // There is nobody left to tell: the next start says what it finds.
  }
}

/** Where nobody runs: whoever was here last did not stop, it died. A note that cannot be read is one too. */
export const isNoteLeft = (dataDir: string): boolean => existsSync(join(dataDir, NOTE));

const whoIs = ({ pid, url }: InstanceNote): string => `process ${pid}${url ? ` at ${url}` : ''}`;

/**
 * When a process was born, in ticks since the machine started, and which start that was. Undefined where nobody runs
 * under this number, or where the system does not tell (only Linux does).
 */
function bornAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes second, in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // It has ended, and only its parent has not looked yet.
    if (fields[0] === 'Z') return undefined;
    const ticks = fields[19];
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
  } catch {
    return undefined;
  }
}

export const isInstanceAlive = ({ pid, born }: InstanceNote): boolean => born !== undefined && bornAt(pid) === born;

/** The lock is a file, and a file can be removed while somebody holds it: the note tells whether its holder still lives. */
function livingHolder(dataDir: string): InstanceNote | undefined {
  const note = readInstanceNote(dataDir);
  return note !== undefined && note.pid !== process.pid && isInstanceAlive(note) ? note : undefined;
}

export function lockDataDir(dataDir: string, sync: DiskSync = diskSync): InstanceLock {
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
      const who = holder ? ` (${whoIs(holder)})` : '';
      throw new FolderTakenError(
        `another Signalbox${who} is using ${dataDir}; stop it first, or give this one its own folder with DATA_DIR`,
      );
    }
    throw inWords(error, path);
  }
  const holder = livingHolder(dataDir);
  if (holder) {
    db.close();
    throw new FolderTakenError(
      `another Signalbox (${whoIs(holder)}) is using ${dataDir}, although its instance.lock was removed; stop it first, ` +
        'or give this one its own folder with DATA_DIR',
    );
  }
  HELD.add(db);
  let announced = false;
  return {
    foundCrash: isNoteLeft(dataDir),
    async announce(note) {
      announced = true;
      await writeInstanceNote(dataDir, { ...note, born: bornAt(note.pid) }, sync);
    },
    release(logsLeft = () => []) {
      // Whoever only looked around leaves the note of a crash where it is.
      if (announced) {
        const open = logsLeft();
        if (open.length > 0) rewriteNote(dataDir, { pid: process.pid, open });
        else rmSync(join(dataDir, NOTE), { force: true });
      }
      HELD.delete(db);
      db.close();
    },
  };
}
