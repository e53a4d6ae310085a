// Copies databases as they are at one moment, in SQLite's own way; whoever writes them goes on writing.

import { existsSync, statSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { backup, type DatabaseSync } from 'node:sqlite';
import { inWords, openDatabase } from './database.ts';

export interface DatabaseCopy {
  readonly from: string;
  readonly to: string;
}

/** In one step about 4 MB: other work of the process has its turn between two of them. */
const PAGES_A_STEP = 1000;

export async function copyDatabases(copies: readonly DatabaseCopy[]): Promise<void> {
  const open = [];
  for (const copy of copies) if (!(await copyAlone(copy))) open.push(copy);
  await copyOpen(open);
}

/** False where somebody has it open: then the newest part of it is in its write-ahead log. */
async function copyAlone({ from, to }: DatabaseCopy): Promise<boolean> {
  // Whoever opened it, even for reading, would leave files beside it.
  const isAlone = (): boolean => !existsSync(`${from}-wal`);
  if (!isAlone()) return false;
  const before = stampOf(from);
  await copyFile(from, to);
  // Or somebody has opened it just now, and perhaps closed it again.
  if (isAlone() && stampOf(from) === before) return true;
  await rm(to, { force: true });
  return false;
}

const stampOf = (path: string): string => {
  const { ino, size, mtimeMs } = statSync(path);
  return `${ino} ${size} ${mtimeMs}`;
};

/** Each is held at the same moment first, within one turn, and copied after that: what one tells of another is there. */
async function copyOpen(copies: readonly DatabaseCopy[]): Promise<void> {
  const held: { readonly db: DatabaseSync; readonly copy: DatabaseCopy }[] = [];
  try {
    for (const copy of copies) held.push({ db: openDatabase({ path: copy.from, readOnly: true }), copy });
    for (const { db } of held) {
      db.exec('BEGIN');
      // The transaction sees what is there at its first read, until its end.
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
    }
    for (const { db, copy } of held)
      await backup(db, copy.to, { rate: PAGES_A_STEP }).catch((error: unknown) => {
        throw inWords(error, copy.from);
      });
  } finally {
    for (const { db } of held) db.close();
  }
}
