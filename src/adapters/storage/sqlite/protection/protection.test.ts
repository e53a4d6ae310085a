// Protections on SQLite: every field, whole or not at all, there after reopening, and failing in words.

import { renameSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../../../trading/decimal.ts';
import type { Protection } from '../../../../trading/protection/protection.ts';
import { StorageError } from '../../../../trading/storage-error.ts';
import { type TestFolder, testFolder } from '../testing/open-test-storage.ts';
import { openProtectionStorage, type ProtectionStorage } from './protection.ts';

const PLAIN: Protection = {
  ...{ exchange: 'binance', account: 'paper', market: 'BTCUSDT', side: 'LONG' },
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
  peak: decimal('3'),
  fired: { by: 'take-profit', level: decimal('4'), atMs: 5 },
};

let folder: TestFolder;
let storage: ProtectionStorage;
beforeEach(() => {
  folder = testFolder();
  storage = openProtectionStorage(folder.dataDir);
});
afterEach(() => {
  storage.close();
  folder.remove();
});
const reopened = () => {
  storage.close();
  storage = openProtectionStorage(folder.dataDir);
  return storage.protections.load();
};

describe('protections', () => {
  test.each(['durable', 'relaxed'] as const)('written %s keep every field, and are there after reopening', (how) => {
    const amount = { ...PLAIN, market: 'ETHUSDT', trail: { amount: decimal('12.5') } };
    storage.protections.write({ save: [PLAIN, WHOLE, amount] }, how);
    expect(basename(storage.path)).toBe('protection.db');
    expect(reopened().protections).toEqual([PLAIN, WHOLE, amount]);
  });

  test('written again are replaced, and one that is removed is gone', () => {
    storage.protections.write({ save: [PLAIN, WHOLE] }, 'durable');
    const { peak: _, fired: __, ...later } = { ...WHOLE, seenUntilMs: 9000 };
    storage.protections.write({ save: [later] }, 'relaxed');
    storage.protections.write({ remove: [PLAIN] }, 'durable');
    storage.protections.write({ remove: [PLAIN] }, 'durable');
    expect(reopened().protections).toEqual([later]);
  });

  test('of one position in two accounts are two', () => {
    storage.protections.write({ save: [PLAIN, { ...PLAIN, account: 'live' }] }, 'durable');
    expect(reopened().protections).toHaveLength(2);
  });

  test('are written all or none', () => {
    const broken = { ...WHOLE, closeRequestId: null as unknown as string };
    expect(() => storage.protections.write({ save: [PLAIN, broken] }, 'relaxed')).toThrow(StorageError);
    expect(reopened().protections).toEqual([]);
  });
});

describe('wishes', () => {
  const wish = {
    ...{ requestId: 'entry', createdAtMs: 7 },
    levels: { trail: { percent: decimal('2') }, stopLoss: decimal('1'), takeProfit: decimal('3') },
  };
  test('keep every field until they are fulfilled or dropped', () => {
    const bare = { requestId: 'other', createdAtMs: 8, levels: { stopLoss: decimal('1') } };
    storage.protections.addWish(wish);
    storage.protections.addWish(bare);
    expect(reopened().wishes).toEqual([wish, bare]);
    storage.protections.write({ save: [WHOLE], wishesOver: ['entry'] }, 'durable');
    expect(reopened()).toEqual({ protections: [WHOLE], wishes: [bare] });
    storage.protections.write({ wishesOver: ['other'] }, 'durable');
    storage.protections.write({ wishesOver: ['other'] }, 'durable');
    expect(reopened().wishes).toEqual([]);
  });
});

describe("the drawdown guard's day", () => {
  test('is one for each account, the last one written', () => {
    expect(storage.drawdown.readDay('binance:main')).toBeUndefined();
    const day = {
      ...{ day: '2026-11-15', startEquity: decimal('100'), lastEquity: decimal('-1.5'), lastSeenMs: 3 },
      trippedPercent: decimal('101.5'),
    };
    storage.drawdown.writeDay('binance:main', day);
    reopened();
    expect(storage.drawdown.readDay('binance:main')).toEqual(day);
    const { trippedPercent: _, ...next } = { ...day, day: '2026-11-16' };
    storage.drawdown.writeDay('binance:main', next);
    storage.drawdown.writeDay('bybit:main', day);
    expect(storage.drawdown.readDay('binance:main')).toEqual(next);
  });
});

test('a file that was moved away is refused in words', () => {
  storage.probe();
  renameSync(storage.path, `${storage.path}.gone`);
  expect(() => storage.probe()).toThrow(/protection\.db was moved, replaced or deleted/);
  expect(() => storage.protections.write({ save: [PLAIN] }, 'relaxed')).toThrow(StorageError);
});
