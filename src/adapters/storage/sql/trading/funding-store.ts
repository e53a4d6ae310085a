// The funding store port in SQL, on either engine, in the trading database.

import type { FundingStore } from '../../../../trading/books/funding-store.ts';
import { decimal, toText, ZERO } from '../../../../trading/decimal.ts';
import type { Searches } from '../sql.ts';
import type { Writer } from './writer.ts';

const OF_ACCOUNT = 'exchange = ?1 AND mode = ?2 AND account = ?3';

export const createFundingStore = ({
  writer,
  searches,
}: {
  readonly writer: Pick<Writer, 'run'>;
  readonly searches: Searches;
}): FundingStore => ({
  add: ({ exchange, mode, account }, payments, readToMs) =>
    writer.run('keepFunding', {
      ...{ exchange, mode, account, readToMs },
      payments: payments.map(({ fundingId, market, atMs, amount }) => ({
        ...{ fundingId, market, atMs, amount: toText(amount) },
      })),
    }),
  async readTo({ exchange, mode, account }) {
    const [row] = await searches.all(
      `SELECT read_to FROM venue_funding_read WHERE ${OF_ACCOUNT}`,
      ...[exchange, mode, account],
    );
    return row && Number(row.read_to);
  },
  async range({ exchange, mode, account }, fromMs, toMs) {
    const rows = await searches.all(
      `SELECT market, at, amount FROM venue_funding WHERE ${OF_ACCOUNT} AND at >= ?4 AND at < ?5 ORDER BY at, funding_id`,
      ...[exchange, mode, account, fromMs, Math.min(toMs, Number.MAX_SAFE_INTEGER)],
    );
    return rows.map(({ market, at, amount }) => ({
      ...{ market: market as string, atMs: Number(at), amount: decimal(amount as string) },
    }));
  },
  async total({ exchange, mode, account }) {
    const [row] = await searches.all(
      `SELECT total FROM venue_funding_read WHERE ${OF_ACCOUNT}`,
      ...[exchange, mode, account],
    );
    return row === undefined ? ZERO : decimal(row.total as string);
  },
});
