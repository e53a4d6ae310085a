// The port of order times in SQL, on either engine, read as searches are.

import type { Exchange } from '../../../../exchanges/exchange.ts';
import type { OrderTimes, OrderTimesHistory } from '../../../../trading/books/order-times.ts';
import type { VenueMode } from '../../../../trading/venue.ts';
import type { Row, Searches } from '../sql.ts';

/** A venue's words; that nobody knows what became of an order is none. */
const ANSWERS = `'submitted', 'partially_filled', 'filled', 'rejected', 'canceled', 'expired'`;

/** An ordinary fill has no event of its own: the trade's row tells it, see event-log.ts. */
const TIMES = `SELECT trades.exchange, trades.mode, received_at, orders.created_at AS sent,
    coalesce((SELECT min(at) FROM stored_events WHERE trade_seq = seq AND step > sent_after_step AND kind IN (${ANSWERS})),
      iif(trades.state = 'filled', trades.updated_at, NULL)) AS answered,
    iif(trades.state = 'filled' AND orders.price IS NULL,
      coalesce((SELECT max(at) FROM stored_events WHERE trade_seq = seq AND kind = 'filled'), trades.updated_at), NULL) AS filled
  FROM trades JOIN orders ON trade_seq = seq
    AND leg = (SELECT leg FROM orders AS first WHERE first.trade_seq = seq ORDER BY sent_after_step, created_at, leg LIMIT 1)
  WHERE received_at >= ?1 AND received_at < ?2 AND (?3 = '' OR trades.exchange = ?3) AND (?4 = '' OR trades.account = ?4)
    AND (?5 = '' OR trades.mode = ?5)
  ORDER BY seq DESC LIMIT ?6`;

export const createOrderTimes = (searches: Searches): OrderTimesHistory => ({
  async list({ fromMs, toMs, exchange = '', account = '', mode = '', limit }) {
    const until = Math.min(toMs, Number.MAX_SAFE_INTEGER);
    return (await searches.all(TIMES, fromMs, until, exchange, account, mode, limit)).map(timesOf);
  },
});

const timesOf = (row: Row): OrderTimes => ({
  exchange: row.exchange as Exchange,
  mode: row.mode as VenueMode,
  receivedMs: Number(row.received_at),
  sentMs: Number(row.sent),
  ...(row.answered !== null && { answeredMs: Number(row.answered) }),
  ...(row.filled !== null && { filledMs: Number(row.filled) }),
});
