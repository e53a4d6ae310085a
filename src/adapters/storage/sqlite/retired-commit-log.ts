// Version 0.1.0 kept a commit log beside the database, and a crash could leave acknowledged signals only there. This version
// does not run them: it refuses to start until 0.1.0 has brought them in. An empty log, or one that is all in, is removed.
//
//   page 0   magic and the identity of the database it belongs to
//   then     records: length u32 | checksum u32 | number f64 | text; numbers go up by one, older ones may lie behind

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../../trading/storage-error.ts';
import { openDatabase } from './database.ts';

const MAGIC = 'signalbox commit log\n';
const HEADER_BYTES = 4096;
const RECORD_HEAD_BYTES = 16;
const CHECKSUM_AT = 4;
const NUMBER_AT = 8;

/** Call before any migration, and with the folder locked. */
export function retireCommitLog(dataDir: string): void {
  const database = join(dataDir, 'signalbox.db');
  const path = `${database}.commit-log`;
  if (!existsSync(path) || !existsSync(database)) return;
  const log = readFileSync(path);
  const known = logKnownTo(database);
  // One of another database was put here by hand: nothing of it is ours to run or to remove.
  if (known === undefined || !log.toString('latin1', 0, HEADER_BYTES).startsWith(MAGIC + known.identity)) return;
  if (newestRecord(log) > known.applied) {
    throw new StorageError(
      `${path} holds signals of Signalbox 0.1.0 that were acknowledged and are not in the database yet: ` +
        'start 0.1.0 once on this folder, stop it, then start this version',
    );
  }
  rmSync(path);
}

/** Which log belongs to the database and how far it has come in; undefined when none ever did, or none does any more. */
function logKnownTo(database: string): { readonly identity: string; readonly applied: number } | undefined {
  const db = openDatabase({ path: database });
  try {
    const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'commit_log'").get();
    if (table === undefined) return undefined;
    const row = db.prepare('SELECT identity, applied FROM commit_log').get();
    return { identity: String(row?.identity), applied: Number(row?.applied) };
  } finally {
    db.close();
  }
}

/** The number of the last record of the newest round, which stands at the front; 0 when there is none. */
function newestRecord(log: Buffer): number {
  let newest = 0;
  for (let at = HEADER_BYTES; at + RECORD_HEAD_BYTES < log.length; ) {
    const end = at + RECORD_HEAD_BYTES + log.readUInt32LE(at);
    if (end > log.length || end === at + RECORD_HEAD_BYTES) break;
    if (crc32(log.subarray(at + NUMBER_AT, end)) !== log.readUInt32LE(at + CHECKSUM_AT)) break;
    const number = log.readDoubleLE(at + NUMBER_AT);
    if (newest !== 0 && number !== newest + 1) break;
    newest = number;
    at = end;
  }
  return newest;
}
