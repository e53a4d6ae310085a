// The schemas of PostgreSQL have the shape of the SQLite files: tables, columns, what may be missing, and what is unique.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/adapters/storage/postgres/open-postgres.ts';
import { TABLES_OF_POSTGRES, TABLES_OF_SQLITE } from '../../src/adapters/storage/sql/copy/carried-tables.ts';
import { openMigrated } from '../../src/adapters/storage/sqlite/database.ts';
import { OWNER, STRANGERS, TRADING } from '../../src/adapters/storage/sqlite/database-files.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

const SCHEMAS = { trading: TRADING, owner: OWNER, strangers: STRANGERS };
const migrationsOf = (schema: string): URL =>
  new URL(`../../src/adapters/storage/postgres/migrations/${schema}/`, import.meta.url);
const MADE = Object.entries(SCHEMAS).filter(([schema]) => existsSync(migrationsOf(schema)));

const UNIQUE_IN_SCHEMAS = ['webhook_keys (label) in part'];
const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text',
  REAL: 'double precision',
  BLOB: 'bytea',
};

interface Shape {
  /** Each as `table.column type, null or not null, default`. */
  readonly columns: readonly string[];
  /** Each as `table (columns)`, with `in part` where it has a condition. */
  readonly unique: readonly string[];
  /** Each as `view.column`. */
  readonly views: readonly string[];
}

type Row = Readonly<Record<string, string | number | null>>;

const columnOf = (table: string, name: string, type: string, isNull: boolean, value: string | null): string =>
  `${table}.${name} ${type} ${isNull ? 'null' : 'not null'} ${value ?? ''}`.trim();
const uniqueOf = (table: string, columns: readonly string[], isPartial: boolean): string =>
  `${table} (${columns.join(', ')})${isPartial ? ' in part' : ''}`;

const namesOf = (rows: readonly Row[]): string[] => rows.map(({ name }) => String(name));

function shapeOfFile(db: DatabaseSync): Shape {
  const all = (text: string, ...values: string[]): Row[] => db.prepare(text).all(...values) as Row[];
  const named = (type: string): string[] =>
    all('SELECT name FROM sqlite_schema WHERE type = ? ORDER BY name', type).map(({ name }) => String(name));
  const columns: string[] = [];
  const unique = new Set<string>();
  for (const table of named('table').filter((name) => !TABLES_OF_SQLITE.includes(name))) {
    const found = all('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', table);
    for (const { name, type, notnull, dflt_value: value, pk } of found)
      columns.push(
        columnOf(table, String(name), TYPES[String(type)] ?? String(type), notnull === 0 && pk === 0, value as string),
      );
    const key = found.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
    if (key.length > 0) unique.add(uniqueOf(table, namesOf(key), false));
    for (const { name, partial } of all('SELECT name, partial FROM pragma_index_list(?) WHERE "unique" = 1', table)) {
      const its = all('SELECT name FROM pragma_index_info(?) ORDER BY seqno', String(name));
      unique.add(uniqueOf(table, namesOf(its), partial === 1));
    }
  }
  const views = named('view').flatMap((view) =>
    all('SELECT name FROM pragma_table_info(?)', view).map(({ name }) => `${view}.${name}`),
  );
  return { columns: columns.sort(), unique: [...unique].sort(), views: views.sort() };
}

async function shapeOfSchema(server: PostgresServer, schema: string): Promise<Shape> {
  const all = async (text: string): Promise<Row[]> => (await server.query(text)) as Row[];
  const found =
    await all(`SELECT c.table_name AS "table", column_name AS name, data_type AS type, is_nullable AS "isNull",
      column_default AS value, collation_name AS collation, table_type AS kind
    FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
    WHERE table_schema = '${schema}'`);
  const shared = found.filter(({ table }) => !TABLES_OF_POSTGRES.includes(String(table)));
  const tables = shared.filter(({ kind }) => kind === 'BASE TABLE');
  const otherwiseOrdered = tables.filter(({ type, collation }) => type === 'text' && collation !== 'C');
  expect(otherwiseOrdered).toEqual([]);
  const unique = await all(`SELECT relname AS "table", indpred IS NOT NULL AS "isPartial",
      (SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest(indkey) WITH ORDINALITY AS k (number, place)
        JOIN pg_attribute ON attrelid = indrelid AND attnum = k.number) AS columns
    FROM pg_index JOIN pg_class AS c ON c.oid = indrelid
    WHERE indisunique AND relnamespace = '${schema}'::regnamespace`);
  return {
    columns: tables
      .map(({ table, name, type, isNull, value }) =>
        columnOf(String(table), String(name), String(type), isNull === 'YES', plain(value as string | null)),
      )
      .sort(),
    unique: unique
      .filter(({ table }) => !TABLES_OF_POSTGRES.includes(String(table)))
      .map(({ table, columns, isPartial }) => uniqueOf(String(table), [String(columns)], Boolean(isPartial)))
      .filter((each) => !UNIQUE_IN_SCHEMAS.includes(each))
      .sort(),
    views: shared
      .filter(({ kind }) => kind === 'VIEW')
      .map(({ table, name }) => `${table}.${name}`)
      .sort(),
  };
}

/** PostgreSQL writes the type behind a text, and a number below zero like one. */
const plain = (value: string | null): string | null =>
  value?.replace(/::text$/, '').replace(/^'(-\d+)'::\w+$/, '$1') ?? null;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

describe.each(MADE)('the schema %s', (schema, { name, migrations }) => {
  test('has the shape of its SQLite file', async () => {
    const db = openMigrated(join(mkdtempSync(join(tmpdir(), 'shape-')), name), migrations);
    const database = await openPostgres({ url: server.url, schema, migrations: migrationsOf(schema) });
    closeAtEnd(() => database.close());
    const [file, made] = [shapeOfFile(db), await shapeOfSchema(server, schema)];
    db.close();
    expect(file.columns.length).toBeGreaterThan(20);
    expect(made).toEqual(file);
  });
});

test('the trading schema is one of them', () => {
  expect(MADE.map(([schema]) => schema)).toContain('trading');
});
