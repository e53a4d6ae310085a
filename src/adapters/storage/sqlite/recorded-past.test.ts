// What a replay reads of a journal whose older trades were archived.

import { expect, test } from 'vitest';
import { accepted, START_MS } from '../../../../tests/ports/sample-trades.ts';
import { closeAtEnd } from '../../../../tests/support/close-at-end.ts';
import { toText } from '../../../trading/decimal.ts';
import { readRecordedPast } from './recorded-past.ts';
import { openSettingsStorage } from './settings.ts';
import { openTestData } from './testing/open-test-storage.ts';

test('funding of before the first trade that is left belongs to what an account begins with', async () => {
  const opened = await openTestData();
  closeAtEnd(() => opened.close());
  const own = { exchange: 'binance', account: 'main' } as const;
  const paid = { ...own, market: 'BTCUSDT', side: 'LONG', quantity: '1', price: '1', rate: '1' } as const;
  await accepted(opened.data.journal, { receivedAtMs: START_MS });
  await opened.data.paperLedger.commit({
    account: { ...own, version: 1, balance: '100', nextOrderNumber: 1, matchedUntilMs: START_MS },
    funding: [
      { ...paid, atMs: START_MS - 1, amount: '-3' },
      { ...paid, atMs: START_MS, amount: '-5' },
      { ...paid, atMs: START_MS, market: 'ETHUSDT', amount: '-7' },
    ],
  });
  await openSettingsStorage(opened.dataDir).close();
  const [account] = readRecordedPast(opened.dataDir).accounts;
  expect(account?.funding.map(({ amount }) => toText(amount))).toEqual(['-5']);
  expect(toText(account!.startingBalance)).toBe('105');
});
