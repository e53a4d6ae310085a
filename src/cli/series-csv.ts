// The series of a run as CSV: the time of each bar in milliseconds, then one column per series, empty where it is na.

import type { RunResult } from '../pine/index.ts';

/** Rows that are made into one text: a whole file at once could be longer than a string may be. */
const ROWS_PER_PIECE = 10_000;

/** Pieces without a line end at their end. */
export function* seriesCsv(times: Float64Array, { count, series }: RunResult): Generator<string> {
  yield ['time', ...series.keys()].map(quoted).join(',');
  const columns = [...series.values()];
  for (let from = 0; from < count; from += ROWS_PER_PIECE) {
    const rows: string[] = [];
    for (let bar = from; bar < Math.min(from + ROWS_PER_PIECE, count); bar += 1) {
      let row = String(times[bar]);
      for (const column of columns) row += Number.isNaN(column[bar]) ? ',' : `,${column[bar]}`;
      rows.push(row);
    }
    yield rows.join('\n');
  }
}

const quoted = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
