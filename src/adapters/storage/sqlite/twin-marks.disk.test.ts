// The twin marks on SQLite: by account, oldest first, the first mark of a moment counts, and all of it is there after a restart.

import { expect, test } from 'vitest';
import { decimal } from '../../../trading/decimal.ts';
import { openTestData } from './testing/open-test-storage.ts';

const mark = (bid: string, ask: string) => ({ bid: decimal(bid), ask: decimal(ask) });

test('marks belong to their trade and moment, and stay', async () => {
  const { data, reopen, close } = await openTestData();
  const main = { exchange: 'binance', account: 'main' } as const;
  const [first, second] = [
    { tradeId: 'b', ...main, acceptedAtMs: 1 },
    { tradeId: 'a', ...main, acceptedAtMs: 2 },
  ];
  const other = { tradeId: 'c', exchange: 'bybit', account: 'main', acceptedAtMs: 1 } as const;
  await data.twinMarks.begin([second, other]);
  await data.twinMarks.begin([first]);
  await data.twinMarks.mark('b', 'sent', mark('0.0000001', '50000.1'));
  await data.twinMarks.mark('b', 'sent', mark('2', '3'));
  await data.twinMarks.mark('a', 'accepted', mark('1', '1'));
  await data.twinMarks.mark('nobody', 'accepted', mark('1', '1'));
  const expected = [
    { ...first, sent: mark('0.0000001', '50000.1') },
    { ...second, accepted: mark('1', '1') },
  ];
  expect(await data.twinMarks.of(main)).toEqual(expected);
  const again = await reopen();
  expect(await again.twinMarks.of(main)).toEqual(expected);
  expect(await again.twinMarks.of({ exchange: 'bybit', account: 'main' })).toEqual([other]);
  expect(await again.twinMarks.of({ exchange: 'mexc', account: 'main' })).toEqual([]);
  await close();
});
