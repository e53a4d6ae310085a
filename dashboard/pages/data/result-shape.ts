// What a result looks like: its columns, which of them are numbers or times, and whether it makes a chart.

import type { QueryAnswer } from '../../server/setup-answers.ts';
import { csvCell } from '../../ui/csv.ts';
import type { LinePoint } from '../../ui/line-chart.tsx';

export type Row = QueryAnswer['results'][number];

/** From 2001 on, in milliseconds: a smaller number is no time. */
const FIRST_TIME_MS = 1_000_000_000_000;
const LAST_TIME_MS = 10_000_000_000_000;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;
const DAY = /^\d{4}-\d{2}-\d{2}/;

export const columnsOf = (rows: readonly Row[]): readonly string[] => Object.keys(rows[0] ?? {});

/** Prices and quantities come as decimal text. */
export function numberOf(value: Row[string] | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

export function timeOf(value: Row[string] | undefined): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return number >= FIRST_TIME_MS && number < LAST_TIME_MS ? number : undefined;
  const at = typeof value === 'string' && DAY.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Our own tables keep moments as milliseconds, in columns that end so. */
export const momentOf = (column: string, value: Row[string] | undefined): number | undefined =>
  typeof value === 'number' && /(?:^|_)at$/.test(column) ? timeOf(value) : undefined;

/** A sum of decimals has more digits, which are not of the data: 178.84000000000003. The CSV has them. */
const EXACT_DIGITS = 15;

/** A whole number has up to 16 digits, and all of them count: a time in microseconds, an id of an exchange. */
export const shownNumber = (value: number): number =>
  Number.isSafeInteger(value) ? value : Number(value.toPrecision(EXACT_DIGITS));

const every = (rows: readonly Row[], column: string, is: (value: Row[string] | undefined) => boolean): boolean =>
  rows.some((row) => row[column] !== null) && rows.every((row) => row[column] === null || is(row[column]));

export const isNumberColumn = (rows: readonly Row[], column: string): boolean =>
  every(rows, column, (value) => numberOf(value) !== undefined);

export type Charted =
  | { readonly kind: 'line'; readonly label: string; readonly points: readonly LinePoint[] }
  | { readonly kind: 'bars'; readonly label: string; readonly bars: readonly { readonly name: string; readonly value: number }[] };

/** More bars than this are no picture. */
const MOST_BARS = 40;

/** The first column of times, or else the first of names, with the first column of numbers beside it. */
export function chartOf(rows: readonly Row[]): Charted | undefined {
  const columns = columnsOf(rows);
  const time = columns.find((column) => every(rows, column, (value) => timeOf(value) !== undefined));
  const number = columns.find((column) => column !== time && isNumberColumn(rows, column));
  if (rows.length < 2 || number === undefined) return undefined;
  if (time !== undefined) {
    const points = rows.flatMap((row) => {
      const [at, value] = [timeOf(row[time]), numberOf(row[number])];
      return at === undefined || value === undefined ? [] : [{ at, value }];
    });
    return { kind: 'line', label: number, points: points.toSorted((a, b) => a.at - b.at) };
  }
  const name = columns.find((column) => !isNumberColumn(rows, column));
  if (name === undefined || rows.length > MOST_BARS) return undefined;
  const bars = rows.map((row) => ({ name: String(row[name] ?? '–'), value: numberOf(row[number]) ?? 0 }));
  return { kind: 'bars', label: number, bars };
}

/** Exact numbers are texts here, and stay numbers there. */
const cellOf = (value: Row[string] | undefined): string =>
  typeof value === 'string' && NUMBER.test(value) ? value : csvCell(value);

/** As RFC 4180 has it; what a spreadsheet would take for a formula stays text. */
export function csvOf(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((line) => line.map(cellOf).join(',')).join('\r\n');
}

