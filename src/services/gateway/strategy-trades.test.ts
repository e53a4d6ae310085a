// The trades of a strategy out of the journal: page by page, oldest first, none from before, with the side of each fill.

import { expect, test } from 'vitest';
import type { Trade, TradeDetail, TradeFilter } from '../../trading/books/journal.ts';
import { decimal } from '../../trading/decimal.ts';
import { strategyTrades } from './strategy-trades.ts';

/** Newest first, as the journal gives them; received a second apart. */
function journalOf(count: number) {
  const asked: TradeFilter[] = [];
  const all = Array.from({ length: count }, (_, place) => {
    const number = count - place;
    const order = { exchange: 'binance', action: 'LONG', idempotencyKey: `script/e${number}/k`, market: 'BTCUSDT' };
    return {
      requestId: `r${number}`,
      receivedAtMs: number * 1000,
      source: 'script',
      account: 'main',
      state: 'filled',
      order,
    };
  }) as unknown as Trade[];
  const detail = {
    orders: [
      { clientOrderId: 'c1', side: 'BUY' },
      { clientOrderId: 'c2', side: 'SELL' },
    ],
    fills: [
      { clientOrderId: 'c2', atMs: 5, quantity: decimal('0.5'), price: decimal('101.5'), fee: decimal('0.05') },
      { clientOrderId: 'c1', atMs: 6, quantity: decimal('1'), price: decimal('102'), fee: decimal('0.1') },
    ],
  } as unknown as TradeDetail;
  return {
    asked,
    async trades(filter: TradeFilter) {
      asked.push(filter);
      const from =
        filter.beforeRequestId === undefined ? 0 : all.findIndex((t) => t.requestId === filter.beforeRequestId) + 1;
      return all.slice(from, from + filter.limit);
    },
    trade: async (requestId: string) => (requestId === 'r3' ? undefined : detail),
  };
}

test('has those since the moment, oldest first, with the side of the order that each fill belongs to', async () => {
  const journal = journalOf(5);
  const found = await strategyTrades(journal, { strategy: 's', market: 'BTCUSDT', sinceMs: 2000 });
  expect(found.map(({ requestId }) => requestId)).toEqual(['r2', 'r4', 'r5']);
  expect(found[0]).toEqual({
    ...{ requestId: 'r2', receivedAtMs: 2000, source: 'script', error: null, idempotencyKey: 'script/e2/k' },
    ...{ account: 'binance:main', status: 'Filled', action: 'LONG' },
    fills: [
      { atMs: 5, side: 'sell', quantity: 0.5, price: 101.5, fee: 0.05 },
      { atMs: 6, side: 'buy', quantity: 1, price: 102, fee: 0.1 },
    ],
  });
  expect(journal.asked).toEqual([{ limit: 200, strategy: 's', market: 'BTCUSDT' }]);
});

test.each([
  [199, 1],
  [200, 2],
  [450, 3],
  [5000, 10],
])('of %d trades asks for %d pages, and has the newest 2,000 at most', async (count, pages) => {
  const journal = journalOf(count);
  const found = await strategyTrades(journal, { strategy: 's', sinceMs: 0 });
  expect(journal.asked).toHaveLength(pages);
  const isThere = (number: number): number => (count - number < 2000 ? 1 : 0);
  expect(found).toHaveLength(Math.min(count, 2000) - isThere(3));
  expect(found.at(-1)?.requestId).toBe(`r${count}`);
});
