// The outbox as it is written inside the writer's transaction: messages for the chat, and a row per channel for notices.

import type { Sql } from './database.ts';
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
export function addMessage(sql: Sql, seq: number, { kind, payload }: MessageRecord, atMs: number): number {
  return insert(sql, { channel: CHAT, seq, kind, payload, atMs, dueMs: atMs + FIRST_DELIVERY_MS });
}

export function addNotices(sql: Sql, seq: number, { channels, payload }: NoticeRecord, atMs: number): void {
  for (const channel of channels) insert(sql, { channel, seq, kind: 'notice', payload, atMs, dueMs: atMs });
}

interface OutboxRow extends MessageRecord {
  readonly channel: string;
  readonly seq: number;
  readonly atMs: number;
  readonly dueMs: number;
}

function insert(sql: Sql, { channel, seq, kind, payload, atMs, dueMs }: OutboxRow): number {
  const { lastInsertRowid } =
    sql(`INSERT INTO outbox (channel, trade_seq, kind, payload, attempts, next_attempt_at, created_at)
    VALUES (?, ?, ?, ?, 0, ?, ?)`).run(channel, seq, kind, payload, dueMs, atMs);
  return Number(lastInsertRowid);
}

export interface AddNoticesArgs extends NoticeRecord {
  readonly atMs: number;
}

export function putUpNotices(sql: Sql, { atMs, ...notice }: AddNoticesArgs): void {
  addNotices(sql, NO_TRADE, notice, atMs);
}

export interface DailyReportArgs extends AddNoticesArgs {
  readonly day: string;
}

/** Of all who try, on whatever start, one gets through per day: the row and what is sent are in one transaction. */
export function addDailyReport(sql: Sql, { day, atMs, ...notice }: DailyReportArgs): boolean {
  const { changes } = sql('INSERT INTO daily_reports (day, at) VALUES (?, ?) ON CONFLICT DO NOTHING').run(day, atMs);
  if (changes === 0) return false;
  addNotices(sql, NO_TRADE, notice, atMs);
  return true;
}

export interface SettledMessages {
  readonly messages: readonly { readonly id: number; readonly seq: number }[];
  readonly atMs: number;
  readonly kind: string;
  readonly detail: string;
}

export function settleMessages(sql: Sql, { messages, atMs, kind, detail }: SettledMessages): void {
  for (const { id, seq } of messages) {
    const isThere = sql('DELETE FROM outbox WHERE id = ?').run(id).changes === 1;
    if (isThere && seq !== NO_TRADE) addEvent(sql, seq, atMs, kind, detail);
  }
}

export interface PostponedMessage {
  readonly id: number;
  readonly nextAttemptAtMs: number;
}

export function postponeMessage(sql: Sql, { id, nextAttemptAtMs }: PostponedMessage): void {
  sql('UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?').run(nextAttemptAtMs, id);
}
