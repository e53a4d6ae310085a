// The outbox port on SQLite.

import type { DatabaseSync } from 'node:sqlite';
import type { Outbox, OutboxMessage } from '../../../trading/outbox.ts';
import { statements } from './database.ts';
import type { Writer } from './writer.ts';

export function createOutbox({ writer, reader }: { writer: Writer; reader: DatabaseSync }): Outbox {
  const sql = statements(reader);
  return {
    async due(nowMs, limit) {
      return sql('SELECT id, trade_seq, payload, attempts FROM outbox WHERE next_attempt_at <= ? ORDER BY id LIMIT ?')
        .all(nowMs, limit)
        .map((row) => ({
          id: Number(row.id),
          seq: Number(row.trade_seq),
          message: JSON.parse(row.payload as string) as OutboxMessage,
          attempts: Number(row.attempts),
        }));
    },
    async delivered(message, atMs, detail) {
      await writer.run('settleMessage', [message.id, message.seq, atMs, 'notified', detail]);
    },
    async postponed(message, nextAttemptAtMs) {
      await writer.run('postponeMessage', [nextAttemptAtMs, message.id]);
    },
    async abandoned(message, atMs, reason) {
      await writer.run('settleMessage', [message.id, message.seq, atMs, 'notification-abandoned', reason]);
    },
  };
}
