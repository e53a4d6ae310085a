// A folder from before protections guarded shares: every stop goes on guarding what it guarded, whole or divided.

import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decimal } from '../../../../trading/decimal.ts';
import type { Row } from '../../sql/sql.ts';
import { pendingStopOf, protectionOf } from '../../sql/trading/protection/rows.ts';
import { migrate } from '../migrations.ts';
import { type TestFolder, testFolder } from '../testing/open-test-storage.ts';

const MIGRATIONS = new URL('../migrations/data/', import.meta.url);
const NAMES = readdirSync(MIGRATIONS).sort();
const BEFORE = NAMES.findIndex((name) => name.endsWith('protection-of-shares.sql'));

let folder: TestFolder;
let db: DatabaseSync;
beforeEach(() => {
  folder = testFolder();
  db = new DatabaseSync(':memory:');
  const earlier = join(folder.dataDir, 'migrations');
  mkdirSync(earlier, { recursive: true });
  for (const name of NAMES.slice(0, BEFORE)) copyFileSync(new URL(name, MIGRATIONS), join(earlier, name));
  migrate(db, pathToFileURL(`${earlier}/`), 'signalbox.db');
});
afterEach(() => {
  db.close();
  folder.remove();
});

const all = (sql: string): Row[] => db.prepare(sql).all() as Row[];
const stop = (market: string, fired = 'NULL, NULL, NULL'): string =>
  `INSERT INTO protections VALUES ('binance', 'paper', 'main', '${market}', 'LONG', 1, 'r', '2', NULL, '95', '80', '150',
    '110.5', 9, 'close-${market}', ${fired});`;
const share = (market: string, side: string, strategy: string, quantity: string): string =>
  `INSERT INTO strategy_books VALUES ('binance', 'paper', 'main', '${market}', '${side}', '${strategy}', '${quantity}', '1',
    '0', '0', 1, '1');`;

test('a stop of an undivided position guards the nameless share, with all its levels, as far as it had got', () => {
  db.exec(stop('ETHUSDT', "'stop-loss', '80', 8"));
  migrate(db, MIGRATIONS, 'signalbox.db');
  expect(all('SELECT * FROM protections').map(protectionOf)).toEqual([
    {
      ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'ETHUSDT', side: 'LONG', strategy: '' },
      ...{ createdAtMs: 1, origin: 'r', seenUntilMs: 9, closeRequestId: 'close-ETHUSDT', peak: decimal('110.5') },
      ...{ trail: { percent: decimal('2') }, activationPrice: decimal('95') },
      ...{ stopLoss: decimal('80'), takeProfit: decimal('150') },
      fired: { by: 'stop-loss', level: decimal('80'), atMs: 8 },
    },
  ]);
});

test('a stop of a divided position guards each of its shares, with a request id of its own for each close', () => {
  db.exec(
    stop('ETHUSDT') +
      stop('BTCUSDT') +
      share('ETHUSDT', 'LONG', 'trend', '2') +
      share('ETHUSDT', 'LONG', '', '1') +
      share('ETHUSDT', 'LONG', 'gone', '0') +
      share('ETHUSDT', 'SHORT', 'range', '1'),
  );
  migrate(db, MIGRATIONS, 'signalbox.db');
  const found = all('SELECT * FROM protections ORDER BY market, strategy').map(protectionOf);
  expect(found.map(({ market, strategy }) => `${market} ${strategy}`)).toEqual([
    'BTCUSDT ',
    'ETHUSDT ',
    'ETHUSDT trend',
  ]);
  expect(found.every(({ stopLoss }) => stopLoss === decimal('80'))).toBe(true);
  const ids = found.map(({ closeRequestId }) => closeRequestId);
  expect(ids.slice(0, 2)).toEqual(['close-BTCUSDT', 'close-ETHUSDT']);
  expect(ids[2]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('what an entry asked for waits on', () => {
  db.exec("INSERT INTO pending_stops VALUES ('r', 3, '2', '80', '150')");
  migrate(db, MIGRATIONS, 'signalbox.db');
  expect(all('SELECT * FROM pending_stops').map(pendingStopOf)).toEqual([
    {
      ...{ requestId: 'r', createdAtMs: 3 },
      asked: {
        trail: { unit: 'percent', value: decimal('2') },
        stopLoss: { unit: 'price', value: decimal('80') },
        takeProfit: { unit: 'price', value: decimal('150') },
      },
    },
  ]);
});
