// Version 0.1.0 kept a commit log beside the database, and a crash could leave acknowledged signals only there. This version
// does not run them: where the log is not provably all in the database, or provably empty, it refuses to start and changes
// nothing. A log that is done with is put aside under another name, never deleted.
//
//   page 0   magic, the identity of the database it belongs to, the format, zeros
//   then     records: length u32 | checksum u32 | number f64 | text; numbers go up by one
//
// Every round starts over at the front, so after a commit the records at the front end with the number that the database has
// applied. What older rounds left behind them has lower numbers and begins anywhere.

import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../../errors/storage-error.ts';
import { fileFaultInWords } from '../durable-file.ts';
import { openDatabase } from './database.ts';
import { isNoteLeft } from './instance-lock.ts';

const MAGIC = 'signalbox commit log\n';
const FORMAT = '\n1\n';
const HEADER_BYTES = 4096;
/** It was made with so many bytes and grew by as many. */
const CHUNK_BYTES = 512 * 1024;
const RECORD_HEAD_BYTES = 16;
const CHECKSUM_AT = 4;
const NUMBER_AT = 8;
/** More records than 8 MiB, its greatest size, can hold. */
const MOST_RECORDS = 512 * 1024;

interface KnownLog {
  readonly identity: string;
  /** The number of the newest record that is in the database. */
  readonly applied: number;
}

/** Call before any migration, and with the folder locked. */
export function retireCommitLog(dataDir: string): void {
  const done = assertCommitLogDone(dataDir, { readOnly: false });
  if (done) inWords(done.path, () => renameSync(done.path, done.aside));
}

/** Throws why a start would refuse the folder; returns the log that is done with, if there is one, and its name aside. */
export function assertCommitLogDone(
  dataDir: string,
  { readOnly }: { readonly readOnly: boolean },
): { readonly path: string; readonly aside: string } | undefined {
  const database = join(dataDir, 'signalbox.db');
  const path = `${database}.commit-log`;
  // Where the owner puts a log, or an empty file, to say that what it held is given up.
  const aside = `${path}.retired`;
  const isFilled = (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const known = isFilled ? logKnownTo(database, readOnly) : undefined;
  const withoutIt = `to go on without what it held, rename it to ${aside}`;
  if (!existsSync(path)) {
    // After a clean stop everything was in the database, and a backup never had a log.
    if (known === undefined || existsSync(aside) || !isNoteLeft(dataDir)) return undefined;
    throw refusal(path, 'missing, although 0.1.0 crashed', `Put it back; or, ${withoutIt} (an empty file will do)`);
  }
  if (!isFilled) throw refusal(path, 'here without its signalbox.db', `Restore that from a backup; or, ${withoutIt}`);
  // The database has done with logs: one that was put here by hand is nothing of ours.
  if (known === undefined) return undefined;
  const log = inWords(path, () => readFileSync(path));
  const headFault = faultOfHeader(log, known.identity);
  if (headFault) throw refusal(path, headFault, `Put the right one back; or, ${withoutIt}`);
  const newest = newestRecord(log);
  if (newest > known.applied) {
    throw refusal(
      path,
      'it holds signals that were acknowledged and are not in the database yet',
      'start 0.1.0 once on this folder, stop it, then start this version',
    );
  }
  const fault = faultOfRecords(log, newest, known.applied, isNoteLeft(dataDir));
  if (fault) {
    throw refusal(
      path,
      fault,
      'Keep a copy of the folder; start 0.1.0 once on it, open its /ready, stop it, then start this version: that brings in ' +
        `what can be read. If you see this again after that, or ${withoutIt}`,
    );
  }
  return { path, aside };
}

function inWords<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFaultInWords(error, path);
  }
}

const refusal = (path: string, fault: string, wayOn: string): StorageError =>
  new StorageError(
    `${path}: ${fault}. In this file Signalbox 0.1.0 kept signals until they were in the database; nothing was changed. ${wayOn}`,
  );

/** Which log belongs to the database and how far it has come in; undefined when none ever did, or none does any more. */
function logKnownTo(database: string, readOnly: boolean): KnownLog | undefined {
  const db = openDatabase({ path: database, readOnly });
  try {
    const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'commit_log'").get();
    if (table === undefined) return undefined;
    const row = db.prepare('SELECT identity, applied FROM commit_log').get();
    return { identity: String(row?.identity), applied: Number(row?.applied) };
  } finally {
    db.close();
  }
}

function faultOfHeader(log: Buffer, identity: string): string | undefined {
  const expected = Buffer.alloc(HEADER_BYTES);
  expected.write(MAGIC + identity + FORMAT, 'latin1');
  const header = log.subarray(0, HEADER_BYTES);
  if (header.equals(expected)) return undefined;
  const isOther = header.toString('latin1').startsWith(MAGIC) && !header.includes(identity);
  return isOther ? 'it belongs to another database' : 'its first page is damaged or cut off';
}

/** The length of the whole record at this place with the number it has, or with the one given; 0 where there is none. */
function wholeRecord(log: Buffer, at: number, number?: number): number {
  if (at + RECORD_HEAD_BYTES > log.length) return 0;
  const text = log.readUInt32LE(at);
  const end = at + RECORD_HEAD_BYTES + text;
  if (text === 0 || end > log.length) return 0;
  const checked = Buffer.from(log.subarray(at + NUMBER_AT, end));
  if (number !== undefined) checked.writeDoubleLE(number, 0);
  return crc32(checked) === log.readUInt32LE(at + CHECKSUM_AT) ? end - at : 0;
}

/** The number of the last record of the newest round, which stands at the front; 0 when there is none. */
function newestRecord(log: Buffer): number {
  let newest = 0;
  for (let at = HEADER_BYTES; ; ) {
    const length = wholeRecord(log, at);
    // One whose own number is damaged is still known by its checksum.
    if (length === 0) return newest > 0 && wholeRecord(log, at, newest + 1) > 0 ? newest + 1 : newest;
    const number = log.readDoubleLE(at + NUMBER_AT);
    if (newest !== 0 && number !== newest + 1) return newest;
    newest = number;
    at += length;
  }
}

/** Why a log without whole newer records at its front may have held some nevertheless. */
function faultOfRecords(log: Buffer, newest: number, applied: number, hasCrashed: boolean): string | undefined {
  if (log.length % CHUNK_BYTES !== 0) return 'it was cut off';
  const isBlank = log.subarray(HEADER_BYTES).equals(Buffer.alloc(log.length - HEADER_BYTES));
  // A log that was made anew has no record; after a crash it may as well have been wiped.
  if (isBlank) return applied > 0 && hasCrashed ? 'it is blank, although 0.1.0 crashed' : undefined;
  if (newest !== applied) return 'its records are damaged';
  for (let at = HEADER_BYTES; at + RECORD_HEAD_BYTES <= log.length; at++) {
    const number = log.readDoubleLE(at + NUMBER_AT);
    if (number > applied && number <= applied + MOST_RECORDS && Number.isInteger(number)) {
      return 'a record that is not in the database is damaged, or was not written to its end';
    }
  }
  return undefined;
}
