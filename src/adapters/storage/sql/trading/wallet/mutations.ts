// The wallet's writes as they run inside the writer's transaction. Amounts cross the thread as text: JSON has no whole numbers of
// any size.

import {
  assertStep,
  dayOf,
  type Entry,
  type EntryState,
  type NewEntry,
  type Reservation,
} from '../../../../../wallet/ledger.ts';
import type { Sql, SqlReads } from '../../sql.ts';
import { type AttemptColumns, attemptOf, entryOf, type NewEntryColumns } from './rows.ts';

/** How entries are read, in the writer's transaction and beside it. */
export function entryReads({ all }: Pick<SqlReads, 'all'>) {
  const many = async (where: string, ...values: (string | number)[]): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (const row of await all(`SELECT wallet_entries.* FROM wallet_entries ${where}`, ...values)) {
      const attempts = await all('SELECT * FROM wallet_attempts WHERE entry_id = ? ORDER BY number', row.id as string);
      entries.push(entryOf(row, attempts.map(attemptOf)));
    }
    return entries;
  };
  return {
    many,
    byClaim: async (key: string): Promise<Entry | undefined> =>
      (
        await many(
          'JOIN wallet_claims ON wallet_claims.entry_id = wallet_entries.id WHERE wallet_claims.idempotency_key = ?',
          key,
        )
      )[0],
    /** On this day and on those that lie ahead. */
    async spentWei(chain: string, sender: string, day: number): Promise<bigint> {
      const where = 'chain = ? AND sender = ? AND day >= ?';
      const rows = await all(`SELECT wei FROM wallet_spending WHERE ${where}`, chain, sender, day);
      return rows.reduce((sum, { wei }) => sum + BigInt(wei as string), 0n);
    },
  };
}

async function existing(sql: Sql, id: string): Promise<Entry> {
  const [entry] = await entryReads(sql).many('WHERE id = ?', id);
  if (entry === undefined) throw new Error(`the wallet's ledger has no row ${id}`);
  return entry;
}

async function addSpending(
  sql: Sql,
  { chain, from, atMs }: Pick<NewEntry, 'chain' | 'from' | 'atMs'>,
  wei: bigint,
): Promise<void> {
  if (wei === 0n) return;
  const key = [chain, from, dayOf(atMs)] as const;
  const where = 'chain = ? AND sender = ? AND day = ?';
  const before = (await sql.get(`SELECT wei FROM wallet_spending WHERE ${where}`, ...key))?.wei ?? '0';
  await sql.run(
    `INSERT INTO wallet_spending (chain, sender, day, wei) VALUES (?, ?, ?, ?)
    ON CONFLICT (chain, sender, day) DO UPDATE SET wei = excluded.wei`,
    ...key,
    (BigInt(before as string) + wei).toString(),
  );
}

export type WalletReserveArgs = readonly [entry: NewEntryColumns, dailyLimitWei: string | null];

export async function walletReserve(sql: Sql, [columns, dailyLimitWei]: WalletReserveArgs): Promise<Reservation> {
  const { byClaim, spentWei: spentSince } = entryReads(sql);
  const key = columns.idempotency_key;
  const original = key === null ? undefined : await byClaim(key);
  if (original !== undefined) return { kind: 'duplicate', original };
  const valueWei = BigInt(columns.value_wei);
  const spentWei = await spentSince(columns.chain, columns.sender, dayOf(columns.created_at));
  const isOver = dailyLimitWei !== null && valueWei > 0n && spentWei + valueWei > BigInt(dailyLimitWei);
  if (isOver) return { kind: 'over-daily-limit', spentWei };
  const names = Object.keys(columns);
  await sql.run(
    `INSERT INTO wallet_entries (${names.join()}, state) VALUES (${names.map(() => '?').join()}, 'reserved')`,
    ...Object.values(columns),
  );
  if (key !== null)
    await sql.run('INSERT INTO wallet_claims (idempotency_key, entry_id) VALUES (?, ?)', key, columns.id);
  const entry = await existing(sql, columns.id);
  await addSpending(sql, entry, valueWei);
  return { kind: 'reserved', entry };
}

export async function walletSigned(
  sql: Sql,
  [id, attempt]: readonly [id: string, attempt: AttemptColumns],
): Promise<Entry> {
  const before = await existing(sql, id);
  const state = before.state === 'sent' ? 'sent' : 'signed';
  assertStep(before.state, state);
  await sql.run(
    `INSERT INTO wallet_attempts (entry_id, hash, raw, nonce, max_fee, max_priority_fee, signed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
    id,
    attempt.hash,
    attempt.raw,
    attempt.nonce,
    attempt.max_fee,
    attempt.max_priority_fee,
    attempt.signed_at,
  );
  await sql.run(
    'UPDATE wallet_entries SET state = ?, nonce = ?, updated_at = ? WHERE id = ?',
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

export async function walletStep(
  sql: Sql,
  [{ id, atMs, state, mined, error }]: readonly [step: WalletStep],
): Promise<Entry> {
  const before = await existing(sql, id);
  assertStep(before.state, state);
  await sql.run('UPDATE wallet_entries SET state = ?, updated_at = ? WHERE id = ?', state, atMs, id);
  if (mined !== undefined) await sql.run('UPDATE wallet_entries SET mined = ? WHERE id = ?', mined, id);
  if (error !== undefined) await sql.run('UPDATE wallet_entries SET error = ? WHERE id = ?', error, id);
  if (state === 'dropped') {
    await sql.run('DELETE FROM wallet_claims WHERE entry_id = ?', id);
    await addSpending(sql, before, -before.call.valueWei);
  }
  return existing(sql, id);
}
