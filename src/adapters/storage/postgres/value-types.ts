// Values on their way to and from PostgreSQL, so that both engines give and take the same.

import pg from 'pg';
import type { SqlValue } from '../sql/sql.ts';

const { builtins } = pg.types;

type Parser = (text: string) => SqlValue;

/** SQLite's driver refuses them too: rounded silently, an id would be another one. */
function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large for a whole number`);
  return number;
}

const PARSERS: Readonly<Record<number, Parser>> = {
  [builtins.INT8]: wholeNumber,
  // Sums of whole numbers have this type.
  [builtins.NUMERIC]: Number,
  [builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
  [builtins.BYTEA]: (text) => Uint8Array.from(Buffer.from(text.slice('\\x'.length), 'hex')),
};

export const VALUE_TYPES = {
  getTypeParser: (type: number) => PARSERS[type] ?? pg.types.getTypeParser(type, 'text'),
} as pg.CustomTypesConfig;

/** PostgreSQL has no U+0000 in a text; what stands for a character that cannot be shown takes its place. */
export const toPostgres = (value: SqlValue): SqlValue =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
