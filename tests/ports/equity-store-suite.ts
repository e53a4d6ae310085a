// What every equity store must do: exact samples by account, as many points as were asked for, and old ones thinned out.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EquitySample, EquityStore } from '../../src/trading/books/equity-curves.ts';
import { decimal } from '../../src/trading/decimal.ts';

export interface OpenEquityStore {
  readonly store: EquityStore;
  reopen(): Promise<EquityStore>;
  close(): Promise<void>;
}

const MAIN = { exchange: 'binance', mode: 'paper', account: 'main' } as const;
const ALL = { fromMs: 0, toMs: Number.POSITIVE_INFINITY, limit: 100 };
const sample = (atMs: number, equity: string, account: Partial<EquitySample> = {}): EquitySample => ({
  ...{ ...MAIN, ...account },
  ...{ atMs, equity: decimal(equity), balance: decimal('-0.000000000001') },
});

export function describeEquityStore(name: string, open: () => Promise<OpenEquityStore>): void {
  describe(name, () => {
    let opened: OpenEquityStore;
    let store: EquityStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const moments = async (range: object = {}) =>
      (await store.points(MAIN, { ...ALL, ...range })).map(({ atMs }) => atMs);

    test('is empty at first', async () => {
      expect(await moments()).toEqual([]);
    });

    test('keeps samples exactly, by account, oldest first, over a restart', async () => {
      const digits = '99999999999999999999.999999999999';
      await store.add([sample(20, digits), sample(10, '1'), sample(10, '2', { mode: 'live' })], []);
      await store.add([sample(10, '3', { account: 'other' }), sample(10, '4', { exchange: 'bybit' })], []);
      const again = await opened.reopen();
      const balance = decimal('-0.000000000001');
      expect(await again.points(MAIN, ALL)).toEqual([
        { atMs: 10, equity: decimal('1'), balance },
        { atMs: 20, equity: decimal(digits), balance },
      ]);
      expect(await again.points({ ...MAIN, account: 'other' }, ALL)).toMatchObject([{ equity: decimal('3') }]);
    });

    test('a second sample of one moment takes the place of the first', async () => {
      await store.add([sample(10, '1'), sample(10, '2')], []);
      expect(await store.points(MAIN, ALL)).toMatchObject([{ atMs: 10, equity: decimal('2') }]);
    });

    test('a stretch begins at its first moment and ends before its last', async () => {
      await store.add([sample(10, '1'), sample(20, '2'), sample(30, '3')], []);
      expect(await moments({ fromMs: 10, toMs: 30 })).toEqual([10, 20]);
    });

    test('of more points than are wanted, the last one of each equal stretch is told, as it was', async () => {
      await store.add(
        Array.from({ length: 100 }, (_, index) => sample(1000 + index, `${index}`)),
        [],
      );
      const points = await store.points(MAIN, { ...ALL, limit: 4 });
      expect(points.map(({ atMs }) => atMs)).toEqual([1024, 1049, 1074, 1099]);
      expect(points[1]?.equity).toEqual(decimal('49'));
      expect(await moments({ limit: 100 })).toHaveLength(100);
    });

    test('what is older is thinned out to the last of each stretch, and what is too old goes', async () => {
      await store.add(
        [5, 12, 18, 21, 29, 30, 31, 40].map((atMs) => sample(atMs, '1')),
        [
          { beforeMs: 31, everyMs: 10 },
          { beforeMs: 12, everyMs: 0 },
        ],
      );
      expect(await moments()).toEqual([18, 29, 30, 31, 40]);
    });
  });
}
