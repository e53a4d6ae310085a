// A trade's history: rows of their own only for what the trade's row and its orders' rows do not tell.

import { noteOf, type Sql } from './late-writes.ts';

/** The last step of trades touched lately, so that numbering an event needs no look into the table. */
const lastSteps = (sql: Sql): Map<number, number> => noteOf(sql, 'last steps', () => new Map<number, number>());
const MAX_REMEMBERED_TRADES = 50_000;

function remember(sql: Sql, seq: number, step: number): void {
  const steps = lastSteps(sql);
  if (steps.size >= MAX_REMEMBERED_TRADES) steps.clear();
  steps.set(seq, step);
}

export const noEventsYet = (sql: Sql, seq: number): void => remember(sql, seq, 0);

/** True only when it is known: a trade this process did not see from its beginning counts as one with a history. */
export const hasNoEvents = (sql: Sql, seq: number): boolean => lastSteps(sql).get(seq) === 0;

export function lastStep(sql: Sql, seq: number): number {
  return (
    lastSteps(sql).get(seq) ??
    (sql('SELECT coalesce(max(step), 0) AS step FROM events WHERE trade_seq = ?').get(seq)?.step as number)
  );
}

export function addEvent(sql: Sql, seq: number, at: number, kind: string, detail: string | null): void {
  const step = lastStep(sql, seq) + 1;
  sql('INSERT INTO events (trade_seq, step, at, kind, detail) VALUES (?, ?, ?, ?, ?)').run(seq, step, at, kind, detail);
  remember(sql, seq, step);
}

/** How an order that filled at once is described: exactly what the columns say, so it need not be stored. */
export const plainFill = (orderId: string | null, executedQuantity: string, averagePrice: string | null): string =>
  `${orderId}, ${executedQuantity} at ${averagePrice}`;
