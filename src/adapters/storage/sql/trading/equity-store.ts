// The equity store port in SQL, on either engine, in the trading database: written by the writer thread, read as searches are.

import type { EquityStore } from '../../../../trading/books/equity-curves.ts';
import { decimal, toText } from '../../../../trading/decimal.ts';
import type { Searches } from '../sql.ts';
import type { Writer } from './writer.ts';

const OF_ACCOUNT = 'exchange = ?1 AND mode = ?2 AND account = ?3 AND at >= ?4 AND at < ?5';

export const createEquityStore = ({
  writer,
  searches,
}: {
  readonly writer: Pick<Writer, 'run'>;
  readonly searches: Searches;
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
    const rows = await searches.all(
      `SELECT at, equity, balance FROM equity_samples WHERE exchange = ?1 AND mode = ?2 AND account = ?3 AND at IN
          (SELECT max(at) FROM equity_samples WHERE ${OF_ACCOUNT} GROUP BY (at - CAST(?6 AS BIGINT)) / CAST(?7 AS BIGINT))
        ORDER BY at`,
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
