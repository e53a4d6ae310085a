// Whether a step is there already whose first try ended without an answer. Asked only then, inside the transaction of the next
// try, so that the usual step pays nothing for it: neither a row of its own nor another statement.
//
// A trade's row says what its last step has said, and nobody writes a later step of a trade before this one is known to be on
// disk. Two steps of one trade that say the same, in the same millisecond and with the same event, differ in nothing.

import type { Sql } from '../sql.ts';
import { NO_TRADE, plainFill } from './event-log.ts';

/** The event of an adoption. */
export const ADOPTED = 'position-adopted';

interface EventRecord {
  readonly kind: string;
  readonly detail: string | null;
}

/** What tells an outcome from every other. */
export interface HeldOutcome {
  readonly seq: number;
  readonly atMs: number;
  readonly state: string;
  readonly event: EventRecord;
  readonly orderId: string | null;
  readonly executedQuantity: string;
  readonly averagePrice: string | null;
  readonly error: string | null;
}

export async function holdsOutcome(sql: Sql, outcome: HeldOutcome): Promise<boolean> {
  const { seq, atMs, state, event, orderId, executedQuantity, averagePrice, error } = outcome;
  const row = await sql.get(
    `SELECT 1 FROM trades WHERE seq = ? AND state = ? AND updated_at = ? AND executed_quantity = ?
      AND order_id IS NOT DISTINCT FROM ? AND average_price IS NOT DISTINCT FROM ? AND error IS NOT DISTINCT FROM ?`,
    seq,
    state,
    atMs,
    executedQuantity,
    orderId,
    averagePrice,
    error,
  );
  if (row === undefined) return false;
  // Such an event may be told by the rows themselves, and only one step makes a trade filled.
  if (state === 'filled' && event.detail === plainFill(orderId, executedQuantity, averagePrice)) return true;
  return hasEvent(sql, seq, atMs, event);
}

export const holdsAdoption = (
  sql: Sql,
  { atMs, detail }: { readonly atMs: number; readonly detail: string },
): Promise<boolean> => hasEvent(sql, NO_TRADE, atMs, { kind: ADOPTED, detail });

async function hasEvent(sql: Sql, seq: number, atMs: number, { kind, detail }: EventRecord): Promise<boolean> {
  const found = await sql.get(
    'SELECT 1 FROM stored_events WHERE trade_seq = ? AND at = ? AND kind = ? AND detail IS NOT DISTINCT FROM ? LIMIT 1',
    seq,
    atMs,
    kind,
    detail,
  );
  return found !== undefined;
}
