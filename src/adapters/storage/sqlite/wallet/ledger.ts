// The wallet's ledger on SQLite, in a file of its own: each step is one transaction, on disk when it resolves.

import { join } from 'node:path';
import type { Address } from '../../../../wallet/chain.ts';
import {
  assertStep,
  dayOf,
  type Entry,
  type EntryStep,
  type Ledger,
  LIVE_STATES,
  type NewEntry,
  type Reservation,
} from '../../../../wallet/ledger.ts';
import { openMigrated, queries, type Row, statements } from '../database.ts';
import { heartbeat, steps } from '../transaction.ts';
import { attemptOf, entryColumns, entryOf, minedText } from './rows.ts';

export const WALLET_MIGRATIONS = new URL('./migrations/', import.meta.url);

const LIVE = LIVE_STATES.map((state) => `'${state}'`).join(', ');

export interface WalletStorage {
  readonly ledger: Ledger;
  readonly path: string;
  /** Really reads and writes; for readiness. */
  probe(): void;
  close(): void;
}

export interface WalletStorageOptions {
  readonly dataDir: string;
  /** How the file is opened; tests look at the connection. */
  readonly open?: typeof openMigrated;
}

export function openWalletStorage({ dataDir, open = openMigrated }: WalletStorageOptions): WalletStorage {
  const path = join(dataDir, 'wallet.db');
  const db = open(path, WALLET_MIGRATIONS);
  const sql = statements(db);
  const all = queries(db, path);
  const inOneStep = steps(db, path);

  const withAttempts = (row: Row): Entry =>
    entryOf(row, all('SELECT * FROM attempts WHERE entry_id = ? ORDER BY number', row.id as string).map(attemptOf));
  const one = (where: string, ...params: (string | number)[]): Entry | undefined =>
    all(`SELECT entries.* FROM entries ${where}`, ...params).map(withAttempts)[0];
  const byClaim = (key: string) =>
    one('JOIN claims ON claims.entry_id = entries.id WHERE claims.idempotency_key = ?', key);
  function existing(id: string): Entry {
    const entry = one('WHERE id = ?', id);
    if (entry === undefined) throw new Error(`the wallet's ledger has no row ${id}`);
    return entry;
  }

  function spent(chain: string, sender: string, day: number): bigint {
    const rows = all('SELECT wei FROM spending WHERE chain = ? AND sender = ? AND day >= ?', chain, sender, day);
    return rows.reduce((sum, { wei }) => sum + BigInt(wei as string), 0n);
  }

  function addSpending({ chain, from, atMs }: NewEntry, wei: bigint): void {
    if (wei === 0n) return;
    const key = [chain, from, dayOf(atMs)] as const;
    const before = sql('SELECT wei FROM spending WHERE chain = ? AND sender = ? AND day = ?').get(...key)?.wei ?? '0';
    sql('INSERT OR REPLACE INTO spending (chain, sender, day, wei) VALUES (?, ?, ?, ?)').run(
      ...key,
      (BigInt(before as string) + wei).toString(),
    );
  }

  function reserve(entry: NewEntry, dailyLimitWei: bigint | undefined): Reservation {
    const { idempotencyKey, chain, from, call } = entry;
    const original = idempotencyKey === undefined ? undefined : byClaim(idempotencyKey);
    if (original !== undefined) return { kind: 'duplicate', original };
    const spentWei = spent(chain, from, dayOf(entry.atMs));
    const isOver = dailyLimitWei !== undefined && call.valueWei > 0n && spentWei + call.valueWei > dailyLimitWei;
    if (isOver) return { kind: 'over-daily-limit', spentWei };
    sql(`INSERT INTO entries (id, request_id, idempotency_key, chain, sender, operation, call_to, value_wei, data,
        gas_limit, nonce, details, created_at, updated_at, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'reserved')`).run(...entryColumns(entry));
    if (idempotencyKey !== undefined)
      sql('INSERT INTO claims (idempotency_key, entry_id) VALUES (?, ?)').run(idempotencyKey, entry.id);
    addSpending(entry, call.valueWei);
    return { kind: 'reserved', entry: existing(entry.id) };
  }

  function step({ id, atMs, state, mined, error }: EntryStep): Entry {
    const before = existing(id);
    assertStep(before.state, state);
    sql('UPDATE entries SET state = ?, updated_at = ? WHERE id = ?').run(state, atMs, id);
    if (mined !== undefined)
      sql('UPDATE entries SET mined = ? WHERE id = ?').run(mined === null ? null : minedText(mined), id);
    if (error !== undefined) sql('UPDATE entries SET error = ? WHERE id = ?').run(error, id);
    if (state === 'dropped') {
      sql('DELETE FROM claims WHERE entry_id = ?').run(id);
      addSpending(before, -before.call.valueWei);
    }
    return existing(id);
  }

  const ledger: Ledger = {
    reserve: async (entry, dailyLimitWei) => inOneStep(() => reserve(entry, dailyLimitWei)),
    signed: async (id, attempt) =>
      inOneStep(() => {
        const before = existing(id);
        const state = before.state === 'sent' ? 'sent' : 'signed';
        assertStep(before.state, state);
        sql(`INSERT INTO attempts (entry_id, hash, raw, nonce, max_fee, max_priority_fee, signed_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)`).run(
          id,
          attempt.hash,
          attempt.raw,
          attempt.nonce,
          attempt.maxFeePerGas.toString(),
          attempt.maxPriorityFeePerGas.toString(),
          attempt.signedAtMs,
        );
        sql('UPDATE entries SET state = ?, nonce = ?, updated_at = ? WHERE id = ?').run(
          state,
          attempt.nonce,
          attempt.signedAtMs,
          id,
        );
        return existing(id);
      }),
    step: async (taken) => inOneStep(() => step(taken)),
    async live(chain, from) {
      const where = `WHERE chain = ? AND sender = ? AND state IN (${LIVE}) ORDER BY nonce`;
      return all(`SELECT * FROM entries ${where}`, chain, from).map(withAttempts);
    },
    async liveSenders(chain) {
      const rows = all(`SELECT DISTINCT sender FROM entries WHERE chain = ? AND state IN (${LIVE})`, chain);
      return rows.map(({ sender }) => sender as Address);
    },
    byHash: async (chain, hash) =>
      one(
        `JOIN attempts ON attempts.entry_id = entries.id
        WHERE entries.chain = ? AND attempts.hash = ? ORDER BY attempts.number DESC LIMIT 1`,
        chain,
        hash,
      ),
    byClaim: async (key) => byClaim(key),
    async list({ chain, limit, belowSeq = Number.MAX_SAFE_INTEGER }) {
      const where = 'WHERE chain = ? AND seq < ? ORDER BY seq DESC LIMIT ?';
      return all(`SELECT * FROM entries ${where}`, chain, belowSeq, limit).map(withAttempts);
    },
    spentWei: async (chain, from, day) => spent(chain, from, day),
  };

  return {
    ledger,
    path,
    probe: heartbeat(db, path),
    close: () => {
      if (db.isOpen) db.close();
    },
  };
}
