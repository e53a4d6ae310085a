// The past trades port in SQL, on either engine, read as searches are.

import type { Exchange } from '../../../../exchanges/exchange.ts';
import type { PastTrade, PastTrades } from '../../../../trading/books/past-trades.ts';
import type { Action, SignalSource } from '../../../../trading/signal.ts';
import type { VenueMode } from '../../../../trading/venue.ts';
import type { Row, Searches } from '../sql.ts';

const PAGE_TRADES = 1000;
/** Trades are numbered as they come, so the newest are looked at first, until one is too old: no index is needed. */
const PAGE = `SELECT seq, received_at, source, key_label, exchange, mode, account, market, action, strategy,
    EXISTS (SELECT 1 FROM orders WHERE trade_seq = trades.seq AND state NOT IN ('accepted', 'rejected')) AS placed
  FROM trades WHERE seq < ?1 ORDER BY seq DESC LIMIT ${PAGE_TRADES}`;

export const createPastTrades = (searches: Searches): PastTrades => ({
  async *pages(sinceMs) {
    let before = Number.MAX_SAFE_INTEGER;
    while (true) {
      const rows = await searches.all(PAGE, before);
      const recent = rows.filter(({ received_at: receivedAt }) => Number(receivedAt) >= sinceMs);
      if (recent.length > 0) yield recent.map(pastTradeOf);
      if (recent.length < PAGE_TRADES) return;
      before = Number(rows.at(-1)?.seq);
    }
  },
});

const pastTradeOf = (row: Row): PastTrade => ({
  seq: Number(row.seq),
  receivedAtMs: Number(row.received_at),
  source: row.source as SignalSource,
  keyLabel: row.key_label as string,
  exchange: row.exchange as Exchange,
  mode: row.mode as VenueMode,
  account: row.account as string,
  market: row.market as string,
  action: row.action as Action,
  strategy: row.strategy as string,
  isPlaced: row.placed === 1,
});
