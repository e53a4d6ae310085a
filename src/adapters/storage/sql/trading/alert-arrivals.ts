// The port of alerts as they came in, in SQL, on either engine: the list of signals, with the trade of each or the key of its refusal.

import type { AlertArrivals, ArrivedAlert } from '../../../../trading/books/alert-arrivals.ts';
import { decimal } from '../../../../trading/decimal.ts';
import type { Action, StrategyPosition } from '../../../../trading/signal.ts';
import type { Row, Searches } from '../sql.ts';

/** A refusal is the only row that knows the key of a signal that was not accepted. */
const SINCE = `SELECT s.signal_id, s.timestamp, s.symbol, s.signal_type, s.decision, s.alert_id,
    t.quantity, t.quantity_type, t.prev_market_position, t.prev_market_position_size, t.comment
  FROM trade_signals AS s LEFT JOIN trades AS t ON t.request_id = s.signal_id
    LEFT JOIN refusals AS r ON t.request_id IS NULL AND r.id = s.signal_id
  WHERE s.timestamp >= ?1 AND s.alert_id <> '' AND s.source <> 'script' AND coalesce(t.key_label, r.key_label) = ?2
  ORDER BY s.timestamp, s.seq LIMIT ?3`;

export const createAlertArrivals = (searches: Searches): AlertArrivals => ({
  since: async ({ keyLabel, sinceMs, limit }) => (await searches.all(SINCE, sinceMs, keyLabel, limit)).map(arrivedOf),
});

const arrivedOf = (row: Row): ArrivedAlert => ({
  requestId: row.signal_id as string,
  alertId: row.alert_id as string,
  receivedAtMs: Number(row.timestamp),
  decision: row.decision as string,
  symbol: row.symbol as string,
  action: row.signal_type as Action,
  ...(row.quantity !== null && {
    accepted: {
      quantity: decimal(row.quantity as string),
      isInBase: row.quantity_type === null || row.quantity_type === 'base',
      previousPosition: previousOf(row),
      comment: (row.comment as string | null) ?? undefined,
    },
  }),
});

function previousOf(row: Row) {
  if (row.prev_market_position === null) return undefined;
  const position = row.prev_market_position as StrategyPosition;
  const size = row.prev_market_position_size as string | null;
  return size === null ? { position } : { position, size: decimal(size) };
}
