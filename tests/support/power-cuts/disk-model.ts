// A folder as a disk has it, worked out from what was written down of its files: what is on the disk for sure, and what a power cut
// may leave of the rest.
//
// - The bytes of a file are on the disk when that file was synced. Of later writes any sector may be there or not.
// - A file has its name when its folder was synced, whether the file was synced or not. Of the changes to names since then some
//   are there up to a point, and none after it: file systems write them in order.
// - A folder that was made has its name when the folder that it is in was synced; without it all of its files are gone. A folder
//   that was renamed takes along what is in it. What is lost of a folder is its files: an empty folder may be left.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../random.ts';
import { DiskFile, type Remains } from './disk-file.ts';
import type { DiskRecord, EntryChange } from './records.ts';

/** Of SQLite's log: shared memory, which is built anew after a crash. */
const isShared = (path: string): boolean => path.endsWith('-shm');

/** As the product makes them. */
const OWNER_ONLY = 0o600;

/** What stands for a folder among the files. */
const FOLDER = new DiskFile();

type Entries = Map<string, DiskFile>;

export class DiskModel {
  readonly #folder: string;
  readonly #files = new Map<number, DiskFile>();
  /** The names that are on the disk, and those that programs see. */
  readonly #kept: Entries = new Map();
  readonly #seen: Entries = new Map();
  #changes: { readonly change: EntryChange; readonly file: DiskFile | undefined }[] = [];
  /** Folders that were not there at the beginning, by every name that they had. */
  readonly #made = new Set<string>();

  /** Whatever is in the folder now is on the disk. */
  constructor(folder: string) {
    this.#folder = folder;
    for (const path of filesIn(folder)) {
      const file = new DiskFile(readFileSync(path));
      this.#files.set(statSync(path).ino, file);
      this.#kept.set(path, file);
      this.#seen.set(path, file);
    }
  }

  add(records: readonly DiskRecord[]): void {
    for (const record of records) this.#add(record);
  }

  #add(record: DiskRecord): void {
    switch (record.kind) {
      case 'write':
      case 'truncate':
        this.#files.get(record.file)?.change(record);
        return;
      case 'sync':
        this.#files.get(record.file)?.sync(record.covered);
        return;
      case 'sync-folder':
        this.#syncFolder(record.path, record.covered);
        return;
      case 'create': {
        const file = new DiskFile();
        this.#files.set(record.file, file);
        this.#addEntry(record, file);
        return;
      }
      case 'make-folder':
        this.#made.add(record.path);
        this.#addEntry(record, FOLDER);
        return;
      case 'rename':
        if (this.#made.has(record.from)) this.#made.add(record.to);
        this.#addEntry(record, this.#seen.get(record.from));
        return;
      default:
        if (this.#seen.has(record.path)) this.#addEntry(record, undefined);
    }
  }

  #addEntry(change: EntryChange, file: DiskFile | undefined): void {
    this.#changes.push({ change, file });
    apply(this.#seen, change, file);
  }

  #syncFolder(path: string, covered: number): void {
    const isCovered = ({ change }: { change: EntryChange }): boolean =>
      change.number <= covered && dirname(change.kind === 'rename' ? change.to : change.path) === path;
    for (const entry of this.#changes) if (isCovered(entry)) apply(this.#kept, entry.change, entry.file);
    const renames = this.#changes.map(({ change }) => change).filter((each) => each.kind === 'rename');
    this.#changes = this.#changes.filter((entry) => !isCovered(entry));
    // What is still at risk within a folder is so under the folder's new name.
    for (const rename of renames.filter((change) => isCovered({ change })))
      this.#changes = this.#changes.map(({ change, file }) => ({ change: movedBy(rename, change), file }));
  }

  /** The files as a cut leaves them. */
  after(remains: Remains, random: Random): Map<string, Buffer> {
    const entries = new Map(this.#kept);
    const most = this.#changes.length;
    const left = { none: 0, all: most, some: random.between(0, most) }[remains];
    for (const { change, file } of this.#changes.slice(0, left)) apply(entries, change, file);
    const lost = [...this.#made].filter((folder) => !entries.has(folder));
    const files = [...entries].filter(
      ([path, file]) => file !== FOLDER && !lost.some((folder) => isWithin(folder, path)),
    );
    return new Map(files.map(([path, file]) => [path, file.after(remains, random)]));
  }

  /** Makes the folder what a cut leaves of it. The disk is another one afterwards: this model knows nothing of it. */
  cut(remains: Remains, random: Random): void {
    const files = this.after(remains, random);
    for (const path of filesIn(this.#folder, true)) rmSync(path);
    for (const [path, bytes] of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes, { mode: OWNER_ONLY });
    }
  }

  /** Files that differ from what was written down: something changed them that is not recorded. For a folder that nobody writes to. */
  unrecorded(random: Random): string[] {
    const recorded = this.after('all', random);
    const there = filesIn(this.#folder);
    const changed = there.filter((path) => !(recorded.get(path)?.equals(readFileSync(path)) ?? false));
    return [...changed, ...[...recorded.keys()].filter((path) => !there.includes(path))];
  }
}

function apply(entries: Entries, change: EntryChange, file: DiskFile | undefined): void {
  if (change.kind === 'remove') entries.delete(change.path);
  else if (change.kind === 'rename') {
    for (const [path, within] of [...entries].filter(([each]) => isWithin(change.from, each))) {
      entries.delete(path);
      entries.set(change.to + path.slice(change.from.length), within);
    }
    entries.delete(change.from);
    if (file !== undefined) entries.set(change.to, file);
  } else if (file !== undefined) entries.set(change.path, file);
}

function movedBy(rename: Extract<EntryChange, { kind: 'rename' }>, change: EntryChange): EntryChange {
  const moved = (path: string): string =>
    change.number < rename.number && isWithin(rename.from, path) ? rename.to + path.slice(rename.from.length) : path;
  return change.kind === 'rename'
    ? { ...change, from: moved(change.from), to: moved(change.to) }
    : { ...change, path: moved(change.path) };
}

const isWithin = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);

const filesIn = (folder: string, withShared = false): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => withShared || !isShared(path));
