// A trade's history: rows of their own only for what the trade's row and its orders' rows do not tell. The view `events`
// puts both together.

import type { Sql } from '../sql.ts';

/** What belongs to no trade is an event of trade 0. */
export const NO_TRADE = 0;

export async function lastStep(sql: Sql, seq: number): Promise<number> {
  return (await sql.get('SELECT coalesce(max(step), 0) AS step FROM stored_events WHERE trade_seq = ?', seq))
    ?.step as number;
}

export async function addEvent(sql: Sql, seq: number, at: number, kind: string, detail: string | null): Promise<void> {
  await sql.run(
    'INSERT INTO stored_events (trade_seq, step, at, kind, detail) VALUES (?, ?, ?, ?, ?)',
    seq,
    (await lastStep(sql, seq)) + 1,
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
