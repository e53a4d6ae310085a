// The trading database as a schema of PostgreSQL, and every port it serves.

import { type TradingStores, tradingStoresOn } from '../sql/trading/trading-stores.ts';
import { postgresReads } from './open-postgres.ts';
import { TRADING_MIGRATIONS, TRADING_SCHEMA } from './trading-schema.ts';
import { openWriter } from './writer.ts';

export interface TradingStorage extends TradingStores {
  /** Runs the work while this process writes nothing. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  commits(): number;
  close(): Promise<void>;
}

export async function openTradingStorage(options: {
  url: string;
  /** Of a twin, its own. */
  schema?: string;
  nowMs: () => number;
  /** The writer thread cannot come back by itself: whoever runs the process must restart it. */
  onDeath: (error: Error) => void;
}): Promise<TradingStorage> {
  const { url, schema = TRADING_SCHEMA, nowMs, onDeath } = options;
  const writer = await openWriter({ url, schema, migrations: TRADING_MIGRATIONS.href }, onDeath);
  const { reads, searches, close } = postgresReads(url, schema);
  return {
    ...(await tradingStoresOn({ writer, reads, searches, nowMs })),
    exclusively: (work) => writer.exclusively(work),
    commits: () => writer.commits(),
    async close() {
      await close();
      await writer.close();
    },
  };
}
