// Protections and the drawdown guard's day on SQLite, in a file of their own: small, synchronous, whole when a call returns.

import { join } from 'node:path';
import { toText } from '../../../../trading/decimal.ts';
import type { DrawdownStore } from '../../../../trading/protection/drawdown-guard.ts';
import type { Protection } from '../../../../trading/protection/protection.ts';
import type { ProtectionStore } from '../../../../trading/protection/protection-store.ts';
import { openMigrated, queries, statements } from '../database.ts';
import { heartbeat, steps } from '../transaction.ts';
import { dayOf, protectionOf, textOf, wishOf } from './rows.ts';

export const PROTECTION_MIGRATIONS = new URL('./migrations/', import.meta.url);

export interface ProtectionStorage {
  readonly protections: ProtectionStore;
  readonly drawdown: DrawdownStore;
  readonly path: string;
  /** Really reads and writes; for readiness. */
  probe(): void;
  close(): void;
}

export function openProtectionStorage(dataDir: string): ProtectionStorage {
  const path = join(dataDir, 'protection.db');
  const db = openMigrated(path, PROTECTION_MIGRATIONS);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);

  /** Without waiting for the disk. A later durable step brings these to the disk too, for the log is written in order. */
  const relaxed = (work: () => void): void => {
    db.exec('PRAGMA synchronous = NORMAL');
    try {
      inOneStep(work);
    } finally {
      db.exec('PRAGMA synchronous = FULL');
    }
  };

  const insert = (protection: Protection): void => {
    const { trail, fired } = protection;
    sql(`INSERT OR REPLACE INTO protections (exchange, account, market, side, created_at, origin, trail_percent,
        trail_amount, activation_price, stop_loss, take_profit, peak, seen_until, close_request_id, fired_by, fired_level,
        fired_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      protection.exchange,
      protection.account,
      protection.market,
      protection.side,
      protection.createdAtMs,
      protection.origin ?? null,
      trail && 'percent' in trail ? toText(trail.percent) : null,
      trail && 'amount' in trail ? toText(trail.amount) : null,
      textOf(protection.activationPrice),
      textOf(protection.stopLoss),
      textOf(protection.takeProfit),
      textOf(protection.peak),
      protection.seenUntilMs,
      protection.closeRequestId,
      fired?.by ?? null,
      textOf(fired?.level),
      fired?.atMs ?? null,
    );
  };

  const protections: ProtectionStore = {
    load: () => ({
      protections: all('SELECT * FROM protections ORDER BY exchange, account, market, side').map(protectionOf),
      wishes: all('SELECT * FROM wishes ORDER BY created_at, request_id').map(wishOf),
    }),
    write: ({ save = [], remove = [], wishesOver = [] }, how) =>
      (how === 'durable' ? inOneStep : relaxed)(() => {
        for (const { exchange, account, market, side } of remove)
          sql('DELETE FROM protections WHERE exchange = ? AND account = ? AND market = ? AND side = ?').run(
            ...[exchange, account, market, side],
          );
        for (const protection of save) insert(protection);
        for (const requestId of wishesOver) sql('DELETE FROM wishes WHERE request_id = ?').run(requestId);
      }),
    addWish: ({ requestId, createdAtMs, levels: { trail, stopLoss, takeProfit } }) =>
      inOneStep(() => {
        const percent = trail && 'percent' in trail ? trail.percent : undefined;
        sql(`INSERT INTO wishes (request_id, created_at, trail_percent, stop_loss, take_profit)
          VALUES (?, ?, ?, ?, ?)`).run(requestId, createdAtMs, ...[percent, stopLoss, takeProfit].map(textOf));
      }),
  };

  const drawdown: DrawdownStore = {
    readDay: (account) => all('SELECT * FROM drawdown WHERE account = ?', account).map(dayOf)[0],
    writeDay: (account, { day, startEquity, lastEquity, lastSeenMs, trippedPercent }) =>
      inOneStep(() => {
        sql(`INSERT OR REPLACE INTO drawdown (account, day, start_equity, last_equity, last_seen, tripped_percent)
          VALUES (?, ?, ?, ?, ?, ?)`).run(
          ...[account, day, toText(startEquity), toText(lastEquity), lastSeenMs, textOf(trippedPercent)],
        );
      }),
  };

  return {
    protections,
    drawdown,
    path,
    probe: heartbeat(db, path),
    close: () => {
      if (db.isOpen) db.close();
    },
  };
}
