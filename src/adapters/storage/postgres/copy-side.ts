// A schema of PostgreSQL as a side of a copy between engines, over one connection: what its catalogue says, and its rows by pages.

import { errorText } from '../../../errors/error-text.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import { TABLES_OF_POSTGRES } from '../sql/copy/carried-tables.ts';
import { withoutNul } from '../sql/copy/contents.ts';
import type { Column, ColumnKind, Page, ReadSide, Table, WriteSide } from '../sql/copy/sides.ts';
import type { Row, SqlValue } from '../sql/sql.ts';
import type { Connection } from './connection.ts';
import { progressOf, saveProgress } from './move-progress.ts';
import { codeOf, postgresFault } from './postgres-faults.ts';

export interface PostgresSideOptions {
  readonly connection: Connection;
  /** Host, port and database, for faults. */
  readonly where: string;
  readonly schema: string;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  bigint: 'whole number',
  text: 'text',
  'double precision': 'number',
  bytea: 'bytes',
};

const TABLES = `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, NULL) AS "type",
    a.attidentity <> '' AS "isNumbered", array_position(CAST(i.indkey AS smallint[]), a.attnum) AS "keyPlace",
    (SELECT string_agg(DISTINCT p.relname, ' ') FROM pg_constraint AS f JOIN pg_class AS p ON p.oid = f.confrelid
      WHERE f.conrelid = c.oid AND f.contype = 'f') AS parents
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = to_regnamespace(CAST(? AS text)) AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attnum`;

export function postgresReadSide({ connection, where, schema }: PostgresSideOptions): ReadSide {
  const ask = async (text: string, ...values: readonly SqlValue[]): Promise<Row[]> => {
    try {
      return (await connection.ask(text, values)).rows;
    } catch (error) {
      throw postgresFault(where, error);
    }
  };
  return {
    name: `schema ${schema} of PostgreSQL at ${where}`,
    all: ask,
    reference: (table) => `"${schema}"."${table}"`,
    tables: async () =>
      tablesIn((await ask(TABLES, schema)).filter(({ table }) => !TABLES_OF_POSTGRES.includes(String(table)))),
    async lastNumber(table) {
      const [row] = await ask(`SELECT CASE WHEN is_called THEN last_value END AS last FROM ${await sequenceOf(table)}`);
      return typeof row?.last === 'number' ? row.last : undefined;
    },
  };

  async function sequenceOf({ name, numbered = '' }: Table): Promise<string> {
    const [row] = await ask(`SELECT pg_get_serial_sequence(?, ?) AS name`, `"${schema}"."${name}"`, numbered);
    return String(row?.name);
  }
}

export function postgresWriteSide(options: PostgresSideOptions): WriteSide {
  const { connection, where, schema } = options;
  const side = postgresReadSide(options);
  return {
    ...side,
    progressOf: (table) => progressOf(connection, { schema, table }),
    async write(table, page) {
      // All at once, in one packet; the first that fails is the cause, and PostgreSQL refuses those behind it.
      const answers = [
        connection.command('BEGIN'),
        ...(page.isFirst ? [connection.ask(`DELETE FROM ${side.reference(table.name)}`)] : []),
        ...(page.rows.length > 0 ? [insert(table, page)] : []),
        saveProgress(connection, { schema, table: table.name }, page.progress),
        connection.command('COMMIT'),
      ];
      const failed = (await Promise.allSettled(answers)).find((each) => each.status === 'rejected');
      if (failed !== undefined) throw doubledFault(failed.reason) ?? postgresFault(where, failed.reason);
    },
    async setLastNumber({ name, numbered = '' }, last) {
      const sequence = 'pg_get_serial_sequence(?, ?)';
      await side.all(`SELECT setval(${sequence}, ?)`, `"${schema}"."${name}"`, numbered, last);
    },
  };

  /** One statement with one value, whatever the columns are: the table itself says how each is read. */
  function insert({ name, columns }: Table, { rows }: Page) {
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const list = rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, toJson(row[at])])));
    return connection.ask(
      `INSERT INTO ${side.reference(name)} (${names}) SELECT ${names}
        FROM json_populate_recordset(CAST(NULL AS ${side.reference(name)}), CAST(? AS json))`,
      [JSON.stringify(list)],
    );
  }
}

const UNIQUE_VIOLATION = '23505';

/** As where two keys of an old folder have one label, or two names differ in a character that PostgreSQL does not have. */
function doubledFault(error: unknown): StorageError | undefined {
  if (codeOf(error) !== UNIQUE_VIOLATION) return undefined;
  return new StorageError(
    `two of its rows are the same to PostgreSQL (${errorText(error)}); change or remove one of them, then run this again`,
    { cause: error },
  );
}

function toJson(value: SqlValue | undefined): string | number | null | undefined {
  if (typeof value === 'string') return withoutNul(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  // JSON has no word for what is no finite number; PostgreSQL reads the text.
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) return String(value);
  return value;
}

function tablesIn(rows: readonly Row[]): readonly Table[] {
  return [...new Set(rows.map(({ table }) => String(table)))].map((name) => {
    const own = rows.filter(({ table }) => table === name);
    const columns = own.map(({ column, type }): Column => ({ name: String(column), kind: kindOf(String(type)) }));
    const key = own
      .filter(({ keyPlace }) => keyPlace !== null)
      .sort((a, b) => Number(a.keyPlace) - Number(b.keyPlace))
      .map(({ column }) => String(column));
    const numbered = own.find(({ isNumbered }) => isNumbered === 1)?.column;
    return {
      name,
      columns,
      key: key.length > 0 ? key : columns.map((column) => column.name),
      refersTo: String(own[0]?.parents ?? '')
        .split(' ')
        .filter((parent) => parent !== ''),
      numbered: numbered === undefined ? undefined : String(numbered),
    };
  });
}

function kindOf(type: string): ColumnKind {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`columns of the type ${type} cannot be copied`);
  return kind;
}
