// The outbox ports in SQL, on either engine: the chat's messages, and a line of notices for each other channel.

import type {
  ChannelNotice,
  ChannelOutbox,
  NoticeMessage,
  Outbox,
  OutboxMessage,
} from '../../../../trading/books/outbox.ts';
import type { SqlReads } from '../sql.ts';
import type { NoticeRecord } from './outbox-mutations.ts';
import type { Writer } from './writer.ts';

interface OutboxOptions {
  readonly writer: Writer;
  readonly reads: SqlReads;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { writer } = options;
  const { all } = options.reads;
  return {
    async due(nowMs, limit) {
      const rows = await all(
        "SELECT id, trade_seq, payload, attempts FROM outbox WHERE channel = 'chat' AND next_attempt_at <= ? ORDER BY id LIMIT ?",
        nowMs,
        limit,
      );
      return rows.map((row) => ({
        id: Number(row.id),
        seq: Number(row.trade_seq),
        message: JSON.parse(row.payload as string) as OutboxMessage,
        attempts: Number(row.attempts),
      }));
    },
    async delivered(message, atMs, detail) {
      await writer.run('settleMessages', { messages: [rowOf(message)], atMs, kind: 'notified', detail });
    },
    async postponed(message, nextAttemptAtMs) {
      await writer.run('postponeMessage', { id: message.id, nextAttemptAtMs });
    },
    async abandoned(message, atMs, reason) {
      const [messages, kind] = [[rowOf(message)], 'notification-abandoned'];
      await writer.run('settleMessages', { messages, atMs, kind, detail: reason });
    },
  };
}

export function createChannelOutbox(options: OutboxOptions): ChannelOutbox {
  const { writer } = options;
  const { all } = options.reads;
  return {
    add: (notice, atMs) => writer.run('putUpNotices', { ...noticeRecord(notice), atMs }),
    async oldest(channel, limit) {
      const rows = await all(
        `SELECT id, trade_seq, payload, attempts, created_at, next_attempt_at FROM outbox
          WHERE channel = ? ORDER BY id LIMIT ?`,
        channel,
        limit,
      );
      return rows.map((row) => ({
        id: Number(row.id),
        seq: Number(row.trade_seq),
        message: JSON.parse(row.payload as string) as NoticeMessage,
        attempts: Number(row.attempts),
        createdAtMs: Number(row.created_at),
        nextAttemptAtMs: Number(row.next_attempt_at),
      }));
    },
    delivered: (channel, notices, atMs) =>
      writer.run('settleMessages', { messages: notices.map(rowOf), atMs, kind: 'notified', detail: channel }),
    postponed: ({ id }, nextAttemptAtMs) => writer.run('postponeMessage', { id, nextAttemptAtMs }),
    abandoned(channel, notices, atMs, reason) {
      const [messages, kind] = [notices.map(rowOf), 'notification-abandoned'];
      return writer.run('settleMessages', { messages, atMs, kind, detail: `${channel}: ${reason}` });
    },
    async waiting(channel) {
      const [row] = await all(
        'SELECT count(*) AS count, min(created_at) AS oldest FROM outbox WHERE channel = ?',
        channel,
      );
      return { count: Number(row?.count), oldestAtMs: row?.oldest === null ? undefined : Number(row?.oldest) };
    },
    addReport({ day, atMs, forChat, channels, message }) {
      const payload = JSON.stringify(message);
      return writer.run('addDailyReport', {
        day,
        atMs,
        payload,
        channels: [...(forChat ? ['chat'] : []), ...channels],
      });
    },
  };
}

const rowOf = ({ id, seq }: { readonly id: number; readonly seq: number }) => ({ id, seq });

export const noticeRecord = ({ channels, message }: ChannelNotice): NoticeRecord => ({
  channels,
  payload: JSON.stringify(message),
});
