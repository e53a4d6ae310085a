// Analysis keys on SQLite: hashes only, durable when a call resolves, in a file of their own.
//
// A commit waits for the disk, and the whole process waits with it. So all calls that end in one turn of the event loop
// are counted in one commit: a busy minute costs the webhooks one short wait per turn, not one per call.

import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../../../errors/storage-error.ts';
import {
  type AnalysisKey,
  type AnalysisKeyStore,
  type CountedCall,
  type CountResult,
  countCall,
} from '../../../keys/analysis-key-store.ts';
import { DEFAULT_TIER, isTier } from '../../../keys/tiers.ts';
import type { Row } from '../sql/sql.ts';
import { openMigrated, queries, statements } from './database.ts';
import { assertKeyDatabase, hasPyneKeys, takeOverPyneKeys } from './pyne-keys.ts';
import { heartbeat, steps } from './transaction.ts';

const MIGRATIONS = new URL('./migrations/analysis-keys/', import.meta.url);

/** More customers than one embedded database should serve; beyond it the keys belong into a store for several machines. */
const MAX_KEYS = 100_000;

export interface AnalysisKeysOptions {
  readonly path: string;
  readonly maxKeys?: number;
}

interface WaitingCall {
  readonly keyHash: string;
  readonly call: CountedCall;
  readonly resolve: (result: CountResult) => void;
  readonly reject: (error: unknown) => void;
}

export function openAnalysisKeys({ path, maxKeys = MAX_KEYS }: AnalysisKeysOptions): AnalysisKeyStore {
  assertKeyDatabase(path);
  const db = openMigrated(path, MIGRATIONS);
  const { find, insert, count, remove, list } = keyTable(db, path, maxKeys);
  const inOneStep = steps(db, path);
  try {
    if (hasPyneKeys(db)) inOneStep(() => takeOverPyneKeys(db, path, (key) => find(key.keyHash) ?? insert(key)));
  } catch (error) {
    db.close();
    throw error;
  }
  const beat = heartbeat(db, path);
  const counts = createCountQueue((calls) => inOneStep(() => calls.map(count)));

  return {
    find: async (keyHash) => find(keyHash),
    add: async (key) => inOneStep(() => insert(key)),
    count: (keyHash, call) => counts.add(keyHash, call),
    revoke: async (keyId) => inOneStep(() => remove(keyId)),
    list: async (limit) => list(limit),
    async probe() {
      beat();
      return undefined;
    },
    async close() {
      counts.flush();
      if (db.isOpen) db.close();
    },
  };
}

/** Gathers the calls of one turn of the event loop and has them counted together. */
function createCountQueue(countAll: (calls: readonly WaitingCall[]) => readonly CountResult[]) {
  let waiting: WaitingCall[] = [];
  let turn: NodeJS.Immediate | undefined;
  const flush = (): void => {
    clearImmediate(turn);
    turn = undefined;
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      const results = countAll(calls);
      for (const [at, { resolve }] of calls.entries()) resolve(results[at] as CountResult);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  };
  return {
    flush,
    add(keyHash: string, call: CountedCall): Promise<CountResult> {
      const { promise, resolve, reject } = Promise.withResolvers<CountResult>();
      waiting.push({ keyHash, call, resolve, reject });
      turn ??= setImmediate(flush);
      return promise;
    },
  };
}

/** The statements; those that write expect to be inside a transaction. */
function keyTable(db: DatabaseSync, path: string, maxKeys: number) {
  const sql = statements(db);
  const all = queries(db, path);
  const keyOf = (row: Row): AnalysisKey => {
    // An unknown tier has no limit we know of, so such a key must not be let in.
    if (!isTier(row.tier))
      throw new StorageError(`${path} holds the key ${row.key_id} with an unknown tier; revoke it and make another`);
    return {
      keyId: row.key_id as string,
      keyHash: row.key_hash as string,
      tier: row.tier,
      callsUsed: row.calls_used as number,
      createdAtS: row.created_at as number,
      // A time of 0 was never a use; some tools write it for none.
      lastUsedS: row.last_used === 0 ? null : (row.last_used as number | null),
    };
  };
  const find = (keyHash: string): AnalysisKey | undefined =>
    all('SELECT * FROM analysis_keys WHERE key_hash = ?', keyHash).map(keyOf)[0];

  return {
    find,
    list: (limit: number) => all('SELECT * FROM analysis_keys ORDER BY created_at, key_id LIMIT ?', limit).map(keyOf),
    insert({ keyHash, keyId, tier, callsUsed, createdAtS, lastUsedS }: AnalysisKey): void {
      if (all('SELECT 1 FROM analysis_keys WHERE key_hash = ? OR key_id = ?', keyHash, keyId).length > 0)
        throw new StorageError(`${path} holds a key with the id ${keyId} already; make another`);
      if (Number(all('SELECT count(*) AS keys FROM analysis_keys')[0]?.keys) >= maxKeys)
        throw new StorageError(`${path} holds ${maxKeys} keys already; revoke some, or set STORE_BACKEND=redis`);
      sql(`INSERT INTO analysis_keys (key_hash, key_id, tier, calls_used, created_at, last_used)
        VALUES (?, ?, ?, ?, ?, ?)`).run(keyHash, keyId, tier, callsUsed, createdAtS, lastUsedS);
    },
    count({ keyHash, call }: WaitingCall): CountResult {
      const before = find(keyHash);
      if (before === undefined) return { counted: false, reason: 'missing' };
      const key = countCall(before, call);
      if (key === undefined) return { counted: false, reason: 'at-limit' };
      sql('UPDATE analysis_keys SET calls_used = ?, last_used = ? WHERE key_hash = ?').run(
        key.callsUsed,
        key.lastUsedS,
        keyHash,
      );
      return { counted: true, key };
    },
    remove(keyId: string): AnalysisKey | undefined {
      const [row] = all('SELECT * FROM analysis_keys WHERE key_id = ?', keyId);
      if (row === undefined) return undefined;
      sql('DELETE FROM analysis_keys WHERE key_id = ?').run(keyId);
      // A key with an unknown tier must be revocable too; what it was does not matter then.
      return keyOf({ ...row, tier: isTier(row.tier) ? row.tier : DEFAULT_TIER });
    },
  };
}
