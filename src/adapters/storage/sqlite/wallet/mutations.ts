// The wallet's writes as they run inside the writer's transaction. Amounts cross the thread as text: JSON has no whole numbers of
// any size.

import {
  assertStep,
  dayOf,
  type Entry,
  type EntryState,
  type NewEntry,
  type Reservation,
} from '../../../../wallet/ledger.ts';
import type { Row, Sql } from '../database.ts';
import { type AttemptColumns, attemptOf, entryOf, type NewEntryColumns } from './rows.ts';

type All = (text: string, ...params: (string | number)[]) => Row[];

/** How entries are read, in the writer's transaction and beside it. */
export function entryReads(all: All) {
  const withAttempts = (row: Row): Entry =>
    entryOf(
      row,
      all('SELECT * FROM wallet_attempts WHERE entry_id = ? ORDER BY number', row.id as string).map(attemptOf),
    );
  const many = (where: string, ...params: (string | number)[]): Entry[] =>
    all(`SELECT wallet_entries.* FROM wallet_entries ${where}`, ...params).map(withAttempts);
  return {
    many,
    byClaim: (key: string): Entry | undefined =>
      many(
        'JOIN wallet_claims ON wallet_claims.entry_id = wallet_entries.id WHERE wallet_claims.idempotency_key = ?',
        key,
      )[0],
    /** On this day and on those that lie ahead. */
    spentWei(chain: string, sender: string, day: number): bigint {
      const rows = all(
        'SELECT wei FROM wallet_spending WHERE chain = ? AND sender = ? AND day >= ?',
        chain,
        sender,
        day,
      );
      return rows.reduce((sum, { wei }) => sum + BigInt(wei as string), 0n);
    },
  };
}

const readsOf = (sql: Sql) => entryReads((text, ...params) => sql(text).all(...params) as Row[]);

function existing(sql: Sql, id: string): Entry {
  const [entry] = readsOf(sql).many('WHERE id = ?', id);
  if (entry === undefined) throw new Error(`the wallet's ledger has no row ${id}`);
  return entry;
}

function addSpending(sql: Sql, { chain, from, atMs }: Pick<NewEntry, 'chain' | 'from' | 'atMs'>, wei: bigint): void {
  if (wei === 0n) return;
  const key = [chain, from, dayOf(atMs)] as const;
  const where = 'chain = ? AND sender = ? AND day = ?';
  const before = sql(`SELECT wei FROM wallet_spending WHERE ${where}`).get(...key)?.wei ?? '0';
  sql('INSERT OR REPLACE INTO wallet_spending (chain, sender, day, wei) VALUES (?, ?, ?, ?)').run(
    ...key,
    (BigInt(before as string) + wei).toString(),
  );
}

export type WalletReserveArgs = readonly [entry: NewEntryColumns, dailyLimitWei: string | null];

export function walletReserve(sql: Sql, [columns, dailyLimitWei]: WalletReserveArgs): Reservation {
  const { byClaim, spentWei: spentSince } = readsOf(sql);
  const key = columns.idempotency_key;
  const original = key === null ? undefined : byClaim(key);
  if (original !== undefined) return { kind: 'duplicate', original };
  const valueWei = BigInt(columns.value_wei);
  const spentWei = spentSince(columns.chain, columns.sender, dayOf(columns.created_at));
  const isOver = dailyLimitWei !== null && valueWei > 0n && spentWei + valueWei > BigInt(dailyLimitWei);
  if (isOver) return { kind: 'over-daily-limit', spentWei };
  const names = Object.keys(columns);
  sql(`INSERT INTO wallet_entries (${names.join()}, state) VALUES (${names.map(() => '?').join()}, 'reserved')`).run(
    ...Object.values(columns),
  );
  if (key !== null) sql('INSERT INTO wallet_claims (idempotency_key, entry_id) VALUES (?, ?)').run(key, columns.id);
  const entry = existing(sql, columns.id);
  addSpending(sql, entry, valueWei);
  return { kind: 'reserved', entry };
}

export function walletSigned(sql: Sql, [id, attempt]: readonly [id: string, attempt: AttemptColumns]): Entry {
  const before = existing(sql, id);
  const state = before.state === 'sent' ? 'sent' : 'signed';
  assertStep(before.state, state);
  sql(`INSERT INTO wallet_attempts (entry_id, hash, raw, nonce, max_fee, max_priority_fee, signed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`).run(
    id,
    attempt.hash,
    attempt.raw,
    attempt.nonce,
    attempt.max_fee,
    attempt.max_priority_fee,
    attempt.signed_at,
  );
  sql('UPDATE wallet_entries SET state = ?, nonce = ?, updated_at = ? WHERE id = ?').run(
    state,
    attempt.nonce,
    attempt.signed_at,
    id,
  );
  return existing(sql, id);
}

/** Of `mined` and `error`, null takes away what is there and undefined leaves it. */
export interface WalletStep {
  readonly id: string;
  readonly atMs: number;
  readonly state: EntryState;
  readonly mined?: string | null;
  readonly error?: string | null;
}

export function walletStep(sql: Sql, [{ id, atMs, state, mined, error }]: readonly [step: WalletStep]): Entry {
  const before = existing(sql, id);
  assertStep(before.state, state);
  sql('UPDATE wallet_entries SET state = ?, updated_at = ? WHERE id = ?').run(state, atMs, id);
  if (mined !== undefined) sql('UPDATE wallet_entries SET mined = ? WHERE id = ?').run(mined, id);
  if (error !== undefined) sql('UPDATE wallet_entries SET error = ? WHERE id = ?').run(error, id);
  if (state === 'dropped') {
    sql('DELETE FROM wallet_claims WHERE entry_id = ?').run(id);
    addSpending(sql, before, -before.call.valueWei);
  }
  return existing(sql, id);
}
