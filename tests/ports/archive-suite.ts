// What every journal must keep when old rows leave it: nothing is lost, nothing is doubled, and what still counts stays.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ArchiveWriter } from '../../src/adapters/storage/sqlite/archive/archive-file.ts';
import { archiveFilesIn, openArchiveFiles } from '../../src/adapters/storage/sqlite/archive/archive-files.ts';
import type { PaperLedger, PaperOrderRow } from '../../src/adapters/venues/paper/ledger.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import type { DeskEvents } from '../../src/trading/books/desk-events.ts';
import type { TradedFillHistory } from '../../src/trading/books/fill-history.ts';
import type { Journal } from '../../src/trading/books/journal.ts';
import { type ArchivableJournal, type ArchiveFiles, archiveJournal } from '../../src/trading/books/journal-archive.ts';
import type { SignalStore } from '../../src/trading/books/signal-store.ts';
import type { TradeNotes } from '../../src/trading/books/trade-notes.ts';
import { decimal, toText } from '../../src/trading/decimal.ts';
import { clientOrderId } from '../../src/trading/execution/client-order-id.ts';
import { accepted, DAY_MS, fillOf, newTrade, outcomeStep, positionOf, START_MS, sendingStep } from './sample-trades.ts';

export interface OpenArchive {
  readonly journal: Journal;
  readonly archivable: ArchivableJournal;
  readonly history: TradedFillHistory;
  readonly notes: TradeNotes;
  readonly signals: SignalStore;
  readonly events: DeskEvents;
  readonly paperLedger: PaperLedger;
  close(): Promise<void>;
}

const BEFORE_MS = START_MS + 100 * DAY_MS;

class Killed extends Error {}

const paperOrder = (changes: Partial<PaperOrderRow>): PaperOrderRow => ({
  ...{ exchange: 'binance', account: 'main', clientOrderId: '', orderId: '', market: 'BTCUSDT', side: 'SELL' },
  ...{ positionSide: 'LONG', reduceOnly: true, status: 'filled', quantity: '1', price: null, executedQuantity: '1' },
  ...{ averagePrice: '1', reason: null, createdAtMs: START_MS, updatedAtMs: START_MS },
  ...changes,
});

export function describeArchive(name: string, open: () => Promise<OpenArchive>): void {
  describe(name, () => {
    let opened: OpenArchive;
    let journal: Journal;
    let folder: string;
    const writer = new ArchiveWriter();
    beforeEach(async () => {
      opened = await open();
      journal = opened.journal;
      folder = join(mkdtempSync(join(tmpdir(), 'signalbox-archive-')), 'archive');
    });
    afterEach(async () => {
      await opened.close();
      writer.close();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    });

    /** A trade that fills at once on that day, counted from the start. */
    async function traded(
      day: number,
      {
        side = 'BUY',
        market = 'BTCUSDT',
        state = 'filled' as const,
        idempotencyKey = undefined as string | undefined,
      } = {},
    ) {
      const atMs = START_MS + day * DAY_MS;
      const order = { market, symbol: market, ...(idempotencyKey && { idempotencyKey }) };
      const trade = await accepted(journal, { receivedAtMs: atMs, order });
      const leg = side === 'BUY' ? 'open' : 'close';
      const request = { side: side as 'BUY' | 'SELL', clientOrderId: clientOrderId(trade.requestId, leg) };
      await journal.sending(sendingStep(trade, { atMs: atMs + 1, leg, request }));
      const fill = fillOf(trade, { clientOrderId: request.clientOrderId, atMs: atMs + 2 });
      const position = positionOf({ market, quantity: decimal(side === 'BUY' ? '0.5' : '0'), updatedAtMs: atMs + 2 });
      await journal.record(outcomeStep(trade.seq, state, { atMs: atMs + 2, fills: [fill], positions: [position] }));
      return trade;
    }
    const cycle = async (day: number, market?: string) => [
      await traded(day, market ? { market } : {}),
      await traded(day + 1, { side: 'SELL', ...(market && { market }) }),
    ];
    /** Something of today: the newest rows stay in any case. */
    const newest = async () => {
      const [trade] = await cycle(500, 'ETHUSDT');
      return trade!;
    };

    const progress = () => ({ trades: 0, rows: 0, months: new Set<string>() });
    const filesHere: ArchiveFiles = { write: (batch) => writer.write(join(folder, `${batch.month}.db`), batch) };
    const archive = async (
      changes: { archivable?: ArchivableJournal; files?: ArchiveFiles; beforeMs?: number } = {},
    ) => {
      const { archivable = opened.archivable, files = filesHere, beforeMs = BEFORE_MS } = changes;
      const done = progress();
      const parts = { journal: archivable, files, timers: foregroundTimers };
      await archiveJournal(parts, { beforeMs, progress: done });
      return done;
    };
    const left = async () => (await journal.trades({ limit: 1000 })).map(({ requestId }) => requestId).reverse();
    const fills = async () => {
      const found = [];
      for await (const page of opened.history.pages({})) found.push(...page);
      return found;
    };
    /** What a query finds in all files together. */
    async function filed(text: string) {
      const rows = [];
      for (const { path } of await archiveFilesIn(folder)) {
        const db = new DatabaseSync(path, { readOnly: true });
        rows.push(...db.prepare(text).all());
        db.close();
      }
      return rows;
    }
    const filedIds = async () =>
      (await filed('SELECT request_id FROM trades ORDER BY seq')).map(({ request_id: id }) => id);

    test('trades that have ended go into the file of their month, with all that belongs to them', async () => {
      const [first, second] = await cycle(1);
      await opened.notes.change(first!.requestId, { note: 'why', tags: ['a', 'b'] }, 1);
      const last = await newest();
      const before = await journal.trade(first!.requestId);
      const [positions, books] = [await journal.positions(), await journal.strategyBooks()];
      const done = await archive();
      expect(done.trades).toBe(2);
      expect(await left()).not.toContain(first!.requestId);
      expect((await left())[0]).toBe(last.requestId);
      expect(await filedIds()).toEqual([first!.requestId, second!.requestId]);
      expect([...done.months]).toEqual((await archiveFilesIn(folder)).map(({ month }) => month));
      expect(await filed('SELECT note FROM trade_notes')).toEqual([{ note: 'why' }]);
      expect(await filed('SELECT tag FROM trade_tags ORDER BY tag')).toEqual([{ tag: 'a' }, { tag: 'b' }]);
      expect(await filed('SELECT signal_id FROM trade_signals ORDER BY seq')).toHaveLength(2);
      expect((await filed('SELECT kind FROM desk_events')).length).toBeGreaterThanOrEqual(4);
      expect(await filed('SELECT kind FROM events WHERE trade_seq = 1 ORDER BY step')).toEqual(
        before!.events.map(({ kind }) => ({ kind })),
      );
      expect(await filed('SELECT quantity, price FROM fills ORDER BY trade_seq LIMIT 1')).toEqual([
        { quantity: '0.5', price: '68000.1' },
      ]);
      expect(await journal.positions()).toEqual(positions);
      expect(await journal.strategyBooks()).toEqual(books);
      expect(await opened.history.completeFromMs()).toBe(BEFORE_MS);
    });

    test('what still counts stays: open positions, unfinished trades, messages that wait, what came since', async () => {
      const [, closing] = await cycle(1, 'SOLUSDT');
      const open = await traded(3);
      const waiting = await accepted(journal, { receivedAtMs: START_MS + 4 * DAY_MS });
      const doubted = await accepted(journal, { receivedAtMs: START_MS + 5 * DAY_MS, order: { market: 'XRPUSDT' } });
      await journal.sending(sendingStep(doubted));
      await journal.record(outcomeStep(doubted.seq, 'unknown'));
      const told = await accepted(journal, { receivedAtMs: START_MS + 6 * DAY_MS, order: { market: 'ADAUSDT' } });
      const atMs = START_MS + 6 * DAY_MS;
      const message = { kind: 'trade', text: 'x' } as never;
      await journal.record(outcomeStep(told.seq, 'rejected', { atMs, message }));
      const young = await traded(101);
      await newest();
      const before = await fills();
      await archive();
      const ids = await left();
      for (const each of [open, waiting, doubted, told, young]) expect(ids).toContain(each.requestId);
      expect(ids).not.toContain(closing!.requestId);
      expect(await fills()).toEqual(before.filter(({ market }) => market !== 'SOLUSDT'));
      expect((await journal.unfinished()).map(({ trade }) => trade.requestId)).toEqual([
        waiting.requestId,
        doubted.requestId,
      ]);
    });

    test('a trade that ended exactly then stays, and one that ended a moment before leaves', async () => {
      const atMs = BEFORE_MS;
      const ended = async (endedAtMs: number) => {
        const trade = await accepted(journal, { receivedAtMs: START_MS });
        await journal.record(outcomeStep(trade.seq, 'expired', { atMs: endedAtMs }));
        return trade.requestId;
      };
      const [stays, leaves] = [await ended(atMs), await ended(atMs - 1)];
      const last = await newest();
      await archive();
      expect(await left()).toContain(stays);
      expect(await left()).not.toContain(leaves);
      expect(await left()).toContain(last.requestId);
    });

    test('numbers are never given twice: the newest rows stay, however old they are', async () => {
      const [first, last] = await cycle(1);
      const events = await opened.events.bounds();
      await archive();
      expect(await left()).toEqual([first!.requestId, last!.requestId]);
      expect((await opened.events.bounds()).newest).toBe(events.newest);
      expect(await opened.signals.list({ limit: 10 })).toHaveLength(2);
      expect((await accepted(journal)).seq).toBe(last!.seq + 1);
    });

    test('a signal is no duplicate of one that was archived, and none of one in its window becomes a second trade', async () => {
      const key = '11111111-1111-4111-8111-111111111111';
      const trade = await traded(1, { idempotencyKey: key });
      await traded(2, { side: 'SELL' });
      const young = await traded(499, { idempotencyKey: '22222222-2222-4222-8222-222222222222', market: 'SOLUSDT' });
      await newest();
      const windowMs = 30 * DAY_MS;
      const again = (idempotencyKey: string) =>
        newTrade({ receivedAtMs: START_MS + 505 * DAY_MS, order: { idempotencyKey } });
      const before = await journal.duplicateOf(again(key), windowMs);
      await archive();
      expect(await left()).not.toContain(trade.requestId);
      expect(await journal.duplicateOf(again(key), windowMs)).toEqual(before);
      expect(await journal.accept(again('22222222-2222-4222-8222-222222222222'), windowMs)).toMatchObject({
        accepted: false,
        originalRequestId: young.requestId,
      });
    });

    test('the orders of the paper venue leave with their trades, and a trade stays whose order still rests there', async () => {
      const ended = async (requestId: string) => {
        const trade = await accepted(journal, { requestId, receivedAtMs: START_MS });
        await journal.record(outcomeStep(trade.seq, 'expired', { atMs: START_MS + DAY_MS }));
      };
      // What the venue forced is named like its trade, and is looked for by that name at every start.
      await ended('liq-1');
      await ended('liq-2');
      const resting = await accepted(journal, { receivedAtMs: START_MS });
      await journal.sending(sendingStep(resting));
      await journal.record(outcomeStep(resting.seq, 'expired', { atMs: START_MS + DAY_MS }));
      await newest();
      const own = { exchange: 'binance', account: 'main' } as const;
      const rows: Partial<PaperOrderRow>[] = [
        { clientOrderId: 'liq-1', status: 'filled' },
        { clientOrderId: 'liq-of-nobody', status: 'filled' },
        { clientOrderId: sendingStep(resting).request.clientOrderId, status: 'submitted' },
      ];
      for (const [at, row] of rows.entries())
        await opened.paperLedger.commit({
          account: { ...own, version: at + 1, balance: '100', nextOrderNumber: at + 2, matchedUntilMs: START_MS },
          order: { insert: true, row: paperOrder({ ...own, ...row, orderId: `paper-${at}` }) },
        });
      await archive();
      expect((await opened.paperLedger.ordersNamed(own, 'liq-')).map(({ row }) => row.clientOrderId)).toEqual([
        'liq-of-nobody',
      ]);
      expect(await filed('SELECT client_order_id FROM paper_orders')).toEqual([{ client_order_id: 'liq-1' }]);
      expect(await filedIds()).toEqual(['liq-1', 'liq-2']);
      expect(await left()).toContain(resting.requestId);
      expect((await opened.paperLedger.load(own)).account?.balance).toBe('100');
    });

    test('no step deletes more than a thousand rows', async () => {
      const trades = await Promise.all(
        Array.from({ length: 1001 }, () => accepted(journal, { receivedAtMs: START_MS })),
      );
      await Promise.all(
        trades.map(({ seq }) => journal.record(outcomeStep(seq, 'expired', { atMs: START_MS + DAY_MS }))),
      );
      await newest();
      const sizes: number[] = [];
      const files: ArchiveFiles = {
        async write(batch) {
          sizes.push(batch.tables.reduce((sum, { rows }) => sum + rows.length, 0));
          return filesHere.write(batch);
        },
      };
      const done = await archive({ files });
      expect(done.trades).toBe(1001);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
      expect(await filedIds()).toEqual(trades.map(({ requestId }) => requestId));
    });

    test('what a file does not hold is not deleted', async () => {
      const [first] = await cycle(1);
      await newest();
      const files: ArchiveFiles = { write: async () => 'something else' };
      await expect(archive({ files })).rejects.toThrow('does not hold what was written');
      expect(await left()).toContain(first!.requestId);
      await archive();
      expect(await filedIds()).toHaveLength(2);
    });

    test('what its owner writes beside a trade while it leaves is in the file', async () => {
      const [first] = await cycle(1);
      await newest();
      let isNoted = false;
      const files: ArchiveFiles = {
        async write(batch) {
          const digest = await filesHere.write(batch);
          if (batch.of === 'trades' && !isNoted) {
            isNoted = true;
            await opened.notes.change(first!.requestId, { note: 'at the last moment' }, 1);
          }
          return digest;
        },
      };
      await archive({ files });
      expect(await left()).not.toContain(first!.requestId);
      expect(await filed('SELECT note FROM trade_notes')).toEqual([{ note: 'at the last moment' }]);
    });

    test('killed at every step and run again, everything is in one place exactly', async () => {
      // The second begins in one month and ends in the next, so its rows leave in two steps.
      const days = [1, 15, 40, 60];
      const ids: string[] = [];
      for (const day of days) for (const { requestId } of await cycle(day)) ids.push(requestId);
      const open = await traded(70);
      await newest();
      await opened.signals.add({
        ...{ signalId: 'alone', timestampMs: START_MS, symbol: 'BTCUSDT', signalType: 'LONG', source: 'webhook' },
        decision: 'stored',
      });
      await opened.signals.add({
        ...{ signalId: 'last', timestampMs: START_MS, symbol: 'BTCUSDT', signalType: 'LONG', source: 'webhook' },
        decision: 'stored',
      });
      const whole = await fills();
      const kept = whole.filter(({ requestId }) => !ids.includes(requestId));
      let runs = 0;
      for (let isDone = false; !isDone; runs++) {
        let steps = runs;
        const step = <A extends unknown[], T>(work: (...args: A) => Promise<T>) => {
          return async (...args: A): Promise<T> => {
            if (steps-- === 0) throw new Killed();
            const result = await work(...args);
            // What is done may also be all that the next one knows of.
            if (steps-- === 0) throw new Killed();
            return result;
          };
        };
        const { archivable } = opened;
        const killed = {
          ...archivable,
          beginLeaving: step(archivable.beginLeaving),
          remove: step(archivable.remove),
        };
        isDone = await archive({ archivable: killed, files: { write: step(filesHere.write) } }).then(
          () => true,
          (error) => {
            if (!(error instanceof Killed)) throw error;
            return false;
          },
        );
        const there = await left();
        const away = await filedIds();
        expect(new Set([...there, ...away]).size).toBe(ids.length + 3);
        expect(new Set(away).size).toBe(away.length);
        // All of a group, or nothing of it: what reports see begins with nothing open.
        const seen = (await fills()).map(({ requestId }) => requestId);
        for (let at = 0; at < ids.length; at += 2) expect(seen.includes(ids[at]!)).toBe(seen.includes(ids[at + 1]!));
      }
      expect(runs).toBeGreaterThan(5);
      expect(await filedIds()).toEqual(expect.arrayContaining(ids));
      expect(await fills()).toEqual(kept);
      expect(await left()).toContain(open.requestId);
      expect(await filed(`SELECT signal_id FROM trade_signals WHERE signal_id = 'alone'`)).toHaveLength(1);
      expect(
        (await filed('SELECT count(*) AS count FROM trades')).reduce((sum, row) => sum + Number(row.count), 0),
      ).toBe(ids.length);
    });

    test('a second run finds nothing more to do, and a later one goes on', async () => {
      await cycle(1);
      await cycle(200);
      await newest();
      expect((await archive()).trades).toBe(2);
      expect((await archive()).rows).toBe(0);
      expect((await archive({ beforeMs: START_MS + 300 * DAY_MS })).trades).toBe(2);
      expect(await opened.history.completeFromMs()).toBe(START_MS + 300 * DAY_MS);
      expect((await archive()).rows).toBe(0);
      expect(await opened.history.completeFromMs()).toBe(START_MS + 300 * DAY_MS);
    });

    test('a file that has another row of the same number is left alone, and so is the journal', async () => {
      const [first] = await cycle(1);
      await newest();
      const { archivable } = opened;
      const kills: ArchivableJournal = {
        ...archivable,
        remove: (batch, beforeMs) =>
          batch.of === 'trades' ? Promise.reject(new Killed()) : archivable.remove(batch, beforeMs),
      };
      await expect(archive({ archivable: kills })).rejects.toThrow(Killed);
      for (const { path } of await archiveFilesIn(folder)) {
        const db = new DatabaseSync(path);
        db.exec(`UPDATE trades SET request_id = 'of another life' WHERE seq = ${first!.seq}`);
        db.close();
      }
      await expect(archive()).rejects.toThrow(/another row 1 in trades .*; move the file elsewhere/);
      expect(await left()).toContain(first!.requestId);
      expect(await filedIds()).toContain('of another life');
    });

    test('files are written by a thread as they are here', async () => {
      await cycle(1);
      await newest();
      const files = openArchiveFiles(folder);
      try {
        expect((await archive({ files })).trades).toBe(2);
      } finally {
        await files.close();
      }
      expect(await filedIds()).toHaveLength(2);
      expect(toText((await fills())[0]!.quantity)).toBe('0.5');
    });
  });
}
