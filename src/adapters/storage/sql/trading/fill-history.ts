// The fill history port in SQL, on either engine, read as searches are.

import type { Exchange } from '../../../../exchanges/exchange.ts';
import type { TradedFill, TradedFillHistory } from '../../../../trading/books/fill-history.ts';
import type { ProtectRequest } from '../../../../trading/signal.ts';
import type { OrderSide, PositionSide, VenueMode } from '../../../../trading/venue.ts';
import type { Row, Searches, SqlReads } from '../sql.ts';
import { readCompleteFromMs } from './archive/mark.ts';
import { fromExactJson } from './exact-json.ts';
import { STOPS_ASKED } from './journal-mutations.ts';
import { fillsOf } from './journal-rows.ts';

/** Turning a page into fills takes a few milliseconds of the event loop, which signals may need in between. */
const PAGE_ORDERS = 500;

const PAGE = `SELECT orders.*, trades.key_label, trades.request_id, trades.strategy FROM orders JOIN trades ON trades.seq = orders.trade_seq
  WHERE (orders.trade_seq, orders.leg) > (?1, ?2) AND orders.fills <> '' AND orders.updated_at >= ?3
    AND (?4 = '' OR orders.exchange = ?4) AND (?5 = '' OR orders.account = ?5)
    AND (?6 = '' OR ?6 LIKE '%|' || orders.market || '|%')
    AND orders.trade_seq NOT IN (SELECT seq FROM archiving_trades)
  ORDER BY orders.trade_seq, orders.leg LIMIT ?7`;

interface FillHistoryOptions {
  readonly reads: Pick<SqlReads, 'all'>;
  /** For what may look at every row. */
  readonly searches: Searches;
}

export const createFillHistory = ({ reads, searches }: FillHistoryOptions): TradedFillHistory => ({
  async *pages({ exchange = '', account = '', markets = [], writtenSinceMs = 0 }) {
    const among = markets.length === 0 ? '' : `|${markets.join('|')}|`;
    let [seq, leg] = [-1, ''];
    while (true) {
      const rows = await searches.all(PAGE, seq, leg, writtenSinceMs, exchange, account, among, PAGE_ORDERS);
      if (rows.length > 0) yield rows.flatMap(historicFills);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ORDERS) return;
      [seq, leg] = [Number(last.trade_seq), last.leg as string];
    }
  },
  completeFromMs: () => readCompleteFromMs(reads),
  async stopsAsked() {
    const rows = await searches.all(STOPS, STOPS_ASKED);
    return new Map(
      rows.map((row) => [row.request_id as string, fromExactJson(row.detail as string) as ProtectRequest]),
    );
  },
  async tags() {
    const found = new Map<string, string[]>();
    for (const { request_id: requestId, tag } of await searches.all(TAGS)) {
      const tags = found.get(requestId as string) ?? [];
      found.set(requestId as string, [...tags, tag as string]);
    }
    return found;
  },
});

const STOPS = `SELECT request_id, detail FROM stored_events JOIN trades ON trades.seq = trade_seq WHERE kind = ?`;
const TAGS = `SELECT request_id, tag FROM trade_tags JOIN trades ON trades.seq = trade_seq ORDER BY tag`;

export function historicFills(order: Row): TradedFill[] {
  const common = {
    exchange: order.exchange as Exchange,
    mode: order.mode as VenueMode,
    account: order.account as string,
    market: order.market as string,
    requestId: order.request_id as string,
    strategy: order.strategy as string,
    keyLabel: order.key_label as string,
    side: order.side as OrderSide,
    positionSide: order.position_side as PositionSide,
    netted: order.netted === 1,
  };
  return fillsOf(order).map((fill) => ({ ...fill, ...common }));
}
