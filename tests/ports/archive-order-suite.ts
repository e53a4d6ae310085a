// What every journal must keep of rows that name each other: none leaves while another that stays, or leaves later, still names it.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { tradeIdOf } from '../../src/trading/books/journal.ts';
import { type ArchivableJournal, archiveJournal } from '../../src/trading/books/journal-archive.ts';
import type { RefusalStore } from '../../src/trading/intake/refusals.ts';
import type { OpenArchive } from './archive-suite.ts';
import { accepted, DAY_MS, newTrade, outcomeStep, START_MS, type TradeChanges } from './sample-trades.ts';

export type OpenArchiveOrder = Pick<OpenArchive, 'journal' | 'archivable' | 'history' | 'close'> & {
  readonly refusals: RefusalStore;
};

const BEFORE_MS = START_MS + 100 * DAY_MS;
const dayMs = (day: number): number => START_MS + day * DAY_MS;

class Killed extends Error {}

export function describeArchiveOrder(name: string, open: () => Promise<OpenArchiveOrder>): void {
  describe(name, () => {
    let opened: OpenArchiveOrder;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function ended(day: number, changes: TradeChanges = {}) {
      const trade = await accepted(opened.journal, { receivedAtMs: dayMs(day), ...changes });
      await opened.journal.record(outcomeStep(trade.seq, 'expired', { atMs: dayMs(day) + 1 }));
      return trade;
    }
    /** The newest rows stay in any case. */
    const newest = () => ended(500);
    const refused = (id: string, day: number) =>
      opened.refusals.add(
        [
          {
            ...{
              id,
              receivedAtMs: dayMs(day),
              door: '/webhook',
              keyLabel: 'mine',
              status: 400,
              code: 'INVALID_PARAMS',
            },
            ...{ error: 'no', faults: [], body: '' },
          },
        ],
        { maxOthers: 1000, maxOfKeys: 1000 },
      );
    const resent = (refusalId: string, day: number) =>
      ended(day, { resendOf: { refusalId, refusedAtMs: dayMs(day), guardUntilMs: dayMs(day) } });

    async function archive(archivable: ArchivableJournal = opened.archivable) {
      const progress = { trades: 0, rows: 0, months: new Set<string>() };
      // What stands in the files is another suite's: here they hold what they are given.
      const files = { write: async ({ digest }: { readonly digest: string }) => digest };
      await archiveJournal({ journal: archivable, files, timers: foregroundTimers }, { beforeMs: BEFORE_MS, progress });
      return progress;
    }
    const left = async () => (await opened.journal.trades({ limit: 100 })).map(({ requestId }) => requestId);

    test('a trade stays as long as the refused signal that was sent again as it', async () => {
      await refused('first', 1);
      const trade = await resent('first', 2);
      const other = await ended(3);
      await newest();
      await archive();
      expect(await left()).toContain(trade.requestId);
      expect(await left()).not.toContain(other.requestId);
      // Until now it was the newest one, which stays in any case.
      await refused('second', 4);
      await archive();
      expect(await opened.refusals.find('first')).toBeUndefined();
      expect(await left()).not.toContain(trade.requestId);
    });

    test('a refused signal leaves before the trade that it was sent again as, whoever has begun with that', async () => {
      await refused('first', 1);
      const trade = await resent('first', 2);
      await refused('second', 3);
      await newest();
      const { archivable } = opened;
      await archivable.beginLeaving([[trade.seq]], BEFORE_MS);
      const removing: string[] = [];
      const killed: ArchivableJournal = {
        ...archivable,
        remove: (batch, beforeMs) =>
          removing.push(batch.of) === 1 ? archivable.remove(batch, beforeMs) : Promise.reject(new Killed()),
      };
      await expect(archive(killed)).rejects.toThrow(Killed);
      expect(await opened.refusals.find('first')).toBeUndefined();
      expect(await left()).toContain(trade.requestId);
      expect(removing).toEqual(['refusals', 'trades']);
      await archive();
      expect(await left()).not.toContain(trade.requestId);
    });

    test('a trade of a signal stays while another trade of that signal has no end yet', async () => {
      const signal = async (day: number) => {
        const first = newTrade({ receivedAtMs: dayMs(day) });
        const second = { ...first, requestId: tradeIdOf(first.requestId, 2), account: 'scalp' };
        const acceptance = await opened.journal.accept(first, DAY_MS, [second]);
        if (!acceptance.accepted) throw new Error('it was no duplicate');
        return { first, second, seqs: acceptance.seqs };
      };
      const [half, whole] = [await signal(1), await signal(2)];
      for (const seq of [half.seqs[0], ...whole.seqs])
        await opened.journal.record(outcomeStep(seq, 'expired', { atMs: dayMs(3) }));
      await newest();
      await archive();
      const ids = await left();
      for (const { requestId } of [half.first, half.second]) expect(ids).toContain(requestId);
      for (const { requestId } of [whole.first, whole.second]) expect(ids).not.toContain(requestId);
    });

    test('since when the journal is whole is also told when no trade has left', async () => {
      await refused('first', 1);
      await refused('second', 2);
      await newest();
      expect(await archive()).toMatchObject({ trades: 0 });
      expect(await opened.refusals.find('first')).toBeUndefined();
      expect(await opened.history.completeFromMs()).toBe(BEFORE_MS);
    });
  });
}
