// Which rows leave the journal together, how they are read, and the digest by which two readings of them are compared.

import { createHash } from 'node:crypto';
import type { ArchivedKind, ArchivedTable, ArchivedValue } from '../../../../../trading/books/journal-archive.ts';
import type { Searches, Sql } from '../../sql.ts';

interface ArchivedPart {
  readonly table: string;
  /** Its first value is the list of numbers. */
  readonly where: string;
  readonly key: string;
}

const NUMBERS = '(SELECT CAST(value AS BIGINT) FROM json_each(?1))';

/** Of an order that we sent, and of one that the venue forced, which is named like its trade. */
const paperOrdersAs = (columns: (id: string) => string): string => `(
    SELECT ${columns('client_order_id')} FROM orders WHERE trade_seq IN ${NUMBERS} AND mode = 'paper'
    UNION SELECT ${columns('request_id')} FROM trades WHERE seq IN ${NUMBERS} AND mode = 'paper')`;

/** The id once more by itself: SQLite looks through every row for three columns at once. */
const OF_PAPER_ORDERS = `client_order_id IN ${paperOrdersAs((id) => id)}
  AND (client_order_id, exchange, account) IN ${paperOrdersAs((id) => `${id}, exchange, account`)}`;

const numbered = (table: string): ArchivedPart => ({ table, where: `seq IN ${NUMBERS}`, key: 'seq' });
const ofTrade = (table: string, key: string): ArchivedPart => ({ table, where: `trade_seq IN ${NUMBERS}`, key });

/** In the order in which they are deleted: those last by which others are found. */
const PARTS: Readonly<Record<ArchivedKind, readonly ArchivedPart[]>> = {
  trades: [
    { table: 'paper_orders', where: OF_PAPER_ORDERS, key: 'client_order_id, exchange, account' },
    ofTrade('stored_events', 'trade_seq, step'),
    ofTrade('trade_notes', 'trade_seq'),
    ofTrade('trade_tags', 'trade_seq, tag'),
    ofTrade('orders', 'trade_seq, leg'),
    numbered('trades'),
  ],
  refusals: [numbered('refusals')],
  desk_events: [numbered('desk_events')],
  trade_signals: [numbered('trade_signals')],
};

export async function readRows(
  { all }: Searches,
  of: ArchivedKind,
  seqs: readonly number[],
): Promise<readonly ArchivedTable[]> {
  const tables: ArchivedTable[] = [];
  for (const { table, where, key } of PARTS[of])
    tables.push({
      table,
      rows: await all(`SELECT * FROM ${table} WHERE ${where} ORDER BY ${key}`, JSON.stringify(seqs)),
    });
  return tables;
}

export async function deleteRows(sql: Sql, of: ArchivedKind, seqs: readonly number[]): Promise<void> {
  for (const { table, where } of PARTS[of]) await sql.run(`DELETE FROM ${table} WHERE ${where}`, JSON.stringify(seqs));
}

/** The same on every engine: columns by their names, bytes as digits. */
export function digestOf(tables: readonly ArchivedTable[]): string {
  const digest = createHash('sha256');
  for (const { table, rows } of tables) {
    digest.update(`${table} ${rows.length}\n`);
    for (const row of rows) {
      const columns = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
      digest.update(`${JSON.stringify(columns.map(([name, value]) => [name, plain(value)]))}\n`);
    }
  }
  return digest.digest('hex');
}

const plain = (value: ArchivedValue): unknown =>
  value instanceof Uint8Array
    ? { hex: Buffer.from(value).toString('hex') }
    : typeof value === 'bigint'
      ? Number(value)
      : value;
