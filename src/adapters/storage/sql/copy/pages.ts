// Reads a table by pages, in the order of its key. A page ends at so many rows or bytes, because the rows of some tables are long.

import type { SqlValue } from '../sql.ts';
import type { ReadSide, Table } from './sides.ts';

export interface PageLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** What one transaction takes at once, and a small machine holds in memory several times over. */
export const PAGE_LIMITS: PageLimits = { rows: 5000, bytes: 4 * 1024 * 1024 };

export interface ReadRows {
  /** Each with the values of the table's columns, in their order. */
  readonly rows: readonly (readonly SqlValue[])[];
  /** Nothing comes behind them. */
  readonly isEnd: boolean;
}

const quoted = (name: string): string => `"${name}"`;

/** Those behind the row with this key. */
export async function readPage(
  side: ReadSide,
  table: Table,
  after: readonly SqlValue[] | undefined,
  limits: PageLimits,
): Promise<ReadRows> {
  const { columns, key } = table;
  const keys = key.map(quoted).join(', ');
  const behind = after === undefined ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  const rest = `FROM ${side.reference(table.name)} ${behind} ORDER BY ${keys} LIMIT ?`;
  const values = after ?? [];
  const lengths = await side.all(`SELECT ${bytesOf(table)} AS bytes ${rest}`, ...values, limits.rows);
  const count = withinBytes(
    lengths.map(({ bytes }) => Number(bytes)),
    limits.bytes,
  );
  const isEnd = count === lengths.length && count < limits.rows;
  if (count === 0) return { rows: [], isEnd };
  const names = columns.map(({ name }) => name);
  const rows = await side.all(`SELECT ${names.map(quoted).join(', ')} ${rest}`, ...values, count);
  return { rows: rows.map((row) => names.map((name) => row[name] ?? null)), isEnd };
}

/** Neither engine reads a long value for its length. */
function bytesOf({ columns }: Table): string {
  const long = columns.filter(({ kind }) => kind === 'text' || kind === 'bytes');
  return [columns.length * 8, ...long.map(({ name }) => `coalesce(octet_length(${quoted(name)}), 0)`)].join(' + ');
}

/** One row at least, however long it is. */
function withinBytes(lengths: readonly number[], most: number): number {
  let sum = 0;
  const tooMany = lengths.findIndex((bytes, index) => {
    sum += bytes;
    return index > 0 && sum > most;
  });
  return tooMany < 0 ? lengths.length : tooMany;
}

export function keyOf(table: Table, row: readonly SqlValue[] | undefined): readonly SqlValue[] | undefined {
  return row && table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? null);
}
