// A trade's history: rows of their own only for what the trade's row and its orders' rows do not tell. The view `events`
// puts both together.

import type { Sql } from './database.ts';

/** What belongs to no trade is an event of trade 0. */
export const NO_TRADE = 0;

export function lastStep(sql: Sql, seq: number): number {
  return sql('SELECT coalesce(max(step), 0) AS step FROM stored_events WHERE trade_seq = ?').get(seq)?.step as number;
}

export function addEvent(sql: Sql, seq: number, at: number, kind: string, detail: string | null): void {
  sql('INSERT INTO stored_events (trade_seq, step, at, kind, detail) VALUES (?, ?, ?, ?, ?)').run(
    seq,
    lastStep(sql, seq) + 1,
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
