// Lists as CSV (RFC 4180): all rows of a filter, made and sent page by page, for spreadsheets.

import { z } from 'zod';
import { accepts } from '../../http/accepts.ts';
import type { KitContext } from '../../http/context.ts';
import { csvText } from '../../pine/light.ts';
import type { Responses } from './responses.ts';
import { described } from './schemas.ts';

/** What a spreadsheet still opens; more is asked for in stretches of time. */
export const MAX_CSV_ROWS = 100_000;
const CSV = 'text/csv';

export const formatFilter = described(
  z.enum(['json', 'csv']).optional(),
  `csv: all rows of the filter, ${MAX_CSV_ROWS} at most, as text/csv; so does Accept: text/csv`,
);

export const asksForCsv = (c: KitContext, format: 'json' | 'csv' | undefined): boolean =>
  (format ?? (accepts(c.req.header('accept'), CSV) ? 'csv' : 'json')) === 'csv';

/** The same responses, of which the good one can be CSV too. */
export const orCsv = (responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, doc]) => [status, status === '200' ? { ...doc, mediaType: CSV } : doc]),
  );

export type Cell = string | number | boolean | null | readonly string[];
export type CsvRow = Readonly<Record<string, Cell>>;

export interface CsvTable {
  /** Of the file. */
  readonly name: string;
  /** The names of the fields, which are the first row. */
  readonly columns: readonly string[];
  /** Those of them that are ms since 1970; spreadsheets read dates. */
  readonly times: readonly string[];
  readonly pages: AsyncIterable<readonly CsvRow[]>;
  /** At most so many rows; where there are more, a last row says so. */
  readonly limit?: number | undefined;
}

/** The first page is read before the answer begins: what cannot be read at all is refused like everything else. */
export async function csvAnswer(c: KitContext, table: CsvTable): Promise<Response> {
  const lines = linesOf(table);
  const first = await lines.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`${lineOf(table.columns)}${first.value ?? ''}`)),
    async pull(controller) {
      const { done, value } = first.done ? first : await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void lines.return(undefined),
  });
  return c.body(body, 200, {
    'content-type': `${CSV}; charset=utf-8; header=present`,
    'content-disposition': `attachment; filename="${table.name}.csv"`,
  });
}

async function* linesOf({ columns, times, pages, limit = MAX_CSV_ROWS }: CsvTable): AsyncGenerator<string, undefined> {
  let left = limit;
  for await (const page of pages) {
    const rows = page.slice(0, left);
    left -= rows.length;
    const text = rows.map((row) => lineOf(columns.map((name) => timed(row[name] ?? null, times.includes(name)))));
    const isCut = page.length > rows.length && limit === MAX_CSV_ROWS;
    if (isCut) text.push(lineOf([`These are the first ${limit} rows. Ask for the others with from and to.`]));
    if (text.length > 0) yield text.join('');
    if (page.length > rows.length) return undefined;
  }
  return undefined;
}

const timed = (cell: Cell, isTime: boolean): Cell =>
  isTime && typeof cell === 'number' ? new Date(cell).toISOString() : cell;

const lineOf = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

export function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  return csvText(typeof cell === 'string' ? cell : cell.join(', '));
}

/** Reads a list page by page until it ends. */
export async function* pagesOf<T>(
  read: (last: T | undefined) => Promise<readonly T[]>,
  pageSize: number,
): AsyncGenerator<readonly T[]> {
  for (let last: T | undefined; ; ) {
    const page = await read(last);
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

export async function* mapPages<From, To>(
  pages: AsyncIterable<readonly From[]>,
  map: (page: readonly From[]) => readonly To[] | Promise<readonly To[]>,
): AsyncGenerator<readonly To[]> {
  for await (const page of pages) yield await map(page);
}
