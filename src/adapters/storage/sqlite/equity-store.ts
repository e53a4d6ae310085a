// The equity store port on SQLite, in the trading database: written by the writer thread, read by the thread for searches.

import type { EquityStore } from '../../../trading/books/equity-curves.ts';
import { decimal, toText } from '../../../trading/decimal.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

const OF_ACCOUNT = 'exchange = ?1 AND mode = ?2 AND account = ?3 AND at >= ?4 AND at < ?5';

export const createEquityStore = ({
  writer,
  searches,
}: {
  readonly writer: Pick<Writer, 'run'>;
  readonly searches: Pick<Reader, 'all'>;
}): EquityStore => ({
  add: (samples, keep) =>
    writer.run('keepEquity', {
      samples: samples.map(({ equity, balance, ...sample }) => ({
        ...sample,
        equity: toText(equity),
        balance: toText(balance),
      })),
      keep,
    }),
  async points({ exchange, mode, account }, { fromMs, toMs, limit }) {
    const range = [exchange, mode, account, fromMs, Math.min(toMs, Number.MAX_SAFE_INTEGER)] as const;
    const [ends] = await searches.all(
      `SELECT min(at) AS first, max(at) AS last FROM equity_samples WHERE ${OF_ACCOUNT}`,
      ...range,
    );
    if (ends === undefined || ends.first === null) return [];
    const [firstMs, lastMs] = [Number(ends.first), Number(ends.last)];
    // Beside max() the other columns are those of the same row.
    const rows = await searches.all(
      `SELECT max(at) AS at, equity, balance FROM equity_samples WHERE ${OF_ACCOUNT}
        GROUP BY (at - CAST(?6 AS INTEGER)) / CAST(?7 AS INTEGER) ORDER BY 1`,
      ...range,
      firstMs,
      Math.ceil((lastMs - firstMs + 1) / limit),
    );
    return rows.map((row) => ({
      atMs: Number(row.at),
      equity: decimal(row.equity as string),
      balance: decimal(row.balance as string),
    }));
  },
});
