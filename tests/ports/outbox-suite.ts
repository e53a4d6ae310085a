// What every outbox must do: hand out what is due, and settle each message together with its trade's history.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal } from '../../src/trading/books/journal.ts';
import type {
  ChannelOutbox,
  NotifyMessage,
  Outbox,
  OutboxMessage,
  StoredMessage,
} from '../../src/trading/books/outbox.ts';
import { PLACEHOLDERS, type TemplateValues } from '../../src/trading/books/outcome-values.ts';
import { accepted, outcomeStep, START_MS } from './sample-trades.ts';

export interface OpenOutbox {
  readonly outbox: Outbox;
  readonly channelOutbox: ChannelOutbox;
  readonly journal: Journal;
  reopen(): Promise<Pick<OpenOutbox, 'outbox' | 'channelOutbox' | 'journal'>>;
  close(): Promise<void>;
}

/** Later than any first attempt. */
const LATER_MS = START_MS + 3_600_000;
const MESSAGE: NotifyMessage = {
  kind: 'notify',
  notify: { chatId: '-100', message: 'Größe 🚂\n"x"', parseMode: 'HTML' },
  summary: 'LONG 0.5 BTCUSDT: Filled',
};

export function describeOutbox(name: string, open: () => Promise<OpenOutbox>): void {
  describe(name, () => {
    let opened: OpenOutbox;
    let requestId: string;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const put = async (message: OutboxMessage = MESSAGE): Promise<StoredMessage> => {
      const trade = await accepted(opened.journal);
      requestId = trade.requestId;
      const { messageId } = await opened.journal.record(outcomeStep(trade.seq, 'filled', { message }));
      return { id: messageId as number, seq: trade.seq, message, attempts: 0 };
    };
    const due = (nowMs = LATER_MS, limit = 10) => opened.outbox.due(nowMs, limit);
    const lastEvent = async () => (await opened.journal.trade(requestId))?.events.at(-1);

    test('is empty at first', async () => {
      expect(await due()).toEqual([]);
    });

    test('keeps a message exactly, over a restart', async () => {
      const stored = await put();
      const again = await opened.reopen();
      expect(await again.outbox.due(LATER_MS, 10)).toEqual([stored]);
    });

    test('keeps the values of a template and an outcome nobody asked for', async () => {
      const values = Object.fromEntries(PLACEHOLDERS.map((name) => [name, `<${name}> 🚂`])) as TemplateValues;
      const notify = await put({ ...MESSAGE, values, tellOwner: true });
      const outcome = await put({ kind: 'outcome', summary: 'LONG 0.5 BTCUSDT: Filled' });
      expect(await due()).toEqual([notify, outcome]);
    });

    test('leaves the first delivery to whoever settled the trade', async () => {
      await put();
      expect(await due(START_MS + 2)).toEqual([]);
    });

    test('hands out the oldest first, no more than asked for', async () => {
      const messages = [await put(), await put(), await put()];
      expect(await due(LATER_MS, 2)).toEqual(messages.slice(0, 2));
    });

    test('a delivered message is gone and is in the history', async () => {
      const stored = await put();
      await opened.outbox.delivered(stored, START_MS + 7, 'message 42');
      expect(await due()).toEqual([]);
      expect(await lastEvent()).toEqual({ kind: 'notified', detail: 'message 42', atMs: START_MS + 7 });
    });

    test('a message delivered twice is in the history once', async () => {
      const stored = await put();
      await Promise.all([1, 2].map(() => opened.outbox.delivered(stored, START_MS + 7, 'message 42')));
      const events = (await opened.journal.trade(requestId))?.events ?? [];
      expect(events.filter(({ kind }) => kind === 'notified')).toHaveLength(1);
    });

    test('a postponed message comes back at its time with one attempt more', async () => {
      const stored = await put();
      await opened.outbox.postponed(stored, LATER_MS);
      expect(await due(LATER_MS - 1)).toEqual([]);
      expect(await due(LATER_MS)).toEqual([{ ...stored, attempts: 1 }]);
      await opened.outbox.postponed(stored, LATER_MS);
      expect(await due(LATER_MS)).toEqual([{ ...stored, attempts: 2 }]);
    });

    test('an abandoned message is gone, with the reason in the history', async () => {
      const stored = await put();
      await opened.outbox.abandoned(stored, START_MS + 9, 'the chat does not exist');
      expect(await due()).toEqual([]);
      expect(await lastEvent()).toMatchObject({ kind: 'notification-abandoned', detail: 'the chat does not exist' });
    });

    test('a message of a step that failed does not exist', async () => {
      const trade = await accepted(opened.journal);
      const step = outcomeStep(trade.seq, 'filled', { message: MESSAGE, atMs: Number.NaN });
      await expect(opened.journal.record(step)).rejects.toThrow();
      expect(await due()).toEqual([]);
    });
  });
}

const NOTICE = { kind: 'notice', topic: 'trades', summary: 'LONG 0.5 BTCUSDT: Filled 🚂' } as const;
const ALARM = { kind: 'notice', topic: 'alarms', summary: 'the venue is down' } as const;

/** What the lines of the other channels must do: a row for each channel, which is settled for it alone. */
export function describeChannelOutbox(name: string, open: () => Promise<OpenOutbox>): void {
  describe(name, () => {
    let opened: OpenOutbox;
    let requestId: string;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const put = async (): Promise<number> => {
      const trade = await accepted(opened.journal);
      requestId = trade.requestId;
      const notice = { channels: ['discord', 'mail'], message: NOTICE } as const;
      await opened.journal.record(outcomeStep(trade.seq, 'filled', { message: MESSAGE, notice, atMs: START_MS }));
      return trade.seq;
    };
    const events = async (): Promise<unknown> =>
      (await opened.journal.trade(requestId))?.events.map(({ kind, detail }) => ({ kind, detail })).slice(-2);

    test('a step puts up a row for each channel, due at once, over a restart', async () => {
      const seq = await put();
      const { channelOutbox } = await opened.reopen();
      const row = { seq, message: NOTICE, attempts: 0, createdAtMs: START_MS, nextAttemptAtMs: START_MS };
      expect(await channelOutbox.oldest('discord', 10)).toEqual([{ ...row, id: expect.any(Number) }]);
      expect(await channelOutbox.oldest('mail', 10)).toEqual([{ ...row, id: expect.any(Number) }]);
      expect(await channelOutbox.oldest('ntfy', 10)).toEqual([]);
    });

    test('the chat is handed none of them, and the channels none of its messages', async () => {
      await put();
      await opened.channelOutbox.add({ channels: ['ntfy'], message: ALARM }, START_MS);
      expect((await opened.outbox.due(LATER_MS, 10)).map(({ message }) => message)).toEqual([MESSAGE]);
      expect(await opened.channelOutbox.waiting('chat')).toMatchObject({ count: 1 });
    });

    test('each channel is settled by itself, with its own line in the history', async () => {
      await put();
      const [discord] = [
        await opened.channelOutbox.oldest('discord', 10),
        await opened.channelOutbox.oldest('mail', 10),
      ];
      await opened.channelOutbox.delivered('discord', discord, START_MS + 7);
      await opened.channelOutbox.delivered('discord', discord, START_MS + 8);
      expect(await opened.channelOutbox.oldest('discord', 10)).toEqual([]);
      const left = await opened.channelOutbox.oldest('mail', 10);
      expect(left).toHaveLength(1);
      await opened.channelOutbox.abandoned('mail', left, START_MS + 9, 'no such user');
      expect(await events()).toEqual([
        { kind: 'notified', detail: 'discord' },
        { kind: 'notification-abandoned', detail: 'mail: no such user' },
      ]);
    });

    test('the line is kept in order, and a postponed first stays the first', async () => {
      for (const summary of ['one', 'two', 'three'])
        await opened.channelOutbox.add({ channels: ['ntfy'], message: { ...ALARM, summary } }, START_MS);
      const [first] = await opened.channelOutbox.oldest('ntfy', 1);
      if (first === undefined) throw new Error('nothing waits');
      await opened.channelOutbox.postponed(first, LATER_MS);
      const line = await opened.channelOutbox.oldest('ntfy', 2);
      expect(line.map(({ message }) => message.summary)).toEqual(['one', 'two']);
      expect(line[0]).toMatchObject({ attempts: 1, nextAttemptAtMs: LATER_MS });
      expect(await opened.channelOutbox.waiting('ntfy')).toEqual({ count: 3, oldestAtMs: START_MS });
      expect(await opened.channelOutbox.waiting('mail')).toEqual({ count: 0, oldestAtMs: undefined });
    });

    test('the report of a day is put up once, for the chat and the channels', async () => {
      const message = { kind: 'notice', topic: 'report', summary: 'a good day' } as const;
      const report = { day: '2026-11-16', channels: ['mail'], forChat: true, message, atMs: START_MS } as const;
      const tried = await Promise.all([1, 2, 3].map(() => opened.channelOutbox.addReport(report)));
      expect(tried.filter(Boolean)).toHaveLength(1);
      const again = await opened.reopen();
      expect(await again.channelOutbox.addReport(report)).toBe(false);
      expect(await again.channelOutbox.oldest('mail', 10)).toHaveLength(1);
      expect((await again.outbox.due(LATER_MS, 10)).map((stored) => stored.message)).toEqual([message]);
      expect(await again.channelOutbox.addReport({ ...report, day: '2026-11-17' })).toBe(true);
    });
  });
}
