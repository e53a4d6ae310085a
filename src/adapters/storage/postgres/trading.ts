// The trading database as a schema of PostgreSQL, and every port it serves.

import { type FencedError, StorageError } from '../../../errors/storage-error.ts';
import { LATE_AT_MOST_MS, LEASE_MS, type Lease } from '../../../trading/leases.ts';
import { type TradingStores, tradingStoresOn } from '../sql/trading/trading-stores.ts';
import { postgresReads } from './open-postgres.ts';
import { SCHEMAS } from './schemas.ts';
import { openWriter } from './writer.ts';

/**
 * Whoever trades ends by itself where the database says nothing for as long as a lease may be late. Until then a commit without an
 * answer is asked about: what nobody knew to be accepted would wait for the next start, while later signals are traded.
 */
const SETTLE_MS = LEASE_MS + LATE_AT_MOST_MS + 6000;
const NOBODY_KNOWS =
  'PostgreSQL does not say whether a signal was accepted; start Signalbox again: it is traded then if it was, before all later ones';

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
  /** Of whoever trades: nothing is written any more once somebody else has it. */
  lease?: Pick<Lease, 'name' | 'token'> | undefined;
  /** Somebody else has the lease; this storage stores nothing from now on, and is to be closed. Called once. */
  onFenced?: ((error: FencedError) => void) | undefined;
  settleMs?: number;
}): Promise<TradingStorage> {
  const { url, schema = SCHEMAS.trading.schema, nowMs, onDeath, lease, onFenced, settleMs = SETTLE_MS } = options;
  const fence = lease && { schema: SCHEMAS.trading.schema, name: lease.name, token: lease.token };
  const database = { url, schema, migrations: SCHEMAS.trading.migrations.href, fence, settleMs };
  const writer = await openWriter(database, { onDeath, onFenced });
  const { reads, searches, close } = postgresReads(url, schema);
  const onUnclearAcceptance = (cause: Error): void => onDeath(new StorageError(NOBODY_KNOWS, { cause }));
  const stores = await tradingStoresOn({ writer, reads, searches, nowMs, onUnclearAcceptance }).catch(
    async (error: unknown) => {
      await close();
      await writer.close();
      throw error;
    },
  );
  return {
    ...stores,
    exclusively: (work) => writer.exclusively(work),
    commits: () => writer.commits(),
    async close() {
      await close();
      await writer.close();
    },
  };
}
