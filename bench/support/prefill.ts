// Fills a stopped data folder with trades that look like ones traded: every table a trade touches gets its rows.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function prefillJournal(dataDir: string, rows: number): void {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'));
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  db.exec(`CREATE TEMP TABLE made AS
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    SELECT i, printf('00000000-%04x-7%03x-8000-%012x', i / 65536, i % 4096, i) AS id,
      'sbx0' || printf('%025d', i) || 'o' AS client_id, 1700000000000 + i AS at FROM n`);
  db.exec(`
    INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source, decision)
      SELECT id, at, 'BTCUSDT', 'LONG', 'webhook', 'accepted' FROM made;
    INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange, mode, action, symbol, market,
        quantity, idempotency_key, claim, state, order_id, executed_quantity, average_price)
      SELECT id, at, at + 1, 'webhook', 'default', 'bybit', 'paper', 'LONG', 'BTCUSDT', 'BTCUSDT', '0.01',
        lower(hex(randomblob(16))), randomblob(16), 'filled', 'paper-bybit-' || i, '0.01', '95000' FROM made;
    INSERT INTO orders (client_order_id, trade_seq, leg, exchange, mode, market, side, position_side, reduce_only,
        quantity, state, order_id, executed_quantity, average_price, fills, created_at, updated_at, sent_after_step)
      SELECT client_id, i, 'open', 'bybit', 'paper', 'BTCUSDT', 'BUY', 'LONG', 0, '0.01', 'filled',
        'paper-bybit-' || i, '0.01', '95000',
        '["paper-bybit-' || i || '-1","0.01","95000","0.4","0",1700000000000]' || char(10), at, at, 0 FROM made;
    INSERT INTO paper_orders (client_order_id, exchange, account, order_id, market, side, position_side, reduce_only, status,
        quantity, executed_quantity, average_price, fills, created_at, updated_at, submissions)
      SELECT client_id, 'bybit', 'main', 'paper-bybit-' || i, 'BTCUSDT', 'BUY', 'LONG', 0, 'filled', '0.01', '0.01', '95000',
        '["paper-bybit-' || i || '-1","0.01","95000","0.4","0",1700000000000]', at, at, 1 FROM made;
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE);`);
  db.close();
}
