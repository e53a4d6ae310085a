// A small trading database without a gateway: a few rows to read, canaries to leave alone, and the two walls apart.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ran } from '../../src/adapters/storage/sql/query/messages.ts';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { runRead, runWrite } from '../../src/adapters/storage/sqlite/query/run-statement.ts';
import type { QueryValue, StatementKind } from '../../src/trading/books/data-query.ts';
import { digestOf, FIVE_SIGNALS, plantCanaries, SIGNAL_COLUMNS } from './asking.ts';

const LIMITS = { maxRows: 1000, maxBytes: 1024 * 1024, readMs: 5000, writeMs: 1000 };

const JOURNAL = `
  INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange, mode, action, symbol, market,
    quantity, state, executed_quantity) VALUES ('r1', 1, 2, 'webhook', 'default', 'bybit', 'paper', 'LONG', 'BTCUSDT',
    'BTCUSDT', '0.01', 'filled', '0.01');
  INSERT INTO orders (client_order_id, trade_seq, leg, exchange, mode, market, side, position_side, reduce_only,
    quantity, state, executed_quantity, fills, created_at, updated_at, sent_after_step)
    VALUES ('c1', 1, 'open', 'bybit', 'paper', 'BTCUSDT', 'BUY', 'LONG', 0, '0.01', 'filled', '0.01',
    '["f1","0.01","95000","0.4","0",1]' || char(10), 1, 2, 0);
  INSERT INTO positions VALUES ('bybit', 'paper', 'main', 'BTCUSDT', 'LONG', '0.01', '95000', '0', '0.4', 2, '950');
  INSERT INTO stored_events VALUES (1, 1, 1, 'notified', NULL);`;

export interface Scratch {
  readonly path: string;
  /** Of everything but the table that may be written. */
  digest(): string;
  /** As the door does it, but without the first wall; a write is committed. */
  runUnchecked(statement: StatementKind, sql: string, params: readonly QueryValue[]): Ran;
  /** On an ordinary connection that refuses nothing. */
  runUnguarded(sql: string, params: readonly string[]): unknown[];
  remove(): void;
}

export function openScratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-query-'));
  const path = join(folder, 'signalbox.db');
  const db = openMigrated(path, TRADING.migrations);
  const insert = db.prepare(`INSERT INTO trade_signals ${SIGNAL_COLUMNS} VALUES (?, ?, ?, ?, ?, ?)`);
  for (const row of FIVE_SIGNALS) insert.run(...row);
  db.exec(JOURNAL);
  db.close();
  plantCanaries(path);
  const plain = new DatabaseSync(path, { enableDoubleQuotedStringLiterals: true });
  return {
    path,
    digest: () => digestOf(path, ['trade_signals']),
    runUnchecked(statement, sql, params) {
      const job = { database: path, statement, sql, params, limits: LIMITS };
      if (statement === 'SELECT') return runRead(job);
      const ran = runWrite(job);
      return 'commit' in ran ? (ran.commit() as Ran) : ran;
    },
    runUnguarded: (sql, params) => plain.prepare(sql).all(...params),
    remove() {
      plain.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const textOf = (ran: Ran): string =>
  ran.kind === 'done' ? Buffer.concat(ran.resultsJson).toString() : ran.reason;
