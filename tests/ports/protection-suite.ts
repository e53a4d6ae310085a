// What every store of protections must do: keep every field, whole or not at all, over a restart; what an entry asked for is stored with
// it or not at all. The same for stops at venues and for the day of the drawdown guard.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { Journal } from '../../src/trading/books/journal.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { priceLevel } from '../../src/trading/level.ts';
import type { DrawdownStore } from '../../src/trading/protection/drawdown-guard.ts';
import type { Protection } from '../../src/trading/protection/protection.ts';
import type { ProtectionStore } from '../../src/trading/protection/protection-store.ts';
import type { StoredStop, VenueStopStore } from '../../src/trading/protection/venue-stop-store.ts';
import type { ProtectRequest } from '../../src/trading/signal.ts';
import { newTrade } from './sample-trades.ts';

export interface ProtectionStorage {
  readonly protections: ProtectionStore;
  readonly venueStops: VenueStopStore;
  readonly drawdown: DrawdownStore;
  readonly journal: Journal;
}

export interface OpenProtections extends ProtectionStorage {
  reopen(): Promise<ProtectionStorage>;
  close(): Promise<void>;
}

const PLAIN: Protection = {
  ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', side: 'LONG', strategy: '' },
  ...{ createdAtMs: 1, seenUntilMs: 2000, closeRequestId: 'close' },
};
const WHOLE: Protection = {
  ...PLAIN,
  side: 'SHORT',
  origin: 'entry',
  trail: { percent: decimal('0.05') },
  activationPrice: decimal('68000.123456789012'),
  stopLoss: decimal('0.000000000001'),
  takeProfit: decimal('1000000000000000'),
  targets: [
    { level: decimal('5.5'), share: decimal('0.25') },
    { level: decimal('6'), share: decimal('0.5') },
  ],
  breakEvenAfter: 1,
  maxHoldSeconds: 3600,
  asked: {
    stopLoss: { unit: 'percent', value: decimal('2.5') },
    trail: { unit: 'ticks', value: decimal('50') },
    targets: [priceLevel(decimal('5.5')), { unit: 'percent', value: decimal('3') }],
  },
  basis: {
    ...{ price: decimal('5.123'), filled: decimal('0.5'), quantity: decimal('0.75'), tick: decimal('0.01') },
    sinceMs: 7,
  },
  targetsHit: 1,
  targetsClosed: decimal('0.18'),
  peak: decimal('3'),
  fired: { by: 'target', level: decimal('4'), target: 2, atMs: 5 },
};

const MAIN = { exchange: 'binance', mode: 'paper', account: 'main' } as const;

export function describeProtections(name: string, open: () => Promise<OpenProtections>): void {
  describe(name, () => {
    let opened: OpenProtections;
    let storage: ProtectionStorage;
    beforeEach(async () => {
      opened = await open();
      storage = opened;
    });
    afterEach(() => opened.close());
    const reopened = async () => {
      storage = await opened.reopen();
      return storage.protections.load();
    };

    describe('protections', () => {
      test('keep every field, and are there after reopening', async () => {
        const amount = { ...PLAIN, market: 'ETHUSDT', trail: { amount: decimal('12.5') } };
        const timed: Protection = { ...PLAIN, strategy: 'trend', fired: { by: 'time-stop', atMs: 9 } };
        await storage.protections.write({ save: [PLAIN, timed, WHOLE, amount] });
        expect((await reopened()).protections).toEqual([PLAIN, timed, WHOLE, amount]);
      });

      test('written again are replaced, and one that is removed is gone', async () => {
        await storage.protections.write({ save: [PLAIN, WHOLE] });
        const { peak: _, fired: __, ...later } = { ...WHOLE, seenUntilMs: 9000 };
        await storage.protections.write({ save: [later] });
        await storage.protections.write({ remove: [PLAIN] });
        await storage.protections.write({ remove: [PLAIN] });
        expect((await reopened()).protections).toEqual([later]);
      });

      test('of one position in two accounts are two', async () => {
        await storage.protections.write({ save: [PLAIN, { ...PLAIN, account: 'live' }] });
        expect((await reopened()).protections).toHaveLength(2);
      });

      test('are written all or none', async () => {
        const broken = { ...WHOLE, closeRequestId: null as unknown as string };
        await expect(storage.protections.write({ save: [PLAIN, broken] })).rejects.toThrow(StorageError);
        expect((await reopened()).protections).toEqual([]);
      });
    });

    describe('what entries asked for', () => {
      const protect: ProtectRequest = {
        trail: { unit: 'percent', value: decimal('2') },
        stopLoss: priceLevel(decimal('1')),
        targets: [{ level: { unit: 'ticks', value: decimal('30') }, share: decimal('0.5') }],
        breakEvenAfter: 1,
        maxHoldSeconds: 60,
      };
      const entry = (requestId: string, more: object) => {
        const trade = newTrade({ requestId });
        return { ...trade, order: { ...trade.order, ...more } };
      };
      const { exchange, action: side, market } = newTrade({}).order;
      const share = { exchange, mode: 'paper', account: 'main', market, side, strategy: '' };

      test('is stored with the entry, and is there until it is a protection or over', async () => {
        const { journal } = storage;
        const [first, second] = [
          entry('entry', { protect }),
          entry('other', { protect: { takeProfit: priceLevel(decimal('1')) }, strategy: 'trend' }),
        ];
        for (const trade of [first, second, entry('plain', {})]) await journal.accept(trade, 0);
        expect((await reopened()).pending.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))).toEqual([
          { requestId: 'entry', createdAtMs: first.receivedAtMs, asked: protect, share },
          {
            requestId: 'other',
            createdAtMs: second.receivedAtMs,
            asked: { takeProfit: priceLevel(decimal('1')) },
            share: { ...share, strategy: 'trend' },
          },
        ]);
        await storage.protections.write({ save: [WHOLE], settled: ['entry'] });
        expect((await reopened()).pending).toHaveLength(1);
        await storage.protections.write({ settled: ['other', 'other'] });
        expect(await reopened()).toEqual({ protections: [WHOLE], pending: [] });
      });

      test('is not stored with an entry that is a duplicate', async () => {
        const idempotencyKey = '123e4567-e89b-42d3-a456-426614174000';
        await storage.journal.accept(entry('first', { idempotencyKey }), 1000);
        const again = await storage.journal.accept(entry('second', { idempotencyKey, protect }), 1000);
        expect([again.accepted, (await storage.protections.load()).pending]).toEqual([false, []]);
      });
    });

    describe('stops at venues', () => {
      const stop: StoredStop = {
        clientStopId: 'sbx1s',
        share: {
          exchange: 'bybit',
          mode: 'live',
          account: 'scalp',
          market: 'BTCUSDT',
          side: 'SHORT',
          strategy: 'trend',
        },
        ...{
          kind: 'stop',
          by: 'break-even',
          quantity: decimal('0.001'),
          triggerPrice: decimal('68000.1'),
          createdAtMs: 2,
        },
      };
      const first: StoredStop = {
        ...stop,
        clientStopId: 'sbx2s',
        kind: 'take-profit',
        by: 'take-profit',
        createdAtMs: 1,
      };

      test('keep every field, the oldest first, until they are removed', async () => {
        await storage.venueStops.add(stop);
        await storage.venueStops.add(first);
        await reopened();
        expect(await storage.venueStops.load()).toEqual([first, stop]);
        await storage.venueStops.remove('sbx2s');
        await storage.venueStops.remove('sbx2s');
        await reopened();
        expect(await storage.venueStops.load()).toEqual([stop]);
      });

      test('never have one id twice', async () => {
        await storage.venueStops.add(stop);
        await expect(storage.venueStops.add({ ...first, clientStopId: stop.clientStopId })).rejects.toThrow(
          StorageError,
        );
        expect(await storage.venueStops.load()).toEqual([stop]);
      });
    });

    describe("the drawdown guard's day", () => {
      test('is one for each account, the last one written', async () => {
        expect(await storage.drawdown.readDay(MAIN)).toBeUndefined();
        const day = {
          ...{ day: '2026-11-15', startEquity: decimal('100'), lastEquity: decimal('-1.5'), lastSeenMs: 3 },
          trippedPercent: decimal('101.5'),
        };
        await storage.drawdown.writeDay(MAIN, day);
        await reopened();
        expect(await storage.drawdown.readDay(MAIN)).toEqual(day);
        const { trippedPercent: _, ...next } = { ...day, day: '2026-11-16' };
        await storage.drawdown.writeDay(MAIN, next);
        await storage.drawdown.writeDay({ ...MAIN, exchange: 'bybit' }, day);
        await storage.drawdown.writeDay({ ...MAIN, account: 'scalp' }, day);
        await storage.drawdown.writeDay({ ...MAIN, mode: 'live' }, day);
        expect(await storage.drawdown.readDay(MAIN)).toEqual(next);
        expect(await storage.drawdown.readDay({ ...MAIN, account: 'scalp' })).toEqual(day);
      });
    });
  });
}
