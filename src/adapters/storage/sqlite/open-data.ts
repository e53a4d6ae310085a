// Opens the trading database once and hands out every port it serves.

import { join } from 'node:path';
import { type TradingStores, tradingStoresOn } from '../sql/trading/trading-stores.ts';
import { openDatabase } from './database.ts';
import { TRADING } from './database-files.ts';
import { createReader } from './reader.ts';
import { readsOf } from './sql.ts';
import { openWriter } from './writer.ts';

export interface DataStorage extends TradingStores {
  readonly path: string;
  /** Runs the work while the journal writes nothing. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  commits(): number;
  close(): Promise<void>;
}

export async function openDataStorage(options: {
  dataDir: string;
  nowMs: () => number;
  /** The writer thread cannot come back by itself: whoever runs the process must restart it. */
  onDeath: (error: Error) => void;
}): Promise<DataStorage> {
  const path = join(options.dataDir, TRADING.name);
  const writer = await openWriter(path, TRADING.migrations, options.onDeath);
  const reader = openDatabase({ path, readOnly: true });
  const searches = createReader(path);
  return {
    ...(await tradingStoresOn({ writer, reads: readsOf(reader, path), searches, nowMs: options.nowMs })),
    path,
    exclusively: (work) => writer.exclusively(work),
    commits: () => writer.commits(),
    async close() {
      await searches.close();
      reader.close();
      await writer.close();
    },
  };
}
