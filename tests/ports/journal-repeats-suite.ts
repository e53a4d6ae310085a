// What every journal must do with a step whose first try may hold: look for it, and write it only where it is not there.

import { describe, expect, test } from 'vitest';
import { toText } from '../../src/trading/decimal.ts';
import type { OpenJournal } from './journal-claims-suite.ts';
import { accepted, fillOf, outcomeStep, positionOf, sendingStep } from './sample-trades.ts';

const MESSAGE = { kind: 'notify', notify: { parseMode: 'Plain' }, summary: 'done' } as const;

export function describeRepeats(opened: () => OpenJournal): void {
  const eventsOf = async (requestId: string) =>
    (await opened().journal.trade(requestId))?.events.map(({ kind, detail }) => [kind, detail]);

  describe('a step that may be there already', () => {
    test('is not written again where it is, and its message is left to the outbox', async () => {
      const { journal } = opened();
      const trade = await accepted(journal);
      await journal.sending(sendingStep(trade));
      const event = { kind: 'filled', detail: 'something to tell' };
      const more = { event, message: MESSAGE, fills: [fillOf(trade)], positions: [positionOf()] };
      const step = outcomeStep(trade.seq, 'filled', more);
      expect((await journal.record(step)).messageId).toBeGreaterThan(0);
      const before = await eventsOf(trade.requestId);
      expect(await journal.record(step, true)).toEqual({});
      expect(await eventsOf(trade.requestId)).toEqual(before);
    });

    test('is known by its rows, where it is told by nothing else', async () => {
      const { journal } = opened();
      const trade = await accepted(journal);
      await journal.sending(sendingStep(trade));
      const [fill] = [fillOf(trade)];
      const words = { orderId: 'o1', executedQuantity: fill.quantity, averagePrice: fill.price };
      const event = { kind: 'filled', detail: `o1, ${toText(fill.quantity)} at ${toText(fill.price)}` };
      const order = { ...words, clientOrderId: fill.clientOrderId, state: 'filled' as const };
      const step = outcomeStep(trade.seq, 'filled', { ...words, event, order, fills: [fill], message: MESSAGE });
      expect((await journal.record(step)).messageId).toBeGreaterThan(0);
      expect(await journal.record(step, true)).toEqual({});
      expect(await eventsOf(trade.requestId)).toEqual([
        ['accepted', undefined],
        ['sending', 'open'],
        ['filled', event.detail],
      ]);
    });

    test('is written where it is not, also when a step like it is', async () => {
      const { journal } = opened();
      const trade = await accepted(journal);
      const at = (detail: string) => outcomeStep(trade.seq, 'sending', { event: { kind: 'note', detail } });
      await journal.record(at('first'), true);
      await journal.record(at('second'), true);
      const message = { message: MESSAGE, orderId: 'o1', error: 'in words' };
      expect((await journal.record(outcomeStep(trade.seq, 'rejected', message), true)).messageId).toBeGreaterThan(0);
      expect((await eventsOf(trade.requestId))?.map(([kind]) => kind)).toEqual([
        'accepted',
        'note',
        'note',
        'rejected',
      ]);
      expect((await journal.trade(trade.requestId))?.trade).toMatchObject({ state: 'rejected', error: 'in words' });
    });

    test('of an adoption is written where it is not', async () => {
      const { journal } = opened();
      await journal.adopt({ positions: [positionOf()], books: [], detail: 'taken over', atMs: 7 }, true);
      expect(await journal.positions()).toEqual([positionOf()]);
    });
  });
}
