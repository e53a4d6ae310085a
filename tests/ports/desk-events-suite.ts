// What every store of desk events must do: one order without gaps, and cursors that are worth what they say after a restart, in
// another database, and after a backup was put back.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { DeskEvents } from '../../src/trading/books/desk-events.ts';
import type { Journal } from '../../src/trading/books/journal.ts';
import { accepted, DAY_MS, fillOf, newTrade, outcomeStep, positionOf, START_MS, sendingStep } from './sample-trades.ts';

export interface OpenDeskEvents {
  readonly events: DeskEvents;
  readonly journal: Journal;
  reopen(): Promise<Pick<OpenDeskEvents, 'events' | 'journal'>>;
  /** Another database with what is in this one, as a backup is. */
  copy(): Promise<OpenDeskEvents>;
  close(): Promise<void>;
}

const add = (events: DeskEvents, count: number): Promise<void> =>
  events.add(
    Array.from({ length: count }, (_, index) => ({
      ...{ atMs: index, kind: 'alarm' as const, facts: { alarm: 'a', text: 't', state: 'raised' } },
    })),
  );

export function describeDeskEvents(name: string, openStore: () => Promise<OpenDeskEvents>): void {
  describe(name, () => {
    const opened: OpenDeskEvents[] = [];
    const open = async (from: () => Promise<OpenDeskEvents> = openStore): Promise<OpenDeskEvents> => {
      const one = await from();
      opened.push(one);
      await one.events.begin();
      return one;
    };
    const reopen = async (one: OpenDeskEvents): Promise<DeskEvents> => {
      const { events } = await one.reopen();
      await events.begin();
      return events;
    };
    let here: OpenDeskEvents;
    let events: DeskEvents;
    let journal: Journal;
    beforeEach(async () => {
      here = await open();
      ({ events, journal } = here);
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });
    const kinds = async () => (await events.after(0, 100)).map(({ kind }) => kind);

    describe('a cursor', () => {
      test('stays good over restarts', async () => {
        await add(events, 3);
        const cursors = [1, 2, 3].map((seq) => events.cursorOf(seq));
        const second = await reopen(here);
        await add(second, 2);
        expect(cursors.map((cursor) => second.seqOf(cursor))).toEqual([1, 2, 3]);
        expect([4, 5].map((seq) => second.seqOf(second.cursorOf(seq)))).toEqual([4, 5]);
        expect(await second.bounds()).toEqual({ oldest: 1, newest: 5 });
      });

      test('of another database, and one of what was lost with a backup that was put back, are of no use', async () => {
        await add(events, 3);
        const kept = events.cursorOf(2);
        const backup = await here.copy();
        const lost = await reopen(here);
        await add(lost, 2);
        const gone = lost.cursorOf(5);
        const { events: restored } = await open(async () => backup);
        await add(restored, 9);
        expect(restored.seqOf(gone)).toBeUndefined();
        expect(restored.seqOf(kept)).toBe(2);
        const { events: other } = await open();
        await add(other, 9);
        expect(other.seqOf(kept)).toBeUndefined();
      });

      test('that is none is of no use', async () => {
        await add(events, 1);
        for (const cursor of ['', '1', events.cursorOf(1).slice(1), `${events.cursorOf(1)}x`])
          expect(events.seqOf(cursor)).toBeUndefined();
      });

      test('begins a new history behind what was written in the same moment', async () => {
        await Promise.all([add(events, 2), events.begin(), add(events, 2)]);
        expect(events.cursorOf(2).slice(0, -1)).not.toBe(events.cursorOf(3).slice(0, -1));
      });
    });

    test('there are none at first', async () => {
      expect(await events.after(0, 10)).toEqual([]);
      expect(await events.bounds()).toEqual({ oldest: 1, newest: 0 });
    });

    test('what comes from another list is written once, however often its writing is tried', async () => {
      expect(await events.positionOf('audit')).toBeUndefined();
      const change = [{ atMs: 1, kind: 'change' as const, facts: {} }];
      await events.add(change, { name: 'audit', position: 7 });
      await events.add(change, { name: 'audit', position: 7 });
      expect(await events.positionOf('audit')).toBe(7);
      expect((await events.bounds()).newest).toBe(1);
      await events.add(change, { name: 'audit', position: 8 });
      expect((await events.bounds()).newest).toBe(2);
    });

    test('the steps of a trade are told in their order, with the trade and what changed', async () => {
      const trade = await accepted(journal);
      await journal.sending(sendingStep(trade));
      await journal.record(
        outcomeStep(trade.seq, 'filled', { fills: [fillOf(trade)], positions: [positionOf()], words: 'Filled.' }),
      );
      const told = await events.after(0, 10);
      expect(told.map(({ seq, kind, atMs }) => [seq, kind, atMs])).toEqual([
        [1, 'accepted', START_MS],
        [2, 'sending', START_MS + 1],
        [3, 'filled', START_MS + 2],
        [4, 'position', START_MS + 2],
      ]);
      expect(told.map((event) => event.trade?.requestId)).toEqual(Array(4).fill(trade.requestId));
      expect(told[2]?.facts).toMatchObject({ text: 'Filled.' });
      expect(told[3]?.facts).toMatchObject({ market: 'BTCUSDT', side: 'LONG', quantity: '0.5' });
    });

    test('a step whose first try may hold is told once', async () => {
      const trade = await accepted(journal);
      const step = outcomeStep(trade.seq, 'rejected', { positions: [positionOf()], words: 'No.' });
      const adoption = { positions: [positionOf()], books: [], detail: 'taken over', atMs: START_MS };
      await journal.record(step);
      await journal.record(step, true);
      await journal.adopt(adoption);
      await journal.adopt(adoption, true);
      expect(await kinds()).toEqual(['accepted', 'rejected', 'position', 'position']);
      await journal.adopt({ ...adoption, atMs: START_MS + 1 }, true);
      expect(await kinds()).toHaveLength(5);
    });

    test('pages go forward after a number and back before one, of the kinds that are asked for', async () => {
      const trade = await accepted(journal);
      await add(events, 3);
      await journal.record(outcomeStep(trade.seq, 'rejected', { words: 'No.' }));
      const seqs = (found: readonly { readonly seq: number }[]) => found.map(({ seq }) => seq);
      expect(seqs(await events.after(1, 2))).toEqual([2, 3]);
      expect(seqs(await events.before(5, 2))).toEqual([4, 3]);
      expect(seqs(await events.before(6, 9, ['trade']))).toEqual([5, 1]);
      expect(seqs(await events.before(6, 9, ['alarm', 'equity']))).toEqual([4, 3, 2]);
    });

    test('of what is written at once, each write has its events one behind the other, in the order of the writes', async () => {
      const [first, second] = [await accepted(journal), await accepted(journal)];
      await Promise.all([
        journal.sending(sendingStep(first)),
        journal.accept(newTrade(), DAY_MS, [newTrade({ account: 'other' })]),
        journal.record(outcomeStep(second.seq, 'rejected', { words: 'No.' })),
        add(events, 1),
      ]);
      expect(await kinds()).toEqual(['accepted', 'accepted', 'sending', 'accepted', 'accepted', 'rejected', 'alarm']);
      expect(await events.bounds()).toEqual({ oldest: 1, newest: 7 });
    });

    test('a write that fails beside others is not told, and leaves no gap', async () => {
      const trade = newTrade();
      const results = await Promise.allSettled([
        journal.accept(trade, DAY_MS),
        journal.accept(trade, DAY_MS),
        add(events, 1),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(StorageError);
      expect((await events.after(0, 10)).map(({ seq, kind }) => [seq, kind])).toEqual([
        [1, 'accepted'],
        [2, 'alarm'],
      ]);
    });

    test('whoever watches is called after a commit, until he has enough', async () => {
      let calls = 0;
      const end = events.watch(() => calls++);
      await add(events, 1);
      expect(calls).toBe(1);
      end();
      await add(events, 1);
      expect(calls).toBe(1);
    });

    test('the oldest are forgotten, a thousand at a time, and a hundred thousand kept', {
      timeout: 120_000,
    }, async () => {
      await add(events, 7);
      for (let count = 0; count < 21; count++) await add(events, 5000);
      expect(await events.bounds()).toEqual({ oldest: 5001, newest: 105_007 });
    });
  });
}
