// One file as a disk has it: the bytes that it was told to keep, and the changes since then, of which a power cut may leave any.

import type { Random } from '../random.ts';
import type { FileChange } from './records.ts';

/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512;

/** What a cut leaves of the changes that were not synced: none, all, or whatever the disk had got to. */
export type Remains = 'none' | 'all' | 'some';

export class DiskFile {
  readonly #kept: FileBytes;
  #changes: FileChange[] = [];

  constructor(kept: Buffer = Buffer.alloc(0)) {
    this.#kept = new FileBytes(kept);
  }

  change(change: FileChange): void {
    this.#changes.push(change);
  }

  /** Everything up to this number is on the disk now. */
  sync(covered: number): void {
    const later = this.#changes.filter(({ number }) => number > covered);
    for (const change of this.#changes) if (change.number <= covered) this.#kept.change(change);
    this.#changes = later;
  }

  after(remains: Remains, random: Random): Buffer {
    const bytes = new FileBytes(this.#kept.read());
    for (const change of this.#left(remains, random)) bytes.change(change);
    return bytes.read();
  }

  #left(remains: Remains, random: Random): readonly FileChange[] {
    if (remains === 'none') return [];
    if (remains === 'all') return this.#changes;
    // Lengths change in the order of the file system; which sectors of plain writes got to the disk is up to the disk.
    return this.#changes.some(({ kind }) => kind === 'truncate')
      ? this.#changes.slice(0, random.between(0, this.#changes.length))
      : this.#changes.flatMap(sectorsOf).filter(keptSectors(random));
  }
}

/** A sector that was written several times may be on the disk as it was after any of them: the later ones are lost together. */
function keptSectors(random: Random): (sector: FileChange) => boolean {
  const lost = new Set<number>();
  return (sector) => {
    if (sector.kind !== 'write') return true;
    const place = Math.floor(sector.at / SECTOR_BYTES);
    if (random.chance(50)) lost.add(place);
    return !lost.has(place);
  };
}

function sectorsOf(change: FileChange): FileChange[] {
  if (change.kind !== 'write') return [change];
  const sectors: FileChange[] = [];
  for (let from = 0; from < change.bytes.length; ) {
    const at = change.at + from;
    const next = Math.min(change.bytes.length, from + SECTOR_BYTES - (at % SECTOR_BYTES));
    sectors.push({ ...change, at, bytes: change.bytes.subarray(from, next) });
    from = next;
  }
  return sectors;
}

/** Bytes that changes are made to. Their room doubles when it is too small: a log is written page by page. */
class FileBytes {
  #room: Buffer;
  #length: number;

  constructor(bytes: Buffer) {
    this.#room = Buffer.from(bytes);
    this.#length = bytes.length;
  }

  read(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  change(change: FileChange): void {
    const end = change.kind === 'write' ? Math.max(this.#length, change.at + change.bytes.length) : change.length;
    if (end > this.#room.length) this.#room = Buffer.concat([this.read()], Math.max(end, 2 * this.#room.length));
    if (end < this.#length) this.#room.fill(0, end, this.#length);
    if (change.kind === 'write') change.bytes.copy(this.#room, change.at);
    this.#length = end;
  }
}
