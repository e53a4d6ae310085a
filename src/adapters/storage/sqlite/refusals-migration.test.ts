// Refusals from before they had columns of what was asked for: they are found as before.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RefusalFilter } from '../../../trading/intake/refusals.ts';
import { createRefusalStore } from '../sql/trading/refusal-store.ts';
import { openMigrated } from './database.ts';
import { TRADING } from './database-files.ts';
import { createReader } from './reader.ts';
import { directWriter } from './testing/direct-writer.ts';
import { earlierMigrations } from './testing/earlier-migrations.ts';
import { testFolder } from './testing/open-test-storage.ts';

const WITHOUT_COLUMNS = 28;
/** The body, and the order as it was read. */
const ROWS: readonly (readonly [id: string, body: string, order: string | null])[] = [
  [
    'read',
    '{}',
    '{"exchange":"bybit","account":"scalp","market":"ETHUSDT","symbol":"ETH/USDT","strategy":"trend","action":"LONG"}',
  ],
  ['main', '', '{"exchange":"binance","market":"BTCUSDT","symbol":"BTCUSDT","action":"CLOSE_LONG"}'],
  ['unread', '{"exchange":"Bybit","symbol":"BINANCE:eth/usdt.P","account":"7","strategy":7,"action":"LONG"}', null],
  ['ticker', '{"ticker":"btc_usdt","exchange":7}', null],
  ['words', 'LONG BTCUSDT', null],
];

test('refusals of an earlier version are found by what they asked for', async () => {
  const { dataDir, remove } = testFolder();
  const path = join(dataDir, TRADING.name);
  const older = openMigrated(path, earlierMigrations(dataDir, WITHOUT_COLUMNS));
  const insert =
    older.prepare(`INSERT INTO refusals (id, received_at, door, key_label, status, code, error, faults, body, key_id, source, signal_order)
    VALUES (?, 1, '/webhook', 'k', 400, 'X', 'no', '[]', ?, 'k', 'webhook', ?)`);
  for (const row of ROWS) insert.run(...row);
  older.close();
  const db = openMigrated(path, TRADING.migrations);
  const searches = createReader(path);
  const store = createRefusalStore({ writer: directWriter(db, path), searches });
  const ids = async (filter: Partial<RefusalFilter>) =>
    (await store.list({ limit: 9, ...filter }))?.map(({ id }) => id);
  const found = {
    bybit: await ids({ exchange: 'bybit' }),
    scalp: await ids({ account: 'scalp' }),
    main: await ids({ account: 'main' }),
    eth: await ids({ market: 'ETHUSDT' }),
    btc: await ids({ market: 'BTCUSDT' }),
    trend: await ids({ strategy: 'trend' }),
    seven: await ids({ strategy: '7' }),
    long: await ids({ action: 'LONG' }),
  };
  expect(found).toEqual({
    ...{ bybit: ['unread', 'read'], scalp: ['read'], main: ['words', 'ticker', 'main'], eth: ['unread', 'read'] },
    ...{ btc: ['ticker', 'main'], trend: ['read'], seven: ['unread'], long: ['read'] },
  });
  await searches.close();
  db.close();
  remove();
});
