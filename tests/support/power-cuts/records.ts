// Reads what power-cuts.c has written down: every change to the files of a folder, and every sync, in the order in which they came.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Numbered {
  /** All processes of a folder count together. */
  readonly number: number;
}

/** A file is known by its inode. */
export type FileChange =
  | (Numbered & { readonly kind: 'write'; readonly file: number; readonly at: number; readonly bytes: Buffer })
  | (Numbered & { readonly kind: 'truncate'; readonly file: number; readonly length: number });

export type EntryChange =
  | (Numbered & { readonly kind: 'create'; readonly file: number; readonly path: string })
  | (Numbered & { readonly kind: 'make-folder'; readonly path: string })
  | (Numbered & { readonly kind: 'rename'; readonly from: string; readonly to: string })
  | (Numbered & { readonly kind: 'remove'; readonly path: string });

/** It covers everything up to this number: what came while the disk worked may have missed it. */
export type Sync =
  | (Numbered & { readonly kind: 'sync'; readonly file: number; readonly covered: number })
  | (Numbered & { readonly kind: 'sync-folder'; readonly path: string; readonly covered: number });

export type DiskRecord = FileChange | EntryChange | Sync;

/** The same numbers and the same layout as in power-cuts.c. */
const MARK = 0x43555450;
const HEAD_BYTES = 40;
const SUFFIX = '.records';

/** Those of all processes; one that was killed may have left half a record at the end of its own. */
export function readRecords(folder: string): DiskRecord[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  const records = files.flatMap((name) => recordsIn(readFileSync(join(folder, name))));
  return records.sort((one, other) => one.number - other.number);
}

function recordsIn(bytes: Buffer): DiskRecord[] {
  const records: DiskRecord[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    if (bytes.readUInt32LE(at) !== MARK) throw new Error(`no record begins at byte ${at}`);
    const end = at + HEAD_BYTES + Number(bytes.readBigUInt64LE(at + 32));
    if (end > bytes.length) break;
    records.push(recordAt(bytes.subarray(at, end)));
    at = end;
  }
  return records;
}

function recordAt(bytes: Buffer): DiskRecord {
  const [number, file, at] = [8, 16, 24].map((place) => Number(bytes.readBigUInt64LE(place))) as [
    number,
    number,
    number,
  ];
  const rest = bytes.subarray(HEAD_BYTES);
  const [path = '', other = ''] = bytes.readUInt32LE(4) === 1 ? [] : rest.toString().split('\0');
  switch (bytes.readUInt32LE(4)) {
    case 1:
      return { number, kind: 'write', file, at, bytes: rest };
    case 2:
      return { number, kind: 'truncate', file, length: at };
    case 3:
      return { number, kind: 'create', file, path };
    case 4:
      return { number, kind: 'rename', from: path, to: other };
    case 5:
      return { number, kind: 'remove', path };
    case 6:
      return { number, kind: 'sync', file, covered: at };
    case 7:
      return { number, kind: 'sync-folder', path, covered: at };
    case 8:
      return { number, kind: 'make-folder', path };
    default:
      throw new Error(`record ${number} is of an unknown kind`);
  }
}
