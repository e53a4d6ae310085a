// The commit log: a small file in which writes are made durable before SQLite commits them in bulk.
//
//   page 0   magic, the identity of the database it belongs to, and the format of the texts
//   then     records: length u32 | checksum u32 | number f64 | text; numbers go up by one
//
// A record is on disk when append returns. Once the database has committed everything, writing starts over at the
// front. What is left of older rounds behind the newest record has a lower number, so a reader stops there.

import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { fileGuard } from './database.ts';

const MAGIC = 'signalbox commit log\n';
/** Goes up when a write is named or laid out differently; how records are framed never changes. */
const FORMAT = '\n1\n';
/** A page by itself, so that no write of a record ever touches it. */
const HEADER_BYTES = 4096;
const RECORD_HEAD_BYTES = 16;
const CHECKSUM_AT = 4;
const NUMBER_AT = 8;
/** Holds half a second of the heaviest load; when it is full, the database commits. */
const MAX_BYTES = 8 * 1024 * 1024;
/** It begins small and grows by as much when a flood needs it. */
const CHUNK_BYTES = 512 * 1024;

export const logPath = (databasePath: string): string => `${databasePath}.commit-log`;

export interface LogRecord {
  readonly number: number;
  readonly text: string;
}

export interface CommitLog {
  /** The texts in it are another version's. */
  readonly isForeign: boolean;
  /** Nothing of another version is needed any more: from now on it is ours. */
  adopt(): void;
  /** Consecutive records from the first after this number on. */
  after(number: number): readonly LogRecord[];
  /** On disk when it returns true; false, with nothing written, when there is no room. */
  append(number: number, text: string): boolean;
  /** Everything so far is in the database: the next record goes to the front. Returns how many bytes that was. */
  startOver(): number;
  close(): void;
}

export function openCommitLog(path: string, identity: string): CommitLog {
  const { fd, format } = openOrCreate(path, identity);
  const assertSameFile = fileGuard(path);
  let scratch = Buffer.alloc(CHUNK_BYTES);
  let size = fstatSync(fd).size;
  let at = HEADER_BYTES;

  /** Filled with zeros and on disk before it is used: a record must not change the size of the file. */
  const growTo = (bytes: number): void => {
    while (size < bytes) {
      writeAll(fd, Buffer.alloc(CHUNK_BYTES), CHUNK_BYTES, size);
      size += CHUNK_BYTES;
    }
    fsyncSync(fd);
  };

  return {
    isForeign: format !== FORMAT,
    adopt() {
      writeSync(fd, headerOf(identity), 0);
      fsyncSync(fd);
    },
    after(number) {
      const content = Buffer.alloc(size);
      readSync(fd, content, 0, size, 0);
      return recordsIn(content).filter((record) => record.number > number);
    },
    append(number, text) {
      // UTF-8 takes three bytes at most for each unit of a JavaScript string.
      const atMost = RECORD_HEAD_BYTES + text.length * 3;
      if (at + atMost > MAX_BYTES) return false;
      assertSameFile();
      if (at + atMost > size) growTo(at + atMost);
      if (atMost > scratch.length) scratch = Buffer.alloc(atMost);
      const length = scratch.write(text, RECORD_HEAD_BYTES);
      scratch.writeUInt32LE(length, 0);
      scratch.writeDoubleLE(number, NUMBER_AT);
      const end = RECORD_HEAD_BYTES + length;
      scratch.writeUInt32LE(crc32(scratch.subarray(NUMBER_AT, end)), CHECKSUM_AT);
      writeAll(fd, scratch, end, at);
      fdatasyncSync(fd);
      at += end;
      return true;
    },
    startOver() {
      const bytes = at - HEADER_BYTES;
      at = HEADER_BYTES;
      return bytes;
    },
    close: () => closeSync(fd),
  };
}

function recordsIn(content: Buffer): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = HEADER_BYTES; at + RECORD_HEAD_BYTES <= content.length; ) {
    const end = at + RECORD_HEAD_BYTES + content.readUInt32LE(at);
    if (end > content.length || end === at + RECORD_HEAD_BYTES) break;
    if (crc32(content.subarray(at + NUMBER_AT, end)) !== content.readUInt32LE(at + CHECKSUM_AT)) break;
    const number = content.readDoubleLE(at + NUMBER_AT);
    const last = records.at(-1);
    if (last !== undefined && number !== last.number + 1) break;
    records.push({ number, text: content.toString('utf8', at + RECORD_HEAD_BYTES, end) });
    at = end;
  }
  return records;
}

const headerOf = (identity: string): string => MAGIC + identity + FORMAT;

/** A log of another database is put aside, never applied and never destroyed. */
function openOrCreate(path: string, identity: string): { fd: number; format: string } {
  if (existsSync(path)) {
    const fd = openSync(path, 'r+');
    const bytes = Buffer.alloc(HEADER_BYTES);
    readSync(fd, bytes, 0, HEADER_BYTES, 0);
    const header = bytes.toString('latin1');
    const start = MAGIC + identity;
    if (header.startsWith(start)) return { fd, format: header.slice(start.length, start.length + FORMAT.length) };
    closeSync(fd);
    renameSync(path, `${path}.${Date.now()}.other`);
  }
  return { fd: create(path, identity), format: FORMAT };
}

/** Written whole under another name first: a crash on the way leaves no half log under this one. */
function create(path: string, identity: string): number {
  const draft = `${path}.new`;
  const fd = openSync(draft, 'w+', 0o600);
  const content = Buffer.alloc(CHUNK_BYTES);
  content.write(headerOf(identity), 'latin1');
  writeAll(fd, content, CHUNK_BYTES, 0);
  fsyncSync(fd);
  renameSync(draft, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
  return fd;
}

function writeAll(fd: number, bytes: Buffer, length: number, position: number): void {
  for (let done = 0; done < length; ) done += writeSync(fd, bytes, done, length - done, position + done);
}
