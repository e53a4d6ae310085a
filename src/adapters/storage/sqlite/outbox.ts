// The outbox port on SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { Outbox, OutboxMessage } from '../../../trading/books/outbox.ts';
import { queries } from './database.ts';
import type { Writer } from './writer.ts';

export function createOutbox(options: { writer: Writer; reader: DatabaseSync; path: string }): Outbox {
  const { writer } = options;
  const all = queries(options.reader, options.path);
  return {
    async due(nowMs, limit) {
      return all(
        'SELECT id, trade_seq, payload, attempts FROM outbox WHERE next_attempt_at <= ? ORDER BY id LIMIT ?',
        nowMs,
        limit,
      ).map((row) => ({
        id: Number(row.id),
        seq: Number(row.trade_seq),
        message: JSON.parse(row.payload as string) as OutboxMessage,
        attempts: Number(row.attempts),
      }));
    },
    async delivered(message, atMs, detail) {
      await writer.run('settleMessage', { id: message.id, seq: message.seq, atMs, kind: 'notified', detail });
    },
    async postponed(message, nextAttemptAtMs) {
      await writer.run('postponeMessage', { id: message.id, nextAttemptAtMs });
    },
    async abandoned(message, atMs, reason) {
      const { id, seq } = message;
      await writer.run('settleMessage', { id, seq, atMs, kind: 'notification-abandoned', detail: reason });
    },
  };
}
