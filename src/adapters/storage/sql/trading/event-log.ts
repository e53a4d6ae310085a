// A trade's history: rows of their own only for what the trade's row and its orders' rows do not tell. The view `events`
// puts both together.

import type { Sql } from '../sql.ts';

/** What belongs to no trade is an event of trade 0. */
export const NO_TRADE = 0;

/** In a statement whose first value is the trade's number. */
export const LAST_STEP = '(SELECT coalesce(max(step), 0) FROM stored_events WHERE trade_seq = ?1)';

export async function hasEvents(sql: Sql, seq: number): Promise<boolean> {
  return (await sql.get('SELECT 1 FROM stored_events WHERE trade_seq = ? LIMIT 1', seq)) !== undefined;
}

export async function addEvent(sql: Sql, seq: number, at: number, kind: string, detail: string | null): Promise<void> {
  await sql.run(
    `INSERT INTO stored_events (trade_seq, step, at, kind, detail) VALUES (?1, ${LAST_STEP} + 1, ?2, ?3, ?4)`,
    seq,
    at,
    kind,
    detail,
  );
}

/**
 * How an order that filled at once is described: exactly what the columns say, so it need not be stored. The view
 * `events` spells it alike.
 */
export const plainFill = (orderId: string | null, executedQuantity: string, averagePrice: string | null): string =>
  `${orderId}, ${executedQuantity} at ${averagePrice}`;
