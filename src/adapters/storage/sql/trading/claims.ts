// What makes a second signal a duplicate: the claims of an idempotency key and of an alert, and guards against a body that is
// sent again.

import { hash } from 'node:crypto';
import type { DuplicateCause } from '../../../../trading/books/journal.ts';
import type { Sql, SqlReads } from '../sql.ts';

/** What a signal claims. */
export interface ClaimRecord {
  readonly receivedAtMs: number;
  readonly idempotencyKey: string | null;
  readonly bodyDigestHex: string | null;
  /** The alert under its key, see the port. */
  readonly alertClaimHex: string | null;
}

export interface ResendRecord {
  readonly refusalId: string;
  readonly refusedAtMs: number;
  readonly bodyDigestHex: string | null;
  readonly guardUntilMs: number;
}

export type DuplicateOf = readonly [DuplicateCause, originalRequestId: string];

/** What `accept` finds in the way of a signal, for whoever only asks. */
export const findDuplicate = async (reads: SqlReads, trade: ClaimRecord, windowMs: number) =>
  (await findResent(reads, trade)) ?? (await findClaimed(reads, trade, windowMs));

export const claimsOf = ({ idempotencyKey, alertClaimHex }: ClaimRecord) =>
  [
    ['idempotency-key', 'claim', idempotencyKey === null ? null : claimBytes(idempotencyKey)],
    ['alert-id', 'alert_claim', alertClaimHex === null ? null : bytesOf(alertClaimHex)],
  ] as const;

export async function findClaimed(
  reads: SqlReads,
  trade: ClaimRecord,
  windowMs: number,
): Promise<DuplicateOf | undefined> {
  for (const [cause, column, claim] of claimsOf(trade)) {
    if (claim === null) continue;
    const since = trade.receivedAtMs - windowMs;
    const first = await reads.get(
      `SELECT request_id FROM trades WHERE ${column} = ? AND received_at > ?`,
      claim,
      since,
    );
    if (first !== undefined) return [cause, first.request_id as string];
  }
  return undefined;
}

/** A body without an idempotency key that was answered 5xx a moment ago is known by its digest. */
export async function findResent(reads: SqlReads, trade: ClaimRecord): Promise<DuplicateOf | undefined> {
  const { idempotencyKey, bodyDigestHex, receivedAtMs } = trade;
  if (idempotencyKey !== null || bodyDigestHex === null) return undefined;
  const guards = 'SELECT request_id FROM resend_guards WHERE body_digest = ? AND until > ?';
  const guard = await reads.get(guards, bytesOf(bodyDigestHex), receivedAtMs);
  return guard ? ['resend', guard.request_id as string] : undefined;
}

/** Its sender may have sent the refused body again meanwhile, and then it has traded or is about to. */
export async function findRetried(
  sql: Sql,
  { idempotencyKey }: ClaimRecord,
  { bodyDigestHex, refusedAtMs }: ResendRecord,
): Promise<DuplicateOf | undefined> {
  if (bodyDigestHex === null || idempotencyKey === null) return undefined;
  // It was sent again before: its claim says so in better words.
  if (await sql.get('SELECT 1 FROM trades WHERE claim = ?', claimBytes(idempotencyKey))) return undefined;
  const digest = bytesOf(bodyDigestHex);
  const found =
    (await sql.get('SELECT request_id FROM resend_guards WHERE body_digest = ? AND until > ?', digest, refusedAtMs)) ??
    (await sql.get(
      `SELECT request_id FROM (SELECT * FROM trades ORDER BY seq DESC LIMIT 20000)
      WHERE body_digest = ? AND received_at >= ?
        AND NOT (state IN ('rejected', 'canceled', 'expired') AND executed_quantity = '0')`,
      digest,
      refusedAtMs,
    ));
  return found && ['retried', found.request_id as string];
}

/**
 * A UUID is 16 bytes however it is spelled. Doors take nothing else as a key, so a key of another form is one that we made
 * ourselves: it becomes 32 bytes, and no sender can claim it.
 */
export const claimBytes = (key: string): Uint8Array =>
  UUID.test(key) ? bytesOf(key.replaceAll('-', '')) : hash('sha256', key, 'buffer');
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

export async function giveClaimBack(sql: Sql, seq: number): Promise<void> {
  await sql.run('UPDATE trades SET nothing_placed = 1 WHERE seq = ?', seq);
  const tradeId = (await sql.get('SELECT request_id FROM trades WHERE seq = ?', seq))?.request_id as string;
  const [requestId = ''] = tradeId.split('.');
  const changes = await sql.run(
    `UPDATE trades SET claim = NULL, alert_claim = NULL WHERE request_id = ?1 AND NOT EXISTS (SELECT 1 FROM trades AS other
    WHERE (other.request_id = ?1 OR other.request_id > ?1 || '.' AND other.request_id < ?1 || '/')
      AND other.nothing_placed = 0)`,
    requestId,
  );
  // Of a refused signal that was sent again and came to nothing, its sender's own retry is wanted again.
  if (changes === 1) await sql.run('DELETE FROM resend_guards WHERE request_id = ?', requestId);
}

const LATER = 'CASE WHEN excluded.until > resend_guards.until THEN excluded.until ELSE resend_guards.until END';

export interface GuardRecord {
  readonly bodyDigestHex: string;
  readonly requestId: string;
  readonly untilMs: number;
}

export async function guardResend(sql: Sql, { bodyDigestHex, requestId, untilMs }: GuardRecord): Promise<void> {
  await sql.run(
    `INSERT INTO resend_guards (body_digest, request_id, until) VALUES (?, ?, ?)
    ON CONFLICT (body_digest) DO UPDATE SET request_id = excluded.request_id,
      until = ${LATER}`,
    bytesOf(bodyDigestHex),
    requestId,
    untilMs,
  );
}

export interface GuardUnansweredRecord {
  readonly receivedSinceMs: number;
  readonly untilMs: number;
}

/** Also where guards that have run out are swept away: it happens at every start. */
export async function guardUnanswered(sql: Sql, { receivedSinceMs, untilMs }: GuardUnansweredRecord): Promise<void> {
  await sql.run('DELETE FROM resend_guards WHERE until < ?', receivedSinceMs);
  await sql.run(
    `INSERT INTO resend_guards (body_digest, request_id, until)
    SELECT body_digest, request_id, ? FROM (SELECT * FROM trades ORDER BY seq DESC LIMIT 20000)
    WHERE received_at >= ? AND body_digest IS NOT NULL
    ON CONFLICT (body_digest) DO UPDATE SET until = ${LATER}`,
    untilMs,
    receivedSinceMs,
  );
}
