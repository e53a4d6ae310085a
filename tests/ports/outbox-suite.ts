// What every outbox must do: hand out what is due, and settle each message together with its trade's history.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal } from '../../src/trading/books/journal.ts';
import type { NotifyMessage, Outbox, OutboxMessage, StoredMessage } from '../../src/trading/books/outbox.ts';
import { PLACEHOLDERS, type TemplateValues } from '../../src/trading/books/outcome-values.ts';
import { accepted, outcomeStep, START_MS } from './sample-trades.ts';

export interface OpenOutbox {
  readonly outbox: Outbox;
  readonly journal: Journal;
  reopen(): Promise<Pick<OpenOutbox, 'outbox' | 'journal'>>;
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
