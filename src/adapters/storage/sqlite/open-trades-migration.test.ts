// A folder from before open_trades held every trade without an end: those behind the recovery mark are taken over.

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { TRADING } from './database-files.ts';
import { migrate } from './migrations.ts';
import { earlierMigrations } from './testing/earlier-migrations.ts';
import { testFolder } from './testing/open-test-storage.ts';

const WITH_A_MARK = 27;
const STATES = [
  ...['filled', 'submitted', 'partially_filled', 'unknown', 'rejected'],
  ...['accepted', 'filled', 'sending', 'unknown', 'canceled', 'expired', 'accepted'],
];
const MARK = 6;

test('every trade without an end is open, those before the mark as they were', () => {
  const { dataDir, remove } = testFolder();
  const db = new DatabaseSync(':memory:');
  migrate(db, earlierMigrations(dataDir, WITH_A_MARK), 'signalbox.db');
  const insert =
    db.prepare(`INSERT INTO trades (request_id, received_at, updated_at, source, key_label, exchange, mode, action, symbol, market,
    quantity, state, executed_quantity) VALUES (?, 1, 1, 'webhook', 'k', 'binance', 'paper', 'LONG', 'X', 'X', '1', ?, '0')`);
  for (const [index, state] of STATES.entries()) insert.run(`r${index + 1}`, state);
  db.exec(`INSERT INTO open_trades (seq) VALUES (2), (3), (4), (9); UPDATE recovery_mark SET seq = ${MARK}`);
  migrate(db, TRADING.migrations, 'signalbox.db');
  const open = db.prepare('SELECT seq FROM open_trades ORDER BY seq').all();
  expect(open.map(({ seq }) => seq)).toEqual([2, 3, 4, 6, 8, 9, 12]);
  db.close();
  remove();
});
