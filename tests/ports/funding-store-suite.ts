// What every store of venues' funding must do: keep each payment once, with an exact sum, over restarts.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FundingStore } from '../../src/trading/books/funding-store.ts';
import { decimal, toText } from '../../src/trading/decimal.ts';

export interface OpenFundingStore {
  readonly store: FundingStore;
  reopen(): Promise<FundingStore>;
  close(): Promise<void>;
}

const ACCOUNT = { exchange: 'binance', mode: 'live', account: 'main' } as const;
const payment = (fundingId: string, atMs: number, amount: string) => ({
  ...{ fundingId, atMs, market: 'BTCUSDT', amount: decimal(amount) },
});

export function describeFundingStore(name: string, open: () => Promise<OpenFundingStore>): void {
  describe(name, () => {
    let opened: OpenFundingStore;
    let fundings: FundingStore;
    beforeEach(async () => {
      opened = await open();
      fundings = opened.store;
    });
    afterEach(() => opened.close());

    test('an account that was never read has nothing, and nobody knows up to when', async () => {
      expect(await fundings.readTo(ACCOUNT)).toBeUndefined();
      expect(await fundings.range(ACCOUNT, 0, Number.MAX_SAFE_INTEGER)).toEqual([]);
      expect(toText(await fundings.total(ACCOUNT))).toBe('0');
    });

    test('a payment that is told twice is one payment, and the sum is exact', async () => {
      await fundings.add(ACCOUNT, [payment('a', 10, '-0.1'), payment('b', 20, '0.300000000001')], 25);
      await fundings.add(ACCOUNT, [payment('b', 20, '0.300000000001'), payment('c', 30, '-0.2')], 35);
      await fundings.add({ ...ACCOUNT, mode: 'testnet' }, [payment('a', 10, '7')], 15);
      const kept = await opened.reopen();
      expect(toText(await kept.total(ACCOUNT))).toBe('0.000000000001');
      expect(await kept.readTo(ACCOUNT)).toBe(35);
      expect((await kept.range(ACCOUNT, 0, 100)).map(({ atMs }) => atMs)).toEqual([10, 20, 30]);
    });

    test('a stretch begins at its first moment and ends before its last', async () => {
      await fundings.add(ACCOUNT, [payment('b', 20, '2'), payment('a', 10, '1'), payment('c', 30, '3')], 40);
      expect((await fundings.range(ACCOUNT, 10, 30)).map(({ amount }) => toText(amount))).toEqual(['1', '2']);
    });

    test('what was read up to never moves back', async () => {
      await fundings.add(ACCOUNT, [], 50);
      await fundings.add(ACCOUNT, [], 40);
      expect(await fundings.readTo(ACCOUNT)).toBe(50);
    });
  });
}
