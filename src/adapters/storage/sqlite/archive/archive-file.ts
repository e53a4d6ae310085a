// The archive file of a month: a SQLite file with the tables of the trading database, which any tool can read.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../../errors/storage-error.ts';
import type { ArchiveBatch, ArchivedKind, ArchivedTable } from '../../../../trading/books/journal-archive.ts';
import { deleteRows, digestOf, readRows } from '../../sql/trading/archive/rows.ts';
import { inWords, openDatabase, openMigrated, statements } from '../database.ts';
import { TRADING } from '../database-files.ts';
import { sqlOf } from '../sql.ts';

/** Writes one file after the other; the last one stays open, because the next batch is of the same month nearly always. */
export class ArchiveWriter {
  #open: { readonly path: string; readonly db: DatabaseSync } | undefined;

  /** Committed and read back by another connection; resolves to the digest of what that has found in the file. */
  async write(path: string, batch: ArchiveBatch): Promise<string> {
    try {
      const db = this.#opened(path);
      try {
        db.exec('BEGIN IMMEDIATE');
        await write(db, path, batch);
        db.exec('COMMIT');
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK');
      }
      return await digestIn(path, batch);
    } catch (error) {
      throw inWords(error, path);
    }
  }

  close(): void {
    this.#open?.db.close();
    this.#open = undefined;
  }

  #opened(path: string): DatabaseSync {
    if (this.#open?.path === path) return this.#open.db;
    this.close();
    mkdirSync(dirname(path), { recursive: true });
    const db = openMigrated(path, TRADING.migrations);
    this.#open = { path, db };
    // One file that stays one, also in a folder that can only be read; and its name is on the disk with what is in it.
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = OFF');
    return db;
  }
}

async function digestIn(path: string, { of, seqs }: ArchiveBatch): Promise<string> {
  const db = openDatabase({ path, readOnly: true });
  try {
    return digestOf(await readRows(sqlOf(db), of, seqs));
  } finally {
    db.close();
  }
}

async function write(db: DatabaseSync, path: string, { of, seqs, tables }: ArchiveBatch): Promise<void> {
  const sql = sqlOf(db);
  const prepared = statements(db);
  assertSameRows(of, path, await readRows(sql, of, seqs), tables);
  // What an earlier run has left here may have changed since.
  await deleteRows(sql, of, seqs);
  for (const { table, rows } of tables)
    for (const row of rows) {
      if (table === 'trades') giveUpClaims(db, row);
      const names = Object.keys(row);
      const insert = prepared(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`);
      insert.run(...Object.values(row));
    }
}

/** By what a row is known besides its number. */
const NAMES: Readonly<Record<ArchivedKind, string>> = {
  trades: 'request_id',
  refusals: 'id',
  desk_events: 'at',
  trade_signals: 'signal_id',
};

/** A journal that was restored from an old backup gives the numbers of rows that have left to new ones. */
function assertSameRows(
  of: ArchivedKind,
  path: string,
  there: readonly ArchivedTable[],
  wanted: readonly ArchivedTable[],
): void {
  const named = (tables: readonly ArchivedTable[]) =>
    new Map(tables.find(({ table }) => table === of)?.rows.map((row) => [row.seq, row[NAMES[of]]]));
  const names = named(wanted);
  for (const [seq, name] of named(there))
    if (names.get(seq) !== name)
      throw new StorageError(
        `${path} has another row ${seq} in ${of} than the journal, which was restored from a backup after it was written; ` +
          'move the file elsewhere, keep it, and archive again',
      );
}

/** As in the journal: a name that was claimed anew after its window is the later trade's. */
function giveUpClaims(db: DatabaseSync, row: ArchivedTable['rows'][number]): void {
  for (const column of ['claim', 'alert_claim'])
    if (row[column] !== null)
      db.prepare(`UPDATE trades SET ${column} = NULL WHERE ${column} = ?`).run(row[column] as Uint8Array);
}
