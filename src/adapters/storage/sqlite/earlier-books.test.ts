// A journal written before this version: its ordinary fills get their events, and its positions go on from the average they had.

import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { decimal, product } from '../../../trading/decimal.ts';
import type { Row } from '../sql/sql.ts';
import { positionOf } from '../sql/trading/journal-rows.ts';
import { migrate } from './migrations.ts';
import { testFolder } from './testing/open-test-storage.ts';

const MIGRATIONS = new URL('./migrations/data/', import.meta.url);
/** 0.2.0 had these. */
const EARLIER = 6;

const ROWS = `
  INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange, account, action, symbol, market,
      quantity, state, order_id, executed_quantity, average_price) VALUES
    ('r1', 10, 30, 'webhook', 'k', 'binance', 'paper', 'LONG', 'ETHUSDT', 'ETHUSDT', '1', 'filled', 'o1', '1', '3017.85'),
    ('r2', 40, 60, 'webhook', 'k', 'binance', 'paper', 'LONG', 'ETHUSDT', 'ETHUSDT', '1', 'filled', 'o2', '1', '3017.86');
  INSERT INTO orders (client_order_id, trade_seq, leg, exchange, account, market, side, position_side, reduce_only,
      quantity, state, executed_quantity, fills, created_at, updated_at, sent_after_step) VALUES
    ('c1', 1, 'open', 'binance', 'paper', 'ETHUSDT', 'BUY', 'LONG', 0, '1', 'filled', '1', '', 20, 30, 0),
    ('c2', 2, 'open', 'binance', 'paper', 'ETHUSDT', 'BUY', 'LONG', 0, '1', 'filled', '1', '', 50, 60, 1);
  INSERT INTO events VALUES (1, 1, 35, 'notified', 'delivered'), (2, 1, 45, 'quantity-rounded', '1.5 to 1'),
    (2, 2, 60, 'filled', 'o2, 1 at 3017.86'), (0, 1, 5, 'position-adopted', 'x');
  INSERT INTO positions VALUES ('binance', 'paper', 'ETHUSDT', 'LONG', '2', '3017.854999999997', '0', '0.1', 60);`;

test('events of earlier trades are complete and in order, and an average without its cost is taken as it is', () => {
  const folder = testFolder();
  const earlier = join(folder.dataDir, 'migrations');
  mkdirSync(earlier, { recursive: true });
  for (const name of readdirSync(MIGRATIONS).sort().slice(0, EARLIER))
    copyFileSync(new URL(name, MIGRATIONS), join(earlier, name));
  const db = new DatabaseSync(':memory:');
  migrate(db, pathToFileURL(`${earlier}/`), 'signalbox.db');
  db.exec(ROWS);
  migrate(db, MIGRATIONS, 'signalbox.db');
  const told = db.prepare('SELECT * FROM events ORDER BY trade_seq, step').all();
  expect(told.map(({ trade_seq, step, at, kind, detail }) => [trade_seq, step, at, kind, detail])).toEqual([
    [0, 1, 5, 'position-adopted', 'x'],
    [1, 1, 10, 'accepted', null],
    [1, 2, 20, 'sending', 'open'],
    [1, 3, 30, 'filled', 'o1, 1 at 3017.85'],
    [1, 4, 35, 'notified', 'delivered'],
    [2, 1, 40, 'accepted', null],
    [2, 2, 45, 'quantity-rounded', '1.5 to 1'],
    [2, 3, 50, 'sending', 'open'],
    [2, 4, 60, 'filled', 'o2, 1 at 3017.86'],
  ]);
  const [position] = (db.prepare('SELECT * FROM positions').all() as Row[]).map(positionOf);
  expect(position?.cost).toBe(product(decimal('2'), decimal('3017.854999999997')));
  expect(position?.entryPrice).toBe(decimal('3017.854999999997'));
  db.close();
  folder.remove();
});
