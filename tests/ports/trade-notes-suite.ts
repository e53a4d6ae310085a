// What every store of trade notes must do: change what is named and nothing else, tell what was before, and find by trade and tag.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Journal } from '../../src/trading/books/journal.ts';
import { NO_NOTE, type TradeNotes } from '../../src/trading/books/trade-notes.ts';
import { accepted, newTrade } from './sample-trades.ts';

export interface OpenTradeNotes {
  readonly notes: TradeNotes;
  readonly journal: Journal;
  reopen(): Promise<Pick<OpenTradeNotes, 'notes' | 'journal'>>;
  close(): Promise<void>;
}

export function describeTradeNotes(name: string, open: () => Promise<OpenTradeNotes>): void {
  describe(name, () => {
    let opened: OpenTradeNotes;
    let notes: TradeNotes;
    let journal: Journal;
    beforeEach(async () => {
      opened = await open();
      ({ notes, journal } = opened);
    });
    afterEach(() => opened.close());

    test('a trade without a note is left out, and an unknown trade cannot have one', async () => {
      const trade = await accepted(journal);
      expect(await notes.of([trade])).toEqual(new Map());
      expect(await notes.of([])).toEqual(new Map());
      expect(await notes.change(newTrade().requestId, { note: 'x' }, 1)).toBeUndefined();
    });

    test('a change names what was before, leaves the rest as it is, and is there after a restart', async () => {
      const [trade, other] = [await accepted(journal), await accepted(journal)];
      const first = { note: 'Größe 🚂\n"x"', tags: ['b', 'a'] };
      expect(await notes.change(trade.requestId, first, 1)).toEqual({ before: NO_NOTE, after: first });
      const second = { ...first, note: 'later' };
      expect(await notes.change(trade.requestId, { note: 'later' }, 2)).toEqual({ before: first, after: second });
      const again = (await opened.reopen()).notes;
      expect(await again.of([trade, other])).toEqual(new Map([[trade.seq, second]]));
    });

    test('a note whose words and tags are taken away is gone', async () => {
      const trade = await accepted(journal);
      await notes.change(trade.requestId, { note: 'x', tags: ['a'] }, 1);
      await notes.change(trade.requestId, { tags: [] }, 2);
      expect(await notes.of([trade])).toEqual(new Map([[trade.seq, { note: 'x', tags: [] }]]));
      await notes.change(trade.requestId, { note: '' }, 3);
      expect(await notes.of([trade])).toEqual(new Map());
    });

    test('trades are found by a tag as long as they have it, and by letters of the note', async () => {
      const [trade, other] = [await accepted(journal), await accepted(journal)];
      const found = async (filter: object) =>
        (await journal.trades({ limit: 9, ...filter })).map(({ requestId }) => requestId);
      await notes.change(trade.requestId, { note: 'Too Early, ПОКУПКА Übel', tags: ['a', 'b'] }, 1);
      await notes.change(other.requestId, { tags: ['b'] }, 1);
      expect(await found({ tag: 'a' })).toEqual([trade.requestId]);
      expect(await found({ tag: 'b' })).toEqual([other.requestId, trade.requestId]);
      expect(await found({ search: 'too early' })).toEqual([trade.requestId]);
      // Of A to Z in any case, of other letters as they are stored.
      expect(await found({ search: 'ПОКУПКА ÜBEL' })).toEqual([trade.requestId]);
      await notes.change(trade.requestId, { tags: ['c'] }, 2);
      expect(await found({ tag: 'a' })).toEqual([]);
    });
  });
}
