// A folder from before accounts had names: everything in it is of the account main, and what was called account is the mode.

import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Row } from '../sql/sql.ts';
import { orderOf, positionOf, tradeOf } from '../sql/trading/journal-rows.ts';
import { dayOf, protectionOf } from '../sql/trading/protection/rows.ts';
import { migrate } from './migrations.ts';
import { earlierMigrations } from './testing/earlier-migrations.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

const MIGRATIONS = new URL('./migrations/data/', import.meta.url);
/** What 0.1.0 and 0.2.0 had, and the last one before names. */
const OF_0_1_0 = 4;
const OF_0_2_0 = 6;
const BEFORE_NAMES = 10;

const JOURNAL = `
  INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange, account, action, symbol, market,
      quantity, claim, state, executed_quantity) VALUES
    ('r1', 10, 30, 'webhook', 'k', 'binance', 'paper', 'LONG', 'ETHUSDT', 'ETHUSDT', '1', x'01', 'submitted', '0'),
    ('r2', 10, 30, 'webhook', 'k', 'bybit', 'live', 'LONG', 'ETHUSDT', 'ETHUSDT', '1', NULL, 'accepted', '0');
  INSERT INTO orders (client_order_id, trade_seq, leg, exchange, account, market, side, position_side, reduce_only,
      quantity, state, executed_quantity, fills, created_at, updated_at, sent_after_step) VALUES
    ('c1', 1, 'open', 'binance', 'paper', 'ETHUSDT', 'BUY', 'LONG', 0, '1', 'submitted', '0', '', 20, 30, 0),
    ('c2', 2, 'open', 'bybit', 'live', 'ETHUSDT', 'BUY', 'LONG', 0, '1', 'sending', '0',
      '["f1","1","2","0.1","0",25]' || char(10), 20, 30, 0);
  INSERT INTO positions (exchange, account, market, side, quantity, entry_price, realized_pnl, fees, updated_at) VALUES
    ('binance', 'paper', 'ETHUSDT', 'LONG', '2', '3000.5', '-1', '0.1', 60),
    ('binance', 'live', 'ETHUSDT', 'LONG', '1', '3000.5', '0', '0', 60);
  INSERT INTO paper_accounts VALUES ('binance', 7, '99999.5', 42, 55), ('mexc', 1, '100000', 1, 5);
  INSERT INTO paper_orders (client_order_id, exchange, order_id, market, side, position_side, reduce_only, status,
      quantity, price, executed_quantity, fills, created_at, updated_at, submissions) VALUES
    ('c1', 'binance', 'paper-binance-000041', 'ETHUSDT', 'BUY', 'LONG', 0, 'submitted', '1', '2000', '0', '', 20, 30, 2);
  INSERT INTO paper_positions (exchange, market, side, quantity, entry_price) VALUES
    ('binance', 'ETHUSDT', 'LONG', '2', '3000.5');
  INSERT INTO paper_leverages VALUES ('binance', 'ETHUSDT', 5);`;

const STOPS = `
  INSERT INTO protections VALUES ('binance', 'paper', 'ETHUSDT', 'LONG', 1, 'r', '2', NULL, NULL, '80', '150', '110.5', 9,
    'c', 'stop-loss', '95', 8);
  INSERT INTO drawdown_days VALUES ('binance:main', '2026-11-15', '100000', '99000.5', 7, '5');`;

let folder: TestFolder;
let db: DatabaseSync;
beforeEach(() => {
  folder = testFolder();
  db = new DatabaseSync(':memory:');
});
afterEach(() => {
  db.close();
  folder.remove();
});

/** The database of a version that had so many migrations, with these rows, brought to the present. */
function upgraded(count: number, rows: string): void {
  migrate(db, earlierMigrations(folder.dataDir, count), 'signalbox.db');
  db.exec(rows);
  migrate(db, MIGRATIONS, 'signalbox.db');
}

const all = (sql: string): Row[] => db.prepare(sql).all() as Row[];

test.each([
  ['0.1.0', OF_0_1_0],
  ['0.2.0', OF_0_2_0],
  ['the version before', BEFORE_NAMES],
])('a journal of %s: trades, orders and positions are of main, in the mode they had', (_, count) => {
  upgraded(count, JOURNAL);
  const trades = all('SELECT * FROM current_trades ORDER BY seq');
  expect(trades.map(tradeOf)).toMatchObject([
    { requestId: 'r1', mode: 'paper', account: 'main', state: 'submitted' },
    { requestId: 'r2', mode: 'live', account: 'main', state: 'sending' },
  ]);
  expect(all('SELECT * FROM orders ORDER BY trade_seq').map(orderOf)).toMatchObject([
    { clientOrderId: 'c1' },
    { clientOrderId: 'c2' },
  ]);
  expect(all('SELECT mode, account FROM orders ORDER BY trade_seq').map((row) => ({ ...row }))).toEqual([
    { mode: 'paper', account: 'main' },
    { mode: 'live', account: 'main' },
  ]);
  expect(all('SELECT * FROM positions ORDER BY mode DESC').map(positionOf)).toMatchObject([
    { mode: 'paper', account: 'main', market: 'ETHUSDT', quantity: 2_000_000_000_000n },
    { mode: 'live', account: 'main', quantity: 1_000_000_000_000n },
  ]);
  expect(all('SELECT fill_id, price FROM fills').map((row) => ({ ...row }))).toEqual([{ fill_id: 'f1', price: '2' }]);
  expect(all('SELECT kind FROM events WHERE trade_seq = 1').map(({ kind }) => kind)).toEqual(['accepted', 'sending']);
  // A claim stays claimed.
  expect(() =>
    db.exec(`INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange, mode, action, symbol,
      market, quantity, claim, state, executed_quantity)
      VALUES ('r3', 1, 1, 's', 'k', 'binance', 'paper', 'LONG', 'E', 'E', '1', x'01', 'accepted', '0')`),
  ).toThrow(/UNIQUE/);
});

test('the paper books go on as the account main: money, numbers, orders, positions, leverage', () => {
  upgraded(OF_0_2_0, JOURNAL);
  const rows = (table: string) => all(`SELECT * FROM ${table} ORDER BY exchange`).map((row) => ({ ...row }));
  expect(rows('paper_accounts')).toEqual([
    {
      exchange: 'binance',
      account: 'main',
      version: 7,
      balance: '99999.5',
      next_order_number: 42,
      matched_until: expect.any(Number),
    },
    {
      exchange: 'mexc',
      account: 'main',
      version: 1,
      balance: '100000',
      next_order_number: 1,
      matched_until: expect.any(Number),
    },
  ]);
  expect(rows('paper_orders')).toMatchObject([
    { client_order_id: 'c1', account: 'main', order_id: 'paper-binance-000041', status: 'submitted', submissions: 2 },
  ]);
  expect(rows('paper_positions')).toMatchObject([
    { account: 'main', quantity: '2', entry_price: '3000.5', cost: null },
  ]);
  expect(rows('paper_leverages')).toMatchObject([{ account: 'main', market: 'ETHUSDT', leverage: 5 }]);
});

test('stops and the day of the drawdown guard are of main too', () => {
  upgraded(BEFORE_NAMES, JOURNAL + STOPS);
  expect(all('SELECT * FROM protections').map(protectionOf)).toMatchObject([
    { mode: 'paper', account: 'main', side: 'LONG', closeRequestId: 'c', fired: { by: 'stop-loss' } },
  ]);
  const [day] = all("SELECT * FROM drawdown_days WHERE account = 'binance:main' AND mode = 'paper'");
  expect(day && dayOf(day).day).toBe('2026-11-15');
});
