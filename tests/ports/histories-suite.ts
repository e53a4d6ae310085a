// What everything that is read of the past must tell: fills, past trades, how long orders took, and alerts as they came in.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertArrivals } from '../../src/trading/books/alert-arrivals.ts';
import type { FillFilter, TradedFillHistory } from '../../src/trading/books/fill-history.ts';
import type { Journal } from '../../src/trading/books/journal.ts';
import type { OrderTimesHistory } from '../../src/trading/books/order-times.ts';
import type { PastTrades } from '../../src/trading/books/past-trades.ts';
import type { SignalStore } from '../../src/trading/books/signal-store.ts';
import type { TradeNotes } from '../../src/trading/books/trade-notes.ts';
import { decimal } from '../../src/trading/decimal.ts';
import type { RefusalStore } from '../../src/trading/intake/refusals.ts';
import {
  accepted,
  DAY_MS,
  fillOf,
  newTrade,
  outcomeStep,
  START_MS,
  sendingStep,
  type TradeChanges,
} from './sample-trades.ts';

export interface OpenHistories {
  readonly journal: Journal;
  readonly notes: TradeNotes;
  readonly signals: SignalStore;
  readonly refusals: RefusalStore;
  readonly history: TradedFillHistory;
  readonly pastTrades: PastTrades;
  readonly orderTimes: OrderTimesHistory;
  readonly arrivals: AlertArrivals;
  close(): Promise<void>;
}

export function describeHistories(name: string, open: () => Promise<OpenHistories>): void {
  describe(name, () => {
    let opened: OpenHistories;
    let journal: Journal;
    beforeEach(async () => {
      opened = await open();
      journal = opened.journal;
    });
    afterEach(() => opened.close());

    const filled = async (changes: TradeChanges = {}, more: { fillId?: string; atMs?: number } = {}) => {
      const trade = await accepted(journal, changes);
      await journal.sending(sendingStep(trade));
      const { fillId = 'fill-1', atMs = START_MS + 2 } = more;
      await journal.record(outcomeStep(trade.seq, 'filled', { fills: [fillOf(trade, { fillId })], atMs }));
      return trade;
    };
    const all = async <T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> => {
      const found: T[] = [];
      for await (const page of pages) found.push(...page);
      return found;
    };

    describe('the history of fills', () => {
      const requestIds = async (filter: FillFilter) =>
        (await all(opened.history.pages(filter))).map(({ requestId }) => requestId);

      test('tells each fill with its order and its trade, in the order of the trades', async () => {
        const first = await filled({ keyLabel: 'k', order: { strategy: 'trend' } });
        await accepted(journal);
        const second = await filled();
        const found = await all(opened.history.pages({}));
        expect(found.map(({ requestId }) => requestId)).toEqual([first.requestId, second.requestId]);
        expect(found[0]).toEqual({
          ...fillOf(first),
          ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT' },
          ...{ requestId: first.requestId, strategy: 'trend', keyLabel: 'k' },
          ...{ side: 'BUY', positionSide: 'LONG', netted: true },
        });
      });

      test('is that of an exchange or an account, and of orders written since a moment', async () => {
        const early = await filled();
        const late = await filled({ account: 'other', order: { exchange: 'bybit' } }, { atMs: START_MS + 9 });
        expect(await requestIds({ exchange: 'bybit' })).toEqual([late.requestId]);
        expect(await requestIds({ account: 'main' })).toEqual([early.requestId]);
        expect(await requestIds({ writtenSinceMs: START_MS + 9 })).toEqual([late.requestId]);
        expect(await requestIds({ writtenSinceMs: START_MS + 10 })).toEqual([]);
      });

      test('is at least that of some markets, and leaves others out', async () => {
        const named = (market: string) => ({ order: { market, symbol: market } });
        const eth = await filled(named('ETHUSDT'));
        await filled(named('BTCUSDT'));
        const sol = await filled(named('SOLUSDT'));
        expect(await requestIds({ markets: ['SOLUSDT', 'ETHUSDT'] })).toEqual([eth.requestId, sol.requestId]);
        expect(await requestIds({ markets: ['USDT'] })).toEqual([]);
      });

      test('of more than a page is whole, each fill once', async () => {
        const trades = await Promise.all(Array.from({ length: 1001 }, () => accepted(journal)));
        await Promise.all(trades.map((trade) => journal.sending(sendingStep(trade))));
        await Promise.all(
          trades.map((trade) => journal.record(outcomeStep(trade.seq, 'filled', { fills: [fillOf(trade)] }))),
        );
        expect(await requestIds({})).toEqual(trades.map(({ requestId }) => requestId));
      });

      test('knows the stops that signals asked for, and the tags of trades', async () => {
        const protect = { stopLoss: { unit: 'percent', value: decimal('2.5') } } as const;
        const guarded = await accepted(journal, { order: { protect } });
        const plain = await accepted(journal);
        await opened.notes.change(plain.requestId, { tags: ['b', 'a'] }, 1);
        expect(await opened.history.stopsAsked()).toEqual(new Map([[guarded.requestId, protect]]));
        expect(await opened.history.tags()).toEqual(new Map([[plain.requestId, ['a', 'b']]]));
      });
    });

    describe('past trades', () => {
      test('are those since a moment, newest first, placed or not', async () => {
        await accepted(journal, { receivedAtMs: START_MS - 1 });
        const placed = await filled({ order: { strategy: 'trend' } });
        const refused = await accepted(journal);
        await journal.sending(sendingStep(refused));
        await journal.record(
          outcomeStep(refused.seq, 'rejected', {
            order: {
              clientOrderId: sendingStep(refused).request.clientOrderId,
              state: 'rejected',
              executedQuantity: decimal('0'),
            },
          }),
        );
        const [newest, older, ...rest] = await all(opened.pastTrades.pages(START_MS));
        expect(rest).toEqual([]);
        expect(newest).toMatchObject({ seq: refused.seq, isPlaced: false, strategy: '' });
        expect(older).toEqual({
          ...{ seq: placed.seq, receivedAtMs: START_MS, source: 'webhook', keyLabel: 'default', isPlaced: true },
          ...{
            exchange: 'binance',
            mode: 'paper',
            account: 'main',
            market: 'BTCUSDT',
            action: 'LONG',
            strategy: 'trend',
          },
        });
      });

      test('of more than a page are all of them', async () => {
        const trades = await Promise.all(Array.from({ length: 1001 }, () => accepted(journal)));
        const found = await all(opened.pastTrades.pages(START_MS));
        expect(found.map(({ seq }) => seq)).toEqual(trades.map(({ seq }) => seq).toReversed());
      });
    });

    describe('the times of orders', () => {
      const RANGE = { fromMs: 0, toMs: Number.POSITIVE_INFINITY, limit: 9 };

      test('are when a trade was received, sent, answered and filled', async () => {
        await filled();
        const open = await accepted(journal, { account: 'other' });
        await journal.sending(sendingStep(open, { request: { price: decimal('1') } }));
        const { clientOrderId } = sendingStep(open).request;
        const order = { clientOrderId, executedQuantity: decimal('0') };
        await journal.record(
          outcomeStep(open.seq, 'submitted', { atMs: START_MS + 5, order: { ...order, state: 'submitted' } }),
        );
        await journal.record(
          outcomeStep(open.seq, 'filled', { atMs: START_MS + 9, order: { ...order, state: 'filled' } }),
        );
        await accepted(journal);
        const common = { exchange: 'binance', mode: 'paper', receivedMs: START_MS, sentMs: START_MS + 1 };
        expect(await opened.orderTimes.list(RANGE)).toEqual([
          // An order that waits for its price is not slow.
          { ...common, answeredMs: START_MS + 5 },
          { ...common, answeredMs: START_MS + 2, filledMs: START_MS + 2 },
        ]);
        expect(await opened.orderTimes.list({ ...RANGE, account: 'main' })).toHaveLength(1);
        expect(await opened.orderTimes.list({ ...RANGE, limit: 1 })).toMatchObject([{ answeredMs: START_MS + 5 }]);
        expect(await opened.orderTimes.list({ ...RANGE, toMs: START_MS })).toEqual([]);
        expect(await opened.orderTimes.list({ ...RANGE, mode: 'live' })).toEqual([]);
      });

      test('of an order nobody has heard of end with its sending', async () => {
        const trade = await accepted(journal);
        await journal.sending(sendingStep(trade));
        const [times] = await opened.orderTimes.list(RANGE);
        expect(times).toEqual({ exchange: 'binance', mode: 'paper', receivedMs: START_MS, sentMs: START_MS + 1 });
      });
    });

    describe('alerts as they came in', () => {
      const since = (sinceMs = START_MS) => opened.arrivals.since({ keyLabel: 'default', sinceMs, limit: 9 });

      test('are those with a name under a key, accepted or refused, oldest first', async () => {
        const previousPosition = { position: 'short', size: decimal('0.25') } as const;
        const order = { alertId: 'one', comment: 'c', previousPosition };
        const trade = await accepted(journal, { receivedAtMs: START_MS + 2, order });
        await accepted(journal);
        await accepted(journal, { keyLabel: 'other', order: { alertId: 'two' } });
        await accepted(journal, { source: 'script', order: { alertId: 'three' } });
        const id = newTrade().requestId;
        await opened.signals.add({
          ...{
            signalId: id,
            timestampMs: START_MS + 1,
            symbol: 'BTCUSDT',
            signalType: 'CLOSE_LONG',
            source: 'webhook',
          },
          ...{ decision: 'LIMIT', alertId: 'four' },
        });
        const facts = { door: '/webhook', status: 403, code: 'LIMIT', error: 'no', faults: [], body: '' };
        await opened.refusals.add([{ id, receivedAtMs: START_MS + 1, keyLabel: 'default', ...facts }], {
          ...{ maxOthers: 9, maxOfKeys: 9 },
        });
        expect(await since()).toEqual([
          {
            ...{ requestId: id, alertId: 'four', receivedAtMs: START_MS + 1, decision: 'LIMIT' },
            ...{ symbol: 'BTCUSDT', action: 'CLOSE_LONG' },
          },
          {
            ...{ requestId: trade.requestId, alertId: 'one', receivedAtMs: START_MS + 2, decision: 'accepted' },
            ...{ symbol: 'BTCUSDT', action: 'LONG' },
            accepted: { quantity: decimal('0.5'), isInBase: true, previousPosition, comment: 'c' },
          },
        ]);
        expect(await since(START_MS + 2)).toHaveLength(1);
        expect(await since(START_MS + DAY_MS)).toEqual([]);
      });
    });
  });
}
