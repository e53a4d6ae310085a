// The stores in Redis over one connection. Import this file only where Redis is configured: nobody else pays for its client.

import type { AnalysisKeyStore } from '../../../keys/analysis-key-store.ts';
import type { KeyValueStore } from '../../../keys/key-value-store.ts';
import { openAnalysisKeys } from './analysis-keys.ts';
import { connectRedis, type RedisConnectionOptions } from './connect.ts';
import { openKeyValues } from './key-values.ts';

export interface RedisStores {
  /** Host and port, for people. */
  readonly where: string;
  readonly analysisKeys: AnalysisKeyStore;
  readonly keyValues: KeyValueStore;
  /** Really writes and reads; rejects with the reason when Redis cannot be used. */
  probe(): Promise<void>;
  /** Closes both stores, then the connection. */
  close(): Promise<void>;
}

export interface OpenRedisOptions extends RedisConnectionOptions {
  readonly nowMs: () => number;
}

/**
 * Resolves also when Redis is not there: every call is rejected until it is, and nobody has to restart anything then.
 * Throws only for a wrong address; whoever wants to know how it stands asks `probe`.
 */
export async function openRedis(options: OpenRedisOptions): Promise<RedisStores> {
  const connection = await connectRedis(options);
  const analysisKeys = openAnalysisKeys({ connection });
  const keyValues = openKeyValues({ connection, nowMs: options.nowMs });
  return {
    where: connection.where,
    analysisKeys,
    keyValues,
    probe: connection.probe,
    async close() {
      await Promise.all([analysisKeys.close(), keyValues.close()]);
      await connection.close();
    },
  };
}
