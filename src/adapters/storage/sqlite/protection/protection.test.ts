// Protections on SQLite keep the promises of their ports, and an entry whose stops cannot be stored is not stored either.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeProtections, type OpenProtections } from '../../../../../tests/ports/protection-suite.ts';
import { newTrade } from '../../../../../tests/ports/sample-trades.ts';
import { StorageError } from '../../../../errors/storage-error.ts';
import { decimal } from '../../../../trading/decimal.ts';
import { priceLevel } from '../../../../trading/level.ts';
import { SqlJournal } from '../../sql/trading/journal.ts';
import { createProtectionStores } from '../../sql/trading/protection/protection.ts';
import { openMigrated } from '../database.ts';
import { TRADING } from '../database-files.ts';
import { readsOf } from '../sql.ts';
import { directWriter } from '../testing/direct-writer.ts';
import { testFolder } from '../testing/open-test-storage.ts';

function openIn(dataDir: string) {
  const path = join(dataDir, TRADING.name);
  const db = openMigrated(path, TRADING.migrations);
  const parts = { writer: directWriter(db, path), reads: readsOf(db, path), nowMs: () => 7 };
  const searches = { all: async () => [] };
  return { db, ...createProtectionStores(parts), journal: new SqlJournal({ ...parts, searches }) };
}

async function open(): Promise<OpenProtections & Pick<ReturnType<typeof openIn>, 'db'>> {
  const folder = testFolder();
  let opened = openIn(folder.dataDir);
  return {
    ...opened,
    async reopen() {
      opened.db.close();
      opened = openIn(folder.dataDir);
      return opened;
    },
    async close() {
      opened.db.close();
      folder.remove();
    },
  };
}

describeProtections('protections on SQLite', open);

test('what an entry asks for takes its entry with it when it cannot be stored', async () => {
  const { db, journal, close } = await open();
  db.exec("CREATE TRIGGER none BEFORE INSERT ON pending_stops BEGIN SELECT RAISE(ABORT, 'no room'); END");
  const trade = newTrade({ order: { protect: { stopLoss: priceLevel(decimal('1')) } } });
  await expect(journal.accept(trade, 0)).rejects.toThrow(StorageError);
  expect(await journal.trade(trade.requestId)).toBeUndefined();
  await close();
});
