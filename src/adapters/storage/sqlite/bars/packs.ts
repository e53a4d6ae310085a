// The tables of packs, and the one file they are in: opened, or made anew beside a damaged one.

import { renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../../trading/storage-error.ts';
import { openMigrated, type Row, statements } from '../database.ts';
import { Pack } from './pack.ts';

const MIGRATIONS = new URL('./migrations/', import.meta.url);
/** SQLite's codes for a damaged file and for one that is no database. */
const DAMAGED = [11, 26];
/** A database, but with other tables than ours. */
const OTHER_TABLES = 1;

export interface PackTable {
  readonly db: DatabaseSync;
  seriesId(source: string, market: string, timeframeMs: number): number | undefined;
  addSeries(source: string, market: string, timeframeMs: number): number;
  /** By number, those of [first, last] that are there and whole. */
  read(seriesId: number, first: number, last: number): Map<number, Pack>;
  write(seriesId: number, number: number, pack: Pack): void;
  /** Forgets the packs not written for the longest time until so many are left. */
  shrinkTo(maxPacks: number): void;
  /** After a transaction that came to nothing. */
  recount(): void;
}

export function openPackTable(path: string): PackTable {
  const db = openMigrated(path, MIGRATIONS);
  // A cache may lose its last moments with the power: what is missing is fetched again.
  // Checkpoints usually come much sooner than after these 128 MiB, and from another thread: see checkpoints.ts.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 32768');
  const sql = statements(db);
  const count = (): number => Number(sql('SELECT count(*) AS packs FROM packs').get()?.packs);
  let packs = count();

  const seriesId: PackTable['seriesId'] = (source, market, timeframeMs) =>
    sql('SELECT id FROM series WHERE source = ? AND market = ? AND timeframe_ms = ?').get(source, market, timeframeMs)
      ?.id as number | undefined;

  return {
    db,
    seriesId,
    addSeries(source, market, timeframeMs) {
      const known = seriesId(source, market, timeframeMs);
      if (known !== undefined) return known;
      const added = sql('INSERT INTO series (source, market, timeframe_ms) VALUES (?, ?, ?)');
      return Number(added.run(source, market, timeframeMs).lastInsertRowid);
    },
    read(id, first, last) {
      const rows = sql('SELECT number, checksum, bars FROM packs WHERE series_id = ? AND number BETWEEN ? AND ?');
      const found = new Map<number, Pack>();
      for (const { number, checksum, bars } of rows.all(id, first, last) as Row[]) {
        const pack = Pack.read(bars as Uint8Array, checksum as number);
        if (pack !== undefined) found.set(number as number, pack);
      }
      return found;
    },
    write(id, number, pack) {
      const replaced = sql('DELETE FROM packs WHERE series_id = ? AND number = ?').run(id, number).changes;
      sql('INSERT INTO packs (series_id, number, checksum, bars) VALUES (?, ?, ?, ?)').run(
        id,
        number,
        pack.checksum,
        pack.bytes,
      );
      packs += 1 - Number(replaced);
    },
    shrinkTo(maxPacks) {
      if (packs <= maxPacks) return;
      const oldest = sql('DELETE FROM packs WHERE id IN (SELECT id FROM packs ORDER BY id LIMIT ?)');
      packs -= Number(oldest.run(packs - maxPacks).changes);
    },
    recount() {
      packs = count();
    },
  };
}

export function meansDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && DAMAGED.includes(code);
}

/** Whether a file that did not open is of no use as it is: damaged, or, without a code of SQLite's, of another version. */
export function isUnusable(error: unknown): boolean {
  const code = sqliteCode(error);
  if (code === undefined) return error instanceof StorageError && error.cause === undefined;
  return DAMAGED.includes(code) || code === OTHER_TABLES;
}

/** Of the error, or of what caused it. */
function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: number } | undefined)?.errcode;
  if (code !== undefined) return code & 0xff;
  return error instanceof Error && error.cause !== undefined ? sqliteCode(error.cause) : undefined;
}

/** Moves the file out of the way under another name; one put aside before gives way. */
export function putAside(path: string): string {
  const aside = `${path}.damaged`;
  renameSync(path, aside);
  for (const rest of ['-wal', '-shm']) rmSync(`${path}${rest}`, { force: true });
  return aside;
}
