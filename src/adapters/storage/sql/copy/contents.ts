// What a table holds, as a number of rows and a checksum of their values: the same on both engines where they hold the same.

import { hash } from 'node:crypto';
import type { SqlValue } from '../sql.ts';
import { keyOf, PAGE_LIMITS, readPage } from './pages.ts';
import type { ReadSide, Table } from './sides.ts';

export interface Contents {
  readonly rows: number;
  readonly checksum: string;
}

const CHECKSUM_BITS = 128;

/** Digests of rows are added up, so that the order does not matter in which an engine gives them. */
export async function contentsOf(
  side: ReadSide,
  table: Table,
  onRows: (rows: number) => void = () => {},
): Promise<Contents> {
  let rows = 0;
  let sum = 0n;
  let after: readonly SqlValue[] | undefined;
  for (let isEnd = false; !isEnd; ) {
    const page = await readPage(side, table, after, PAGE_LIMITS);
    for (const row of page.rows) sum += digestOf(row);
    rows += page.rows.length;
    after = keyOf(table, page.rows.at(-1)) ?? after;
    isEnd = page.isEnd;
    onRows(page.rows.length);
  }
  const digits = BigInt.asUintN(CHECKSUM_BITS, sum).toString(16);
  return { rows, checksum: digits.padStart(CHECKSUM_BITS / 4, '0') };
}

const digestOf = (row: readonly SqlValue[]): bigint =>
  BigInt(`0x${hash('sha256', JSON.stringify(row.map(plain))).slice(0, CHECKSUM_BITS / 4)}`);

/** Bytes look like no text, and neither do numbers that JSON has no word for. */
function plain(value: SqlValue): unknown {
  if (typeof value === 'string') return withoutNul(value);
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  return typeof value === 'bigint' ? Number(value) : value;
}

/** PostgreSQL has no U+0000 in a text: there U+FFFD stands for it, and both count as the same. */
export const withoutNul = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);
