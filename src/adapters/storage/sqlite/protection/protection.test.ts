// Protections on SQLite: every field, whole or not at all, there after reopening, and failing in words; what an entry asked for is
// stored with it or not at all.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newTrade } from '../../../../../tests/ports/sample-trades.ts';
import { StorageError } from '../../../../errors/storage-error.ts';
import { decimal } from '../../../../trading/decimal.ts';
import { priceLevel } from '../../../../trading/level.ts';
import type { Protection } from '../../../../trading/protection/protection.ts';
import type { StoredStop } from '../../../../trading/protection/venue-stop-store.ts';
import type { ProtectRequest } from '../../../../trading/signal.ts';
import { openMigrated } from '../database.ts';
import { TRADING } from '../database-files.ts';
import { SqliteJournal } from '../journal.ts';
import { directWriter } from '../testing/direct-writer.ts';
import { type TestFolder, testFolder } from '../testing/open-test-storage.ts';
import { createProtectionStores, type ProtectionStores } from './protection.ts';

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

let folder: TestFolder;
let db: DatabaseSync;
let storage: ProtectionStores;
let writer: ReturnType<typeof directWriter>;
function open(): void {
  const path = join(folder.dataDir, TRADING.name);
  db = openMigrated(path, TRADING.migrations);
  writer = directWriter(db, path);
  storage = createProtectionStores({ writer, reader: db, path, nowMs: Date.now });
}
beforeEach(() => {
  folder = testFolder();
  open();
});
afterEach(() => {
  db.close();
  folder.remove();
});
const reopened = () => {
  db.close();
  open();
  return storage.protections.load();
};

describe('protections', () => {
  test('keep every field, and are there after reopening', async () => {
    const amount = { ...PLAIN, market: 'ETHUSDT', trail: { amount: decimal('12.5') } };
    const timed: Protection = { ...PLAIN, strategy: 'trend', fired: { by: 'time-stop', atMs: 9 } };
    await storage.protections.write({ save: [PLAIN, timed, WHOLE, amount] });
    expect(reopened().protections).toEqual([PLAIN, timed, WHOLE, amount]);
  });

  test('written again are replaced, and one that is removed is gone', async () => {
    await storage.protections.write({ save: [PLAIN, WHOLE] });
    const { peak: _, fired: __, ...later } = { ...WHOLE, seenUntilMs: 9000 };
    await storage.protections.write({ save: [later] });
    await storage.protections.write({ remove: [PLAIN] });
    await storage.protections.write({ remove: [PLAIN] });
    expect(reopened().protections).toEqual([later]);
  });

  test('of one position in two accounts are two', async () => {
    await storage.protections.write({ save: [PLAIN, { ...PLAIN, account: 'live' }] });
    expect(reopened().protections).toHaveLength(2);
  });

  test('are written all or none', async () => {
    const broken = { ...WHOLE, closeRequestId: null as unknown as string };
    await expect(storage.protections.write({ save: [PLAIN, broken] })).rejects.toThrow(StorageError);
    expect(reopened().protections).toEqual([]);
  });
});

describe('what entries asked for', () => {
  const journalOver = () => {
    const path = join(folder.dataDir, TRADING.name);
    const searches = { all: async () => [], close: async () => undefined };
    return new SqliteJournal({ writer, reader: db, searches, path, nowMs: () => 7 });
  };
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
    const journal = journalOver();
    const [first, second] = [
      entry('entry', { protect }),
      entry('other', { protect: { takeProfit: priceLevel(decimal('1')) }, strategy: 'trend' }),
    ];
    for (const trade of [first, second, entry('plain', {})]) await journal.accept(trade, 0);
    expect(reopened().pending.toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))).toEqual([
      { requestId: 'entry', createdAtMs: first.receivedAtMs, asked: protect, share },
      {
        requestId: 'other',
        createdAtMs: second.receivedAtMs,
        asked: { takeProfit: priceLevel(decimal('1')) },
        share: { ...share, strategy: 'trend' },
      },
    ]);
    await storage.protections.write({ save: [WHOLE], settled: ['entry'] });
    expect(reopened().pending).toHaveLength(1);
    await storage.protections.write({ settled: ['other', 'other'] });
    expect(reopened()).toEqual({ protections: [WHOLE], pending: [] });
  });

  test('is not stored with an entry that is a duplicate', async () => {
    const idempotencyKey = '123e4567-e89b-42d3-a456-426614174000';
    await journalOver().accept(entry('first', { idempotencyKey }), 1000);
    const again = await journalOver().accept(entry('second', { idempotencyKey, protect }), 1000);
    expect([again.accepted, storage.protections.load().pending]).toEqual([false, []]);
  });

  test('takes its entry with it when it cannot be stored', async () => {
    db.exec("CREATE TRIGGER none BEFORE INSERT ON pending_stops BEGIN SELECT RAISE(ABORT, 'no room'); END");
    await expect(journalOver().accept(entry('entry', { protect }), 0)).rejects.toThrow(StorageError);
    expect(await journalOver().trade('entry')).toBeUndefined();
  });
});

describe('stops at venues', () => {
  const stop: StoredStop = {
    clientStopId: 'sbx1s',
    share: { exchange: 'bybit', mode: 'live', account: 'scalp', market: 'BTCUSDT', side: 'SHORT', strategy: 'trend' },
    ...{ kind: 'stop', by: 'break-even', quantity: decimal('0.001'), triggerPrice: decimal('68000.1'), createdAtMs: 2 },
  };
  const first: StoredStop = { ...stop, clientStopId: 'sbx2s', kind: 'take-profit', by: 'take-profit', createdAtMs: 1 };

  test('keep every field, the oldest first, until they are removed', async () => {
    await storage.venueStops.add(stop);
    await storage.venueStops.add(first);
    reopened();
    expect(storage.venueStops.load()).toEqual([first, stop]);
    await storage.venueStops.remove('sbx2s');
    await storage.venueStops.remove('sbx2s');
    reopened();
    expect(storage.venueStops.load()).toEqual([stop]);
  });

  test('never have one id twice', async () => {
    await storage.venueStops.add(stop);
    await expect(storage.venueStops.add({ ...first, clientStopId: stop.clientStopId })).rejects.toThrow(StorageError);
    expect(storage.venueStops.load()).toEqual([stop]);
  });
});

const MAIN = { exchange: 'binance', mode: 'paper', account: 'main' } as const;

describe("the drawdown guard's day", () => {
  test('is one for each account, the last one written', async () => {
    expect(storage.drawdown.readDay(MAIN)).toBeUndefined();
    const day = {
      ...{ day: '2026-11-15', startEquity: decimal('100'), lastEquity: decimal('-1.5'), lastSeenMs: 3 },
      trippedPercent: decimal('101.5'),
    };
    await storage.drawdown.writeDay(MAIN, day);
    reopened();
    expect(storage.drawdown.readDay(MAIN)).toEqual(day);
    const { trippedPercent: _, ...next } = { ...day, day: '2026-11-16' };
    await storage.drawdown.writeDay(MAIN, next);
    await storage.drawdown.writeDay({ ...MAIN, exchange: 'bybit' }, day);
    await storage.drawdown.writeDay({ ...MAIN, account: 'scalp' }, day);
    await storage.drawdown.writeDay({ ...MAIN, mode: 'live' }, day);
    expect(storage.drawdown.readDay(MAIN)).toEqual(next);
    expect(storage.drawdown.readDay({ ...MAIN, account: 'scalp' })).toEqual(day);
  });
});
