// Turns answers of unknown shape into aligned text that is safe to print on a terminal.

import { decimal, toText } from '../trading/decimal.ts';
import type { Paint } from './paint.ts';
import { textWidth } from './text-width.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Column {
  readonly title: string;
  readonly of: (row: Fields) => string;
  readonly right?: boolean;
  readonly tint?: (paint: Paint, text: string) => string;
}

/** A cell longer than this would push the rest of its row off the screen. */
const MAX_CELL_CHARS = 80;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const rowsOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Labels and reasons come from other people: what could move the cursor or reverse the text is taken out. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '·');

export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

export function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return cell(value.join(', '));
  const text = printable(typeof value === 'object' ? JSON.stringify(value) : plainText(value));
  return text.length > MAX_CELL_CHARS ? `${text.slice(0, MAX_CELL_CHARS - 1)}…` : text;
}

/** A sentence, whole however long it is: its last words are the remedy. */
export const words = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? printable(value) : cell(value);

/** A column of sentences. It is the last one, so that it pushes nothing off the screen. */
export const wordsColumn = (title: string, field: string): Column => ({ title, of: (row) => words(row[field]) });

/** Small amounts in digits too: nobody reads a price as 4e-7. */
const plainText = (value: unknown): string =>
  typeof value === 'number' && Math.abs(value) < 1e15 && /e/.test(String(value))
    ? toText(decimal(value))
    : String(value);

/** `2026-03-01 14:05:09 UTC` from milliseconds or ISO text. */
export function time(value: unknown): string {
  const date = typeof value === 'number' || typeof value === 'string' ? new Date(value) : undefined;
  if (date === undefined || Number.isNaN(date.getTime())) return cell(value);
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A column that shows one field under a title. */
export const column = (title: string, field: string, more: Partial<Column> = {}): Column => ({
  title,
  of: (row) => cell(row[field]),
  ...more,
});

export const timeColumn = (title: string, field: string): Column => ({ title, of: (row) => time(row[field]) });

export function table(columns: readonly Column[], rows: readonly Fields[], paint: Paint): string {
  const texts = rows.map((row) => columns.map(({ of }) => of(row)));
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...texts.map((line) => textWidth(line[i] ?? ''))),
  );
  const pad = (text: string, i: number): string => {
    const blanks = ' '.repeat(Math.max(0, (widths[i] ?? 0) - textWidth(text)));
    return columns[i]?.right ? blanks + text : i === columns.length - 1 ? text : text + blanks;
  };
  const head = paint(
    'bold',
    columns
      .map(({ title }, i) => pad(title, i))
      .join('  ')
      .trimEnd(),
  );
  const body = texts.map((line) =>
    line
      .map((text, i) => {
        const padded = pad(text, i);
        return columns[i]?.tint?.(paint, padded) ?? padded;
      })
      .join('  ')
      .trimEnd(),
  );
  return [head, ...body].join('\n');
}

/** A table of whatever fields the rows have, in the order of the first row; times are shown as times. */
export function tableOfAll(rows: readonly Fields[], paint: Paint): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return table(names.map(columnOf), rows, paint);
}

function columnOf(name: string): Column {
  if (/^(at|.*At)$/.test(name)) return timeColumn(name, name);
  return /^(reason|detail|error)$/.test(name) ? wordsColumn(name, name) : column(name, name);
}

/** `name   value` lines. */
export function pairs(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${value}`).join('\n');
}

/** `binance`, or `binance:scalp` where the account is not main. */
export const accountColumn = {
  title: 'exchange',
  of: ({ exchange, account }: Fields) =>
    account === undefined || account === 'main' ? cell(exchange) : `${cell(exchange)}:${cell(account)}`,
};

/** Real money stands out in every list. */
export const shownMode = (mode: unknown): string => (mode === 'live' ? 'LIVE' : cell(mode));
export const modeColumn: Column = {
  title: 'mode',
  of: ({ mode }) => shownMode(mode),
  tint: (paint, text) => (text.trim() === 'LIVE' ? paint('red', text) : text),
};
