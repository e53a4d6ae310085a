// The outbox as it is written inside the writer's transaction: messages for the chat, and a row per channel for notices.

import type { Sql } from '../sql.ts';
import { addEvent, NO_TRADE } from './event-log.ts';

export interface MessageRecord {
  readonly kind: string;
  readonly payload: string;
}

export interface NoticeRecord {
  readonly channels: readonly string[];
  readonly payload: string;
}

/** Whoever settles the trade delivers its message first; the background sweep only takes what is still there after this. */
const FIRST_DELIVERY_MS = 2000;
const CHAT = 'chat';

/** Returns the outbox number of the message. */
export async function addMessage(
  sql: Sql,
  seq: number,
  { kind, payload }: MessageRecord,
  atMs: number,
): Promise<number> {
  return insert(sql, { channel: CHAT, seq, kind, payload, atMs, dueMs: atMs + FIRST_DELIVERY_MS });
}

export async function addNotices(
  sql: Sql,
  seq: number,
  { channels, payload }: NoticeRecord,
  atMs: number,
): Promise<void> {
  for (const channel of channels) await insert(sql, { channel, seq, kind: 'notice', payload, atMs, dueMs: atMs });
}

interface OutboxRow extends MessageRecord {
  readonly channel: string;
  readonly seq: number;
  readonly atMs: number;
  readonly dueMs: number;
}

async function insert(sql: Sql, { channel, seq, kind, payload, atMs, dueMs }: OutboxRow): Promise<number> {
  const id = await sql.insert(
    `INSERT INTO outbox (channel, trade_seq, kind, payload, attempts, next_attempt_at, created_at)
    VALUES (?, ?, ?, ?, 0, ?, ?) RETURNING id`,
    channel,
    seq,
    kind,
    payload,
    dueMs,
    atMs,
  );
  return id as number;
}

export interface AddNoticesArgs extends NoticeRecord {
  readonly atMs: number;
}

export async function putUpNotices(sql: Sql, { atMs, ...notice }: AddNoticesArgs): Promise<void> {
  await addNotices(sql, NO_TRADE, notice, atMs);
}

export interface DailyReportArgs extends AddNoticesArgs {
  readonly day: string;
}

/** Of all who try, on whatever start, one gets through per day: the row and what is sent are in one transaction. */
export async function addDailyReport(sql: Sql, { day, atMs, ...notice }: DailyReportArgs): Promise<boolean> {
  const changes = await sql.run('INSERT INTO daily_reports (day, at) VALUES (?, ?) ON CONFLICT DO NOTHING', day, atMs);
  if (changes === 0) return false;
  await addNotices(sql, NO_TRADE, notice, atMs);
  return true;
}

export interface SettledMessages {
  readonly messages: readonly { readonly id: number; readonly seq: number }[];
  readonly atMs: number;
  readonly kind: string;
  readonly detail: string;
}

export async function settleMessages(sql: Sql, { messages, atMs, kind, detail }: SettledMessages): Promise<void> {
  for (const { id, seq } of messages) {
    const isThere = (await sql.run('DELETE FROM outbox WHERE id = ?', id)) === 1;
    if (isThere && seq !== NO_TRADE) await addEvent(sql, seq, atMs, kind, detail);
  }
}

export interface PostponedMessage {
  readonly id: number;
  readonly nextAttemptAtMs: number;
}

export async function postponeMessage(sql: Sql, { id, nextAttemptAtMs }: PostponedMessage): Promise<void> {
  await sql.run('UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?', nextAttemptAtMs, id);
}
