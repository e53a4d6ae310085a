// What senders were refused, beside what the journal says: nothing that was refused is there, or it is there and has not traded; and
// whoever was told that a signal is a duplicate was told of one that is there.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Finding, finding, isHalfReversed } from './nothing-lost.ts';
import type { SentSignal } from './senders.ts';

/** The sender was told that nobody knows; only the next start does. */
const UNKNOWN = 'STORAGE_UNKNOWN';
/** Nothing is stored. */
const NOT_ACCEPTED = ['STORAGE_FAILED', 'TRY_AGAIN'];
/** Nothing is stored; or it was accepted before the switch was thrown, and then refused. */
const KILLED = 'KILL_SWITCH_ACTIVE';
/** Accepted, and then refused: it is there, but has not traded; of a reversal the close may have been, and its sender is told so. */
const ENDED = ['VENUE_UNREACHABLE', 'ORDER_REJECTED', 'STALE_DATA'];
const DUPLICATE = 'DUPLICATE_SIGNAL';

export function checkRefusals(dataDir: string, sent: readonly SentSignal[]): Finding[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const findings = sent.flatMap((signal) => refusalFindings(db, signal));
  db.close();
  return findings;
}

function refusalFindings(db: DatabaseSync, { answer }: SentSignal): Finding[] {
  if (!answer || answer.status < 300) return [];
  const { code, requestId, error, originalRequestId } = answer.body;
  if (code === UNKNOWN) return [];
  const find = (id: string) =>
    db.prepare('SELECT seq, state, executed_quantity, error FROM trades WHERE request_id = ?').get(id);
  const told = `${requestId} was answered "${error}"`;
  if (code === DUPLICATE)
    return find(originalRequestId) ? [] : [finding('lost', `${told}, and ${originalRequestId} is gone`)];
  const row = find(requestId);
  if (NOT_ACCEPTED.includes(code)) return row ? [finding('doubled', `${told}, and it is there as ${row.state}`)] : [];
  if (code === KILLED && !row) return [];
  if (code !== KILLED && !ENDED.includes(code)) return [finding('other', `${told} (${code})`)];
  if (!row) return [finding('lost', `${told}, and it is gone`)];
  // What the others held the other way is its own strategy's share by then: it has executed something, and its second order nothing.
  const isHalf = isHalfReversed(row) && isHalfReversed({ state: 'rejected', error });
  const opening = isHalf ? "AND leg = 'open'" : '';
  const traded = db.prepare(`SELECT count(*) AS n FROM orders JOIN paper_orders USING (client_order_id)
    WHERE trade_seq = ? AND paper_orders.executed_quantity != '0' ${opening}`);
  const isEnded =
    ['rejected', 'canceled', 'expired'].includes(String(row.state)) && (isHalf || row.executed_quantity === '0');
  return isEnded && traded.get(row.seq ?? 0)?.n === 0 ? [] : [finding('doubled', `${told}, and it is ${row.state}`)];
}
