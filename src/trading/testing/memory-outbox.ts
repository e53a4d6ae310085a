// An outbox in memory for tests: rows that can be looked at, a history in words, and a disk that can be full.

import type { Outbox, OutboxMessage, StoredMessage } from '../books/outbox.ts';

/** As real storage does: whoever settled the trade delivers first. */
const FIRST_DELIVERY_MS = 2000;

export interface MemoryOutbox extends Outbox {
  readonly rows: Map<number, StoredMessage & { readonly nextAttemptAtMs: number }>;
  readonly history: string[];
  diskFull: boolean;
  put(id: number, message: OutboxMessage, nowMs: number): StoredMessage;
}

export function createMemoryOutbox(): MemoryOutbox {
  const rows: MemoryOutbox['rows'] = new Map();
  const history: string[] = [];
  const write = (work: () => void): void => {
    if (outbox.diskFull) throw new Error('disk full');
    work();
  };
  const settle = (id: number, words: string): void => {
    if (rows.delete(id)) history.push(words);
  };
  const outbox: MemoryOutbox = {
    rows,
    history,
    diskFull: false,
    put(id, message, nowMs) {
      const stored = { id, seq: id, message, attempts: 0 };
      rows.set(id, { ...stored, nextAttemptAtMs: nowMs + FIRST_DELIVERY_MS });
      return stored;
    },
    due: async (nowMs, limit) =>
      [...rows.values()]
        .filter(({ nextAttemptAtMs }) => nextAttemptAtMs <= nowMs)
        .slice(0, limit)
        .map(({ nextAttemptAtMs: _, ...stored }) => stored),
    delivered: async ({ id }, _, detail) => write(() => settle(id, `delivered ${id} ${detail}`)),
    abandoned: async ({ id }, _, reason) => write(() => settle(id, `abandoned ${id} ${reason}`)),
    postponed: async ({ id }, nextAttemptAtMs) =>
      write(() => {
        const row = rows.get(id) as StoredMessage;
        rows.set(id, { ...row, attempts: row.attempts + 1, nextAttemptAtMs });
      }),
  };
  return outbox;
}
