// The databases of version 0.2.0 that were by themselves, made with the SQL files of that version, with a few rows in each table.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMigrated } from '../database.ts';
import { MOVED, type MovedDatabase } from '../database-files.ts';

const ROWS: Readonly<Record<string, string>> = {
  'protection.db': `INSERT INTO protections VALUES ('binance', 'paper', 'BTCUSDT', 'LONG', 1, 'r', '2', NULL, NULL, '80', '150', '110.5', 9, 'c', NULL, NULL, NULL),
      ('bybit', 'paper', 'ETHUSDT', 'SHORT', 1, NULL, NULL, '5', '90', NULL, NULL, NULL, 9, 'd', 'stop-loss', '95', 8);
    INSERT INTO wishes VALUES ('r2', 3, '2', '80', NULL);
    INSERT INTO drawdown VALUES ('binance:main', '2026-11-15', '100000', '99000.5', 7, '5')`,
  'wallet.db': `INSERT INTO entries VALUES (3, 'w1', 'r', 'k', 'ethereum', '0xa', 'send', '0xb', '1000000000000000000000001', '0x', '21000', 5, 'sent', '{}',
      NULL, NULL, 1, 2), (4, 'w2', 'r', NULL, 'polygon', '0xa', 'swap', '0xb', '0', '0x', '21000', 5, 'confirmed', '{}', '{"blockNumber":"5"}', 'e', 1, 2);
    INSERT INTO attempts VALUES (8, 'w1', '0x1', '0xraw', 5, '717897987691852588770249', '1', 9);
    INSERT INTO claims VALUES ('k', 'w1');
    INSERT INTO spending VALUES ('ethereum', '0xa', 5, '1000000000000000000000001')`,
  'agent.db': `INSERT INTO calls VALUES
    (7, 1000, 'r1', 'chat', 'openai', 'm', 'ok', 3, 4, 5, 0, 6), (9, 2000, 'r2', 'vision', 'google', 'n', 'timeout', 0, 0, NULL, 1, 60)`,
  'script_keys.db': `INSERT INTO key_values VALUES ('key:pn_1', '{"userId":"a"}', 99), ('owner:a', 'pn_1', 9007199254740991)`,
  'deployments.db': `INSERT INTO deployments VALUES (4, 'd1', 'a', 's', 2, 'n', 'BTC', 'BTCUSDT', '1m', 60000, '{}', '[{}]', 'running', 1, 2, NULL,
      3, 'e', 0, 5, 6, 'plot(close)'), (8, 'd2', 'b', 's', 1, 'n', 'ETH', 'ETHUSDT', '5m', 300000, '{}', '[]', 'failed', 1, 2, 7, 3, NULL, 3, 0, 0, '');
    INSERT INTO events VALUES (2, 'e1', 'd1', 60000, 0, 'buy', NULL, 'alert', 5), (3, 'e2', 'd1', 120000, 0, 'sell', 't', 'alert', 6);
    INSERT INTO outbox VALUES (11, 'e2', 'd1', 0, 1, 77), (12, 'e1', 'd1', 0, 0, 0);
    DELETE FROM outbox WHERE id = 12;
    INSERT INTO logs VALUES (5, 'd1', 1, 'run', 1, 'ran', 60000, NULL, 1.5), (6, 'd2', 2, 'error', 0, 'no', NULL, 'e1', NULL)`,
};

/** As a process leaves one that is killed: the rows are in the write-ahead log alone. */
function makeOne(dataDir: string, { name, migrations }: MovedDatabase): void {
  const elsewhere = mkdtempSync(join(tmpdir(), 'signalbox-old-'));
  const path = join(elsewhere, name);
  const db = openMigrated(path, migrations);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0');
  db.exec(ROWS[name] ?? '');
  for (const rest of ['', '-wal'])
    if (existsSync(`${path}${rest}`)) copyFileSync(`${path}${rest}`, join(dataDir, `${name}${rest}`));
  db.close();
  rmSync(elsewhere, { recursive: true });
}

export function makeOldDatabases(dataDir: string): void {
  for (const moved of MOVED) makeOne(dataDir, moved);
}
