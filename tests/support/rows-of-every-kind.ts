// Fills every table of a SQLite database with rows that hold what values can be: nothing, bytes, U+0000, long texts, numbers at their limits.

import { DatabaseSync } from 'node:sqlite';
import type { Column, Table } from '../../src/adapters/storage/sql/copy/sides.ts';
import { openSqliteReadSide } from '../../src/adapters/storage/sqlite/copy-side.ts';

/** Tables that have one row at most. */
const ONE_ROW = ['layout_revisions'];
const IS_ONE_ROW = /CHECK \(\w+ = 1\)/;
/** What a check of the table allows. */
const ALLOWED: Readonly<Record<string, readonly (string | number)[]>> = {
  'heartbeat.id': [1],
  'owner_password.only_row': [1],
  'protections.side': ['LONG', 'SHORT'],
  'restrictions.kind': ['key', 'strategy', 'account', 'symbol'],
  'stored_accounts.mode': ['testnet', 'live'],
  'stored_accounts.position_mode': ['one-way', 'hedge'],
  'layouts.kind': ['layout', 'template', 'query'],
  'model_calls.estimated': [0, 1],
  'deployments.state': ['running', 'paused', 'failed'],
  'deployments.script_type': ['indicator', 'strategy'],
  'deployments.mode': ['dry-run', 'trade'],
  // A start reads these.
  'deployments.inputs': ['{}'],
  'deployments.targets': ['[]', '[{"type":"signals"}]'],
  'deployments.imports': ['[]'],
  'deployments.libraries': ['[]'],
};
/** Only PostgreSQL wants it to be another one for each row. */
const UNIQUE_THERE = ['webhook_keys.label'];
/** Only one of the two may be there. */
const NEVER = ['protections.trail_amount'];

const TEXTS = [
  '',
  'a\0b',
  '\0',
  'Ü€😀',
  '"quoted" \\u0000 \\',
  'two\nlines\t',
  '\uFFFD',
  'x'.repeat(3000),
  '{"a":[1]}',
];
const NUMBERS = [0, 0.1, -1 / 3, 5e-324, 1.7976931348623157e308, 9007199254740991, -2.5e-7];
const WHOLE = [0, 1, Number.MAX_SAFE_INTEGER, 1_700_000_000_000];

interface Reference {
  readonly parent: string;
  readonly from: string;
  readonly to: string;
}

/** How many rows each table has then. */
export async function fillEveryTable(path: string, count: number): Promise<Readonly<Record<string, number>>> {
  const side = openSqliteReadSide(path);
  const tables = await side.tables();
  side.close();
  const db = new DatabaseSync(path);
  try {
    // Parents may come after their children.
    db.exec('PRAGMA foreign_keys = OFF; BEGIN');
    const rows = tables.map((table) => [table.name, fill(db, table, hasOneRow(db, table) ? 1 : count)] as const);
    db.exec('COMMIT');
    const broken = db.prepare('PRAGMA foreign_key_check').all();
    if (broken.length > 0) throw new Error(`rows without their parents: ${JSON.stringify(broken[0])}`);
    return Object.fromEntries(rows);
  } finally {
    db.close();
  }
}

function hasOneRow(db: DatabaseSync, { name }: Table): boolean {
  const { sql } = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name) ?? {};
  return ONE_ROW.includes(name) || IS_ONE_ROW.test(String(sql));
}

function fill(db: DatabaseSync, table: Table, count: number): number {
  const { name, columns } = table;
  const info = db.prepare('SELECT name, "notnull" AS needed FROM pragma_table_info(?)').all(name);
  const isNeeded = (column: string): boolean => info.some((each) => each.name === column && each.needed === 1);
  const references = db
    .prepare('SELECT "table" AS parent, "from", "to" FROM pragma_foreign_key_list(?)')
    .all(name) as unknown as Reference[];
  const unique = db
    .prepare('SELECT k.name FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS k WHERE i."unique" = 1')
    .all(name)
    .map((each) => String(each.name));
  const isTold = (column: string): boolean =>
    table.key.includes(column) || unique.includes(column) || UNIQUE_THERE.includes(`${name}.${column}`);
  db.exec(`DELETE FROM "${name}"`);
  const places = columns.map(() => '?').join(', ');
  const insert = db.prepare(
    `INSERT INTO "${name}" (${columns.map((each) => `"${each.name}"`).join(', ')}) VALUES (${places})`,
  );
  for (let row = 0; row < count; row++)
    insert.run(
      ...columns.map((column, at) => {
        const reference = references.find(({ from }) => from === column.name);
        if (reference !== undefined) return told(reference.parent, { name: reference.to, kind: column.kind }, row);
        if (isTold(column.name)) return told(name, column, row);
        return isNeeded(column.name) || (row + at) % 3 > 0 ? any(name, column, row + at) : null;
      }),
    );
  return count;
}

type Value = string | number | Uint8Array | null;

/** Another one for each row, and the same for the row of a child. */
function told(table: string, column: Column, row: number): Value {
  const allowed = ALLOWED[`${table}.${column.name}`];
  if (allowed !== undefined) return allowed[row % allowed.length] as string | number;
  if (column.kind === 'whole number') return row + 1;
  if (column.kind === 'bytes') return Uint8Array.from([row >> 8, row & 255, 0, 255]);
  // Numbers are not in the order in which texts are, and some keys hold what PostgreSQL cannot.
  return `${column.name} ${(row * 7919) % 100_003}${row % 5 === 0 ? '\0' : ''}`;
}

function any(table: string, column: Column, number: number): Value {
  const key = `${table}.${column.name}`;
  if (NEVER.includes(key)) return null;
  const allowed = ALLOWED[key];
  if (allowed !== undefined) return allowed[number % allowed.length] as string | number;
  if (column.kind === 'whole number') return WHOLE[number % WHOLE.length] as number;
  if (column.kind === 'number') return NUMBERS[number % NUMBERS.length] as number;
  if (column.kind === 'bytes') return Uint8Array.from([0, 1, 255, number & 255]);
  return TEXTS[number % TEXTS.length] as string;
}
