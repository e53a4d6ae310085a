// The tables of packs, in the strangers' database.

import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../../sql/sql.ts';
import { openMigrated, statements } from '../database.ts';
import { STRANGERS } from '../database-files.ts';
import { Pack } from './pack.ts';

export interface PackTable {
  readonly db: DatabaseSync;
  seriesId(source: string, market: string, timeframeMs: number): number | undefined;
  addSeries(source: string, market: string, timeframeMs: number): number;
  /** By market, then from the smallest timeframe. */
  series(source: string): readonly { readonly id: number; readonly market: string; readonly timeframeMs: number }[];
  /** The numbers of a series' packs, in order. */
  numbers(seriesId: number): readonly number[];
  /** By number, those of [first, last] that are there and whole. */
  read(seriesId: number, first: number, last: number): Map<number, Pack>;
  write(seriesId: number, number: number, pack: Pack): void;
  /** Forgets the packs not written for the longest time until so many are left. */
  shrinkTo(maxPacks: number): void;
  /** After a transaction that came to nothing. */
  recount(): void;
}

export function openPackTable(path: string): PackTable {
  const db = openMigrated(path, STRANGERS.migrations);
  // Bars may be lost with the power: they are fetched again. What other connections commit is synced by them all the same.
  // Checkpoints usually come much sooner than after these 128 MiB, and from another thread: see checkpoints.ts.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 32768');
  const sql = statements(db);
  const count = (): number => Number(sql('SELECT count(*) AS packs FROM bar_packs').get()?.packs);
  let packs = count();

  const seriesId: PackTable['seriesId'] = (source, market, timeframeMs) =>
    sql('SELECT id FROM bar_series WHERE source = ? AND market = ? AND timeframe_ms = ?').get(
      source,
      market,
      timeframeMs,
    )?.id as number | undefined;

  return {
    db,
    seriesId,
    addSeries(source, market, timeframeMs) {
      const known = seriesId(source, market, timeframeMs);
      if (known !== undefined) return known;
      const added = sql('INSERT INTO bar_series (source, market, timeframe_ms) VALUES (?, ?, ?)');
      return Number(added.run(source, market, timeframeMs).lastInsertRowid);
    },
    series(source) {
      const rows = sql(
        'SELECT id, market, timeframe_ms FROM bar_series WHERE source = ? ORDER BY market, timeframe_ms',
      );
      return (rows.all(source) as Row[]).map(({ id, market, timeframe_ms: timeframeMs }) => ({
        id: id as number,
        market: market as string,
        timeframeMs: timeframeMs as number,
      }));
    },
    numbers(id) {
      const rows = sql('SELECT number FROM bar_packs WHERE series_id = ? ORDER BY number').all(id) as Row[];
      return rows.map(({ number }) => number as number);
    },
    read(id, first, last) {
      const rows = sql('SELECT number, checksum, bars FROM bar_packs WHERE series_id = ? AND number BETWEEN ? AND ?');
      const found = new Map<number, Pack>();
      for (const { number, checksum, bars } of rows.all(id, first, last) as Row[]) {
        const pack = Pack.read(bars as Uint8Array, checksum as number);
        if (pack !== undefined) found.set(number as number, pack);
      }
      return found;
    },
    write(id, number, pack) {
      const replaced = sql('DELETE FROM bar_packs WHERE series_id = ? AND number = ?').run(id, number).changes;
      sql('INSERT INTO bar_packs (series_id, number, checksum, bars) VALUES (?, ?, ?, ?)').run(
        id,
        number,
        pack.checksum,
        pack.bytes,
      );
      packs += 1 - Number(replaced);
    },
    shrinkTo(maxPacks) {
      if (packs <= maxPacks) return;
      const oldest = sql('DELETE FROM bar_packs WHERE id IN (SELECT id FROM bar_packs ORDER BY id LIMIT ?)');
      packs -= Number(oldest.run(packs - maxPacks).changes);
    },
    recount() {
      packs = count();
    },
  };
}
