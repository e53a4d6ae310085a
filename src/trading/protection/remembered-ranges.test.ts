// The memory of one look: one question for the same stretch, and never the answer of another venue.

import { expect, test } from 'vitest';
import type { TradedPrices } from './look-at-market.ts';
import { rememberRanges } from './remembered-ranges.ts';

const BINANCE = { exchange: 'binance', mode: 'live' } as const;
const BYBIT = { exchange: 'bybit', mode: 'live' } as const;

test('a stretch is read once from each source, and each account has the answer of its own', async () => {
  const asked: string[] = [];
  const sourceAt = (price: string): TradedPrices => ({
    lastPrice: async () => price,
    range: async (market, fromMs, toMs) => {
      asked.push(`${price}: ${market} ${fromMs}-${toMs}`);
      return { low: price, high: price };
    },
  });
  const sources = { binance: sourceAt('20'), bybit: sourceAt('500'), mexc: sourceAt('1') };
  const pricesOf = rememberRanges(({ exchange }) => sources[exchange]);
  for (const [account, price] of [
    [BINANCE, '20'],
    [BYBIT, '500'],
    [BINANCE, '20'],
  ] as const) {
    expect(await pricesOf(account).range('BTCUSDT', 0, 1000)).toEqual({ low: price, high: price });
    expect(await pricesOf(account).lastPrice('BTCUSDT')).toBe(price);
  }
  expect(asked).toEqual(['20: BTCUSDT 0-1000', '500: BTCUSDT 0-1000']);
  await pricesOf(BINANCE).range('BTCUSDT', 0, 2000);
  await pricesOf(BINANCE).range('ETHUSDT', 0, 1000);
  expect(asked.slice(2)).toEqual(['20: BTCUSDT 0-2000', '20: ETHUSDT 0-1000']);
});
