// What is shown as a file for a spreadsheet: numbers as they are, texts quoted where they must be, and no text that would be a formula.

import { csvText } from '../../src/pine/light.ts';

export interface CsvColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | boolean | null | undefined;
}

export const csvOf = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ title }) => csvCell(title)), ...rows.map((row) => columns.map(({ value }) => csvCell(value(row))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

/** A comment of a signal is somebody else's text: a spreadsheet must not run it. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'string') return csvText(value);
  return value === null || value === undefined ? '' : String(value);
}

export function saveFile(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
