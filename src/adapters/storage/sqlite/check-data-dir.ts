// A thorough look at a data folder for the doctor: can it be written, is there room, are the databases whole.

import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase } from './database.ts';
import { ALWAYS_THERE, assertDatabasesThere, SOMETIMES_THERE } from './folder-databases.ts';
import { assertMovable, unmovedDatabases } from './moved-databases.ts';
import { assertCommitLogDone } from './retired-commit-log.ts';

export interface DataCheck {
  readonly name: string;
  readonly ok: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly remedy?: string;
}

/** Less room than this and the journal may soon refuse signals. */
const LOW_SPACE_BYTES = 256 * 1024 * 1024;

export interface AskedFolder {
  /** It was named for this look, so whoever did expects something there. */
  readonly isNamed?: boolean;
  /** The rows are on a database server, and only what a folder has besides is in it. */
  readonly hasServer?: boolean;
}

export async function checkDataDir(dataDir: string, asked: AskedFolder = {}): Promise<readonly DataCheck[]> {
  const { isNamed = false, hasServer = false } = asked;
  if (!existsSync(dataDir)) return [checkAbsent(dataDir, isNamed)];
  const refused = hasServer ? [] : checkMissing(dataDir);
  // To look into a database makes its log, and then nothing would be missing any more.
  if (refused.length > 0) return [checkFolder(dataDir), ...refused];
  const needed = hasServer ? [] : ALWAYS_THERE;
  const named = [...needed, ...SOMETIMES_THERE.filter((name) => existsSync(join(dataDir, name)))];
  return [
    checkFolder(dataDir),
    ...named.map((name) => checkDatabase(join(dataDir, name))),
    ...unmovedDatabases(dataDir).map(({ name, into }) => {
      const { detail, ...check } = checkDatabase(join(dataDir, name));
      return { ...check, detail: `${detail}; the next start moves it into ${into.name}` };
    }),
  ];
}

function checkAbsent(dataDir: string, isNamed: boolean): DataCheck {
  let parent = dirname(dataDir);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK);
  } catch {
    return {
      name: 'data folder',
      ok: 'fail',
      detail: `${dataDir} is not there and cannot be made: ${parent} cannot be written`,
      remedy: 'make it for the user that runs Signalbox, or name another with DATA_DIR',
    };
  }
  const detail = `${dataDir} is not there; it will be made at the first start`;
  if (!isNamed) return { name: 'data folder', ok: 'ok', detail };
  return { name: 'data folder', ok: 'warn', detail, remedy: 'if you have data already, name the folder it is in' };
}

/** The start refuses such a folder; here it is told before. */
function checkMissing(dataDir: string): DataCheck[] {
  try {
    assertDatabasesThere(dataDir);
    assertMovable(dataDir);
    assertCommitLogDone(dataDir, { readOnly: true });
    return [];
  } catch (error) {
    return [{ name: 'database', ok: 'fail', detail: (error as Error).message }];
  }
}

function checkFolder(dataDir: string): DataCheck {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK);
    const { bavail, bsize } = statfsSync(dataDir);
    const freeBytes = bavail * bsize;
    const detail = `${dataDir} can be written, ${Math.round(freeBytes / 1024 / 1024)} MiB free`;
    if (freeBytes >= LOW_SPACE_BYTES) return { name: 'data folder', ok: 'ok', detail };
    return { name: 'data folder', ok: 'warn', detail, remedy: 'free some space: without it signals are refused' };
  } catch (error) {
    const detail = `${dataDir}: ${(error as Error).message}`;
    return {
      name: 'data folder',
      ok: 'fail',
      detail,
      remedy: 'give the user that runs Signalbox read and write access',
    };
  }
}

function checkDatabase(path: string): DataCheck {
  if (!existsSync(path)) return { name: 'database', ok: 'ok', detail: `${path} will be made at the first start` };
  try {
    const db = openDatabase({ path, readOnly: true });
    try {
      const [first] = db.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[];
      if (first?.integrity_check === 'ok') return { name: 'database', ok: 'ok', detail: `${path} is whole` };
      const remedy = 'stop Signalbox, keep a copy of the file, and restore a backup';
      return { name: 'database', ok: 'fail', detail: `${path}: ${first?.integrity_check}`, remedy };
    } finally {
      db.close();
    }
  } catch (error) {
    return { name: 'database', ok: 'fail', detail: (error as Error).message };
  }
}
