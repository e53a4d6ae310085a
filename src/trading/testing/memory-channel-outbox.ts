// The channels' outbox in memory for tests: rows that can be looked at, a history in words, and a disk that can be full.

import type { Channel, ChannelOutbox, NoticeTopic, StoredNotice } from '../books/outbox.ts';

export interface MemoryChannelOutbox extends ChannelOutbox {
  readonly rows: (StoredNotice & { readonly channel: Channel })[];
  readonly history: string[];
  diskFull: boolean;
  put(channel: Channel, summary: string, atMs: number, topic?: NoticeTopic): void;
}

export function createMemoryChannelOutbox(): MemoryChannelOutbox {
  const rows: MemoryChannelOutbox['rows'] = [];
  const history: string[] = [];
  const days = new Set<string>();
  let lastId = 0;
  const write = (work: () => void): void => {
    if (outbox.diskFull) throw new Error('disk full');
    work();
  };
  const settle = (notices: readonly StoredNotice[], words: string): void => {
    for (const { id, message } of notices) {
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) rows.splice(at, 1);
      history.push(`${words}: ${message.summary}`);
    }
  };
  const outbox: MemoryChannelOutbox = {
    rows,
    history,
    diskFull: false,
    put(channel, summary, atMs, topic = 'trades') {
      const message = { kind: 'notice', topic, summary } as const;
      rows.push({ id: ++lastId, seq: 1, channel, message, attempts: 0, createdAtMs: atMs, nextAttemptAtMs: atMs });
    },
    add: async ({ channels, message }, atMs) =>
      write(() => {
        for (const channel of channels) outbox.put(channel, message.summary, atMs, message.topic);
      }),
    oldest: async (channel, limit) => rows.filter((row) => row.channel === channel).slice(0, limit),
    delivered: async (channel, notices) => write(() => settle(notices, `${channel} delivered`)),
    abandoned: async (channel, notices, _, reason) => write(() => settle(notices, `${channel} gave up, ${reason}`)),
    postponed: async ({ id }, nextAttemptAtMs) =>
      write(() => {
        const at = rows.findIndex((row) => row.id === id);
        const row = rows[at] as (typeof rows)[number];
        rows[at] = { ...row, attempts: row.attempts + 1, nextAttemptAtMs };
      }),
    waiting: async (channel) => {
      const waiting = rows.filter((row) => row.channel === channel);
      return { count: waiting.length, oldestAtMs: waiting[0]?.createdAtMs };
    },
    addReport: async ({ day, channels, message, atMs }) => {
      if (days.has(day)) return false;
      write(() => {
        for (const channel of channels) outbox.put(channel, message.summary, atMs, message.topic);
      });
      days.add(day);
      return true;
    },
  };
  return outbox;
}
