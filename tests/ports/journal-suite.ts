// What every journal must do: accept once, keep every step in order, find everything again after a restart.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { Journal, Leg, NewTrade, TradeFilter } from '../../src/trading/books/journal.ts';
import { decimal, ZERO } from '../../src/trading/decimal.ts';
import { clientOrderId } from '../../src/trading/execution/client-order-id.ts';
import { describeClaims, type OpenJournal } from './journal-claims-suite.ts';
import { describeRepeats } from './journal-repeats-suite.ts';
import { describeStrategies } from './journal-strategies-suite.ts';
import { accepted, fillOf, newTrade, outcomeStep, positionOf, START_MS, sendingStep } from './sample-trades.ts';

/** The smallest unit, more digits than a double holds, and signs. */
const EXACT = ['0.000000000001', '123456789012.123456789012', '99999999999999999999.999999999999'] as const;

export function describeJournal(name: string, open: () => Promise<OpenJournal>): void {
  describe(name, () => {
    let opened: OpenJournal;
    let journal: Journal;
    beforeEach(async () => {
      opened = await open();
      journal = opened.journal;
    });
    afterEach(() => opened.close());

    describeClaims(() => opened);
    describeStrategies(() => opened);
    describeRepeats(() => opened);

    describe('a trade', () => {
      test('starts as accepted with nothing executed, and its first event says so', async () => {
        const trade = await accepted(journal);
        const detail = await journal.trade(trade.requestId);
        expect(detail?.trade).toMatchObject({ ...trade, state: 'accepted', executedQuantity: ZERO });
        expect(detail?.events).toEqual([{ kind: 'accepted', atMs: START_MS, detail: undefined }]);
        expect(detail?.orders).toEqual([]);
        expect(detail?.fills).toEqual([]);
      });

      test('that does not exist is undefined', async () => {
        expect(await journal.trade(newTrade().requestId)).toBeUndefined();
      });

      test('comes back exactly after a restart, with unicode, twelve places and every optional field', async () => {
        const order = {
          exchange: 'mexc',
          action: 'CLOSE_SHORT',
          symbol: 'BTC_USDT',
          quantity: decimal(EXACT[0]),
          price: decimal(EXACT[1]),
          leverage: 125,
          idempotencyKey: '6f1c0f7e-58b7-4b30-9d5a-2c8a3a4d9b10',
          alertId: 'BTCUSDT.P-2026-11-16T15:30:00Z 🚂',
          previousPosition: { position: 'short', size: decimal('0.000000000001') },
          notify: { chatId: '-100', message: 'Größe 🚂 "quoted"\n\u0000 end', parseMode: 'MarkdownV2' },
        } as const;
        const trade = await accepted(journal, { source: 'tradingview', keyLabel: 'Schlüssel', account: 'live', order });
        const again = await opened.reopen();
        expect((await again.trade(trade.requestId))?.trade).toMatchObject(trade);
        expect(await again.trades({ limit: 1 })).toMatchObject([trade]);
      });

      test('whose request has one already is refused whole, with the others of its signal', async () => {
        const first = await accepted(journal);
        const other = newTrade();
        const same = newTrade({ requestId: first.requestId });
        await expect(journal.accept(same, 0)).rejects.toThrow('already');
        await expect(journal.accept(other, 0, [same])).rejects.toThrow('already');
        expect(await journal.trade(other.requestId)).toBeUndefined();
        expect((await journal.unfinished()).map(({ trade }) => trade.requestId)).toEqual([first.requestId]);
      });

      test('that is refused late takes no answer from one that was asked for meanwhile', async () => {
        const { requestId } = await accepted(journal);
        // Handed to the writer in one go, one right behind the other, and while the first is under way.
        for (let turns = 0; turns < 40; turns += 1) {
          const refused = expect(journal.accept(newTrade({ requestId }), 0)).rejects.toThrow('already');
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          const other = newTrade();
          expect(await journal.accept(other, 0)).toMatchObject({ accepted: true });
          await refused;
          expect((await journal.trade(other.requestId))?.trade.requestId).toBe(other.requestId);
        }
      });

      test('that closes everything says so after a crash too', async () => {
        const { requestId } = await accepted(journal, { order: { action: 'CLOSE_LONG', closesAll: true } });
        await accepted(journal, { order: { action: 'CLOSE_LONG' } });
        const again = await opened.reopen();
        expect((await again.trade(requestId))?.trade.order.closesAll).toBe(true);
        expect((await again.unfinished()).map(({ trade }) => trade.order.closesAll)).toEqual([true, undefined]);
      });

      test('without optional fields comes back without them', async () => {
        const { requestId } = await accepted(journal);
        const found = (await (await opened.reopen()).trade(requestId))?.trade;
        for (const field of ['price', 'leverage', 'idempotencyKey', 'notify', 'closesAll', 'previousPosition'] as const)
          expect(found?.order[field]).toBeUndefined();
        for (const field of ['orderId', 'averagePrice', 'error'] as const) expect(found?.[field]).toBeUndefined();
      });

      test('on several accounts has a number on each, in the order in which they were given', async () => {
        const trades = [1, 2, 3].map((number) => newTrade({ account: `a${number}` })) as [NewTrade, ...NewTrade[]];
        const [first, ...further] = trades;
        const acceptance = await journal.accept(first, 0, further);
        const found = await Promise.all(trades.map(({ requestId }) => journal.trade(requestId)));
        expect(acceptance).toEqual({ accepted: true, seqs: found.map((detail) => detail?.trade.seq) });
      });

      test('numbers grow in the order of acceptance, also after a restart', async () => {
        const first = await accepted(journal);
        const second = await accepted(journal);
        const third = await accepted(await opened.reopen());
        expect(second.seq).toBeGreaterThan(first.seq);
        expect(third.seq).toBeGreaterThan(second.seq);
      });
    });

    describe('sending', () => {
      test('writes the order, the state and the notes before the event', async () => {
        const trade = await accepted(journal);
        const notes = [{ kind: 'quantity-rounded', detail: '0.55 to 0.5' }, { kind: 'bare' }];
        const step = sendingStep(trade, { notes, request: { price: decimal(EXACT[1]), reduceOnly: true } });
        await journal.sending(step);
        const detail = await (await opened.reopen()).trade(trade.requestId);
        expect(detail?.trade.state).toBe('sending');
        const { market: _, ...request } = step.request;
        expect(detail?.orders).toEqual([
          {
            ...request,
            leg: 'open',
            netted: true,
            givenUp: ZERO,
            state: 'sending',
            executedQuantity: ZERO,
            orderId: undefined,
            averagePrice: undefined,
            reason: undefined,
          },
        ]);
        expect(detail?.events.map(({ kind, detail: text }) => [kind, text])).toEqual([
          ['accepted', undefined],
          ['quantity-rounded', '0.55 to 0.5'],
          ['bare', undefined],
          ['sending', 'open'],
        ]);
      });

      test('the same order prepared again is one order with the new size', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade));
        const order = {
          clientOrderId: clientOrderId(trade.requestId, 'open'),
          state: 'accepted',
          executedQuantity: ZERO,
        };
        await journal.record(outcomeStep(trade.seq, 'accepted', { order: { ...order, state: 'accepted' } }));
        await journal.sending(sendingStep(trade, { request: { quantity: decimal('0.4') } }));
        const detail = await journal.trade(trade.requestId);
        expect(detail?.orders).toMatchObject([{ state: 'sending', quantity: decimal('0.4') }]);
      });

      test('two legs of one trade are two orders, in the order they were sent', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade, { leg: 'flatten', atMs: START_MS + 1 }));
        await journal.sending(sendingStep(trade, { leg: 'open', atMs: START_MS + 5 }));
        const detail = await journal.trade(trade.requestId);
        expect(detail?.orders.map(({ leg }) => leg)).toEqual(['flatten', 'open']);
      });
    });

    describe('record', () => {
      test('writes trade, order, fills and position in one step, exactly', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade));
        const order = {
          clientOrderId: clientOrderId(trade.requestId, 'open'),
          state: 'filled' as const,
          orderId: 'venue-1',
          executedQuantity: decimal(EXACT[0]),
          averagePrice: decimal(EXACT[2]),
          reason: 'ganz gefüllt',
        };
        const fills = EXACT.map((text, index) =>
          fillOf(trade, {
            fillId: `f${index}`,
            quantity: decimal(text),
            realizedPnl: decimal(`-${text}`),
            atMs: index,
          }),
        );
        const position = positionOf({ quantity: decimal(EXACT[1]), entryPrice: decimal(EXACT[0]) });
        const event = { kind: 'filled', detail: 'all of it' };
        const words = {
          orderId: 'venue-1',
          executedQuantity: order.executedQuantity,
          averagePrice: order.averagePrice,
        };
        const error = 'said in words';
        await journal.record(
          outcomeStep(trade.seq, 'filled', { ...words, event, error, order, fills, positions: [position] }),
        );

        const again = await opened.reopen();
        const detail = await again.trade(trade.requestId);
        expect(detail?.trade).toMatchObject({ ...words, state: 'filled', error });
        expect(detail?.orders).toMatchObject([order]);
        expect(detail?.fills).toEqual(fills);
        expect(detail?.events.at(-1)).toEqual({ ...event, atMs: START_MS + 2 });
        expect(await again.positions()).toEqual([position]);
      });

      test('a fill that is already stored is not stored twice, and the step still counts', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade));
        const fills = [fillOf(trade)];
        await journal.record(outcomeStep(trade.seq, 'partially_filled', { fills, positions: [positionOf()] }));
        const more = [...fills, fillOf(trade, { fillId: 'fill-2', atMs: START_MS + 3 })];
        const position = positionOf({ quantity: decimal('1') });
        await journal.record(outcomeStep(trade.seq, 'filled', { fills: more, positions: [position] }));
        const detail = await journal.trade(trade.requestId);
        expect(detail?.fills).toEqual(more);
        expect(detail?.trade.state).toBe('filled');
        expect(await journal.positions()).toEqual([position]);
      });

      test('the fills of a reversal stand in the order in which its orders were sent, also when the clock was set back', async () => {
        const trade = await accepted(journal);
        for (const [atMs, leg] of [
          [START_MS + 9, 'flatten'],
          [START_MS + 1, 'open'],
        ] as const) {
          await journal.sending(sendingStep(trade, { leg, atMs }));
          const fill = fillOf(trade, { clientOrderId: clientOrderId(trade.requestId, leg) });
          await journal.record(outcomeStep(trade.seq, 'sending', { fills: [fill] }));
        }
        const legs = ['flatten', 'open'].map((leg) => clientOrderId(trade.requestId, leg as Leg));
        const fills = (await journal.fillsOf([trade])).get(trade.seq);
        expect(fills?.map((fill) => fill.clientOrderId)).toEqual(legs);
        expect((await journal.trade(trade.requestId))?.fills.map((fill) => fill.clientOrderId)).toEqual(legs);
      });

      test('the same fill id of two orders are two fills', async () => {
        const trade = await accepted(journal);
        for (const leg of ['flatten', 'open'] as const) {
          await journal.sending(sendingStep(trade, { leg }));
          const fill = fillOf(trade, { clientOrderId: clientOrderId(trade.requestId, leg), fillId: 'same' });
          await journal.record(outcomeStep(trade.seq, 'sending', { fills: [fill] }));
        }
        expect((await journal.trade(trade.requestId))?.fills).toHaveLength(2);
      });

      test('a step whose parts cannot all be stored leaves nothing behind', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade));
        // A value that no column takes, in the last part that is written.
        const position = positionOf({ updatedAtMs: Number.NaN });
        const step = outcomeStep(trade.seq, 'filled', { fills: [fillOf(trade)], positions: [position] });
        await expect(journal.record(step)).rejects.toBeInstanceOf(StorageError);
        const detail = await journal.trade(trade.requestId);
        expect(detail?.trade.state).toBe('sending');
        expect(detail?.events.map(({ kind }) => kind)).toEqual(['accepted', 'sending']);
        expect(detail?.fills).toEqual([]);
        expect(await journal.positions()).toEqual([]);
      });

      test('positions are kept apart by exchange, mode, account, market and side, and the last value holds', async () => {
        const trade = await accepted(journal);
        const positions = [
          positionOf(),
          positionOf({ side: 'SHORT' }),
          positionOf({ market: 'ETHUSDT' }),
          positionOf({ mode: 'live' }),
          positionOf({ account: 'scalp' }),
          positionOf({ exchange: 'bybit' }),
        ];
        for (const position of positions)
          await journal.record(outcomeStep(trade.seq, 'sending', { positions: [position] }));
        const changed = positionOf({ quantity: ZERO, entryPrice: ZERO });
        await journal.record(outcomeStep(trade.seq, 'filled', { positions: [changed] }));
        const stored = await (await opened.reopen()).positions();
        expect(stored).toHaveLength(6);
        expect(stored).toEqual(expect.arrayContaining([changed, ...positions.slice(1)]));
      });

      test('tells the number of its message, and none without one', async () => {
        const trade = await accepted(journal);
        expect(await journal.record(outcomeStep(trade.seq, 'sending'))).toEqual({});
        const message = { kind: 'notify', notify: { parseMode: 'Plain' }, summary: 'done' } as const;
        const { messageId } = await journal.record(outcomeStep(trade.seq, 'filled', { message }));
        expect(messageId).toBeGreaterThan(0);
      });

      test('events stand in the order of the steps, whatever their clocks say', async () => {
        const trade = await accepted(journal);
        const kinds = Array.from({ length: 12 }, (_, index) => `step-${index}`);
        await Promise.all(
          kinds.map((kind, index) =>
            journal.record(outcomeStep(trade.seq, 'sending', { atMs: START_MS - index, event: { kind } })),
          ),
        );
        const detail = await journal.trade(trade.requestId);
        expect(detail?.events.map(({ kind }) => kind)).toEqual(['accepted', ...kinds]);
      });
    });

    describe('unfinished trades', () => {
      test('are those that are not final, oldest first, with their orders and fills', async () => {
        const states = [
          'accepted',
          'sending',
          'submitted',
          'partially_filled',
          'unknown',
          'filled',
          'rejected',
          'canceled',
          'expired',
        ] as const;
        const trades = [];
        for (const state of states) {
          const trade = await accepted(journal);
          trades.push(trade);
          if (state === 'accepted') continue;
          await journal.sending(sendingStep(trade));
          if (state !== 'sending') await journal.record(outcomeStep(trade.seq, state, { fills: [fillOf(trade)] }));
        }
        const unfinished = await (await opened.reopen()).unfinished();
        expect(unfinished.map(({ trade }) => trade.state)).toEqual(states.slice(0, 5));
        expect(unfinished.map(({ trade }) => trade.seq)).toEqual(trades.slice(0, 5).map(({ seq }) => seq));
        expect(unfinished.map(({ orders }) => orders.length)).toEqual([0, 1, 1, 1, 1]);
        expect(unfinished.map(({ fills }) => fills.length)).toEqual([0, 0, 1, 1, 1]);
      });

      test('that went back to accepted bring their orders, also when the clock stood still', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade, { leg: 'flatten', atMs: START_MS }));
        const order = { clientOrderId: clientOrderId(trade.requestId, 'flatten'), executedQuantity: decimal('0.5') };
        const fills = [fillOf(trade, { clientOrderId: order.clientOrderId })];
        const filled = { order: { ...order, state: 'filled' as const }, fills, atMs: START_MS };
        await journal.record(outcomeStep(trade.seq, 'sending', filled));
        await journal.record(outcomeStep(trade.seq, 'accepted', { atMs: START_MS }));
        const [found] = await journal.unfinished();
        expect(found?.orders).toMatchObject([{ leg: 'flatten', state: 'filled' }]);
        expect(found?.fills).toEqual(fills);
      });
    });

    describe('the list', () => {
      const listed = async (filter: Partial<TradeFilter> = {}) =>
        (await journal.trades({ limit: 100, ...filter })).map(({ requestId }) => requestId);

      test('is newest first, and pages without gaps or repeats', async () => {
        const trades = [];
        for (let i = 0; i < 7; i++) trades.push((await accepted(journal)).requestId);
        const newestFirst = trades.reverse();
        expect(await listed()).toEqual(newestFirst);
        const pages: string[] = [];
        for (let before: string | undefined; ; before = pages.at(-1)) {
          const page = await listed({ limit: 3, beforeRequestId: before });
          if (page.length === 0) break;
          pages.push(...page);
        }
        expect(pages).toEqual(newestFirst);
        expect(await listed({ beforeRequestId: newTrade().requestId })).toEqual([]);
      });

      test('filters by exchange, market and states, alone and together', async () => {
        const binance = await accepted(journal);
        const ether = await accepted(journal, { order: { market: 'ETHUSDT' } });
        const bybit = await accepted(journal, { order: { exchange: 'bybit' } });
        await journal.record(outcomeStep(ether.seq, 'filled'));
        await journal.record(outcomeStep(bybit.seq, 'rejected'));
        expect(await listed({ exchange: 'binance' })).toEqual([ether.requestId, binance.requestId]);
        expect(await listed({ market: 'BTCUSDT' })).toEqual([bybit.requestId, binance.requestId]);
        expect(await listed({ states: ['filled', 'rejected'] })).toEqual([bybit.requestId, ether.requestId]);
        expect(await listed({ states: [] })).toHaveLength(3);
        expect(await listed({ exchange: 'binance', states: ['filled'] })).toEqual([ether.requestId]);
        expect(await listed({ exchange: 'mexc' })).toEqual([]);
        expect(await listed({ market: "x' OR 1=1 --" })).toEqual([]);
      });
    });

    test('a position taken over from the venue takes the place of ours, over a restart too', async () => {
      const trade = await accepted(journal);
      await journal.record(outcomeStep(trade.seq, 'filled', { positions: [positionOf()] }));
      const adopted = positionOf({ quantity: decimal('0.2') });
      const detail = 'our books had 0.5, the venue has 0.2';
      await journal.adopt({ positions: [adopted], books: [], detail, atMs: 7 });
      expect(await (await opened.reopen()).positions()).toEqual([adopted]);
    });

    test('probe reads and writes', async () => {
      await expect(journal.probe()).resolves.toBeUndefined();
    });
  });
}
