// The twin marks port in SQL, on either engine, in the database of a twin: written by the writer thread, read as searches are.

import type { Exchange } from '../../../../exchanges/exchange.ts';
import { decimal, toText } from '../../../../trading/decimal.ts';
import type { Mark } from '../../../../trading/twin/twin-gap.ts';
import type { MarkedMoment, MarkedTrade, TwinMarks } from '../../../../trading/twin/twin-marks.ts';
import type { Row, Searches } from '../sql.ts';
import type { Writer } from './writer.ts';

const OF_ACCOUNT = 'SELECT * FROM twin_marks WHERE exchange = ? AND account = ? ORDER BY accepted_at, trade_id';

export const createTwinMarks = ({
  writer,
  searches,
}: {
  readonly writer: Pick<Writer, 'run'>;
  readonly searches: Searches;
}): TwinMarks => ({
  begin: (trades) =>
    writer.run(
      'beginTwins',
      trades.map(({ tradeId, exchange, account, acceptedAtMs }) => [tradeId, exchange, account, acceptedAtMs] as const),
    ),
  mark: (tradeId, moment, { bid, ask }) =>
    writer.run('markTwin', { tradeId, moment, bid: toText(bid), ask: toText(ask) }),
  of: async ({ exchange, account }) => (await searches.all(OF_ACCOUNT, exchange, account)).map(markedTradeOf),
});

function markedTradeOf(row: Row): MarkedTrade {
  const [accepted, sent] = [markOf(row, 'accepted'), markOf(row, 'sent')];
  return {
    tradeId: row.trade_id as string,
    exchange: row.exchange as Exchange,
    account: row.account as string,
    acceptedAtMs: Number(row.accepted_at),
    ...(accepted && { accepted }),
    ...(sent && { sent }),
  };
}

function markOf(row: Row, moment: MarkedMoment): Mark | undefined {
  const bid = row[`${moment}_bid`] as string | null;
  return bid === null ? undefined : { bid: decimal(bid), ask: decimal(row[`${moment}_ask`] as string) };
}
