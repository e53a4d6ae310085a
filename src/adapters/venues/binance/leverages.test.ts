// The leverages that are set at Binance: asked for once and beside everything else, then kept by what is set and heard.

import { beforeEach, expect, test } from 'vitest';
import { decimal } from '../../../trading/decimal.ts';
import type { VenuePosition } from '../../../trading/venue.ts';
import { Leverages } from './leverages.ts';

const held = (market: string): VenuePosition => ({
  ...{ market, side: 'LONG', quantity: decimal('1'), entryPrice: decimal('100') },
});
let asked: number;
let nowMs: number;
let answer: () => Promise<unknown>;
let leverages: Leverages;
beforeEach(() => {
  [asked, nowMs] = [0, 1_000_000];
  // The client hands numbers on as text.
  answer = async () => [{ symbol: 'BTCUSDT', leverage: '20' }];
  const send = () => {
    asked++;
    return answer();
  };
  leverages = new Leverages({ send }, () => nowMs);
});
const told = (...markets: string[]) => leverages.addTo(markets.map(held)).map(({ leverage }) => leverage);

test('are told after one question, and nobody waits for it', async () => {
  expect(told()).toEqual([]);
  expect(asked).toBe(0);
  expect(told('BTCUSDT')).toEqual([undefined]);
  await expect.poll(() => told('BTCUSDT')).toEqual([20]);
  expect(asked).toBe(1);
});

test('what was set or heard is newer than what was asked before', async () => {
  told('BTCUSDT');
  leverages.note('BTCUSDT', 5);
  await answer();
  expect(told('BTCUSDT')).toEqual([5]);
  leverages.hear({ e: 'ACCOUNT_CONFIG_UPDATE', ac: { s: 'BTCUSDT', l: 7 } });
  for (const other of [
    undefined,
    { e: 'ORDER_TRADE_UPDATE', ac: { s: 'BTCUSDT', l: 9 } },
    { e: 'ACCOUNT_CONFIG_UPDATE' },
  ])
    leverages.hear(other);
  expect(told('BTCUSDT')).toEqual([7]);
});

test.each([
  ['does not answer', () => Promise.reject(new Error('gone'))],
  ['answers something else', async () => ({ code: -1 })],
  ['does not know the market', async () => []],
])('a venue that %s is asked again after a minute, and what is held is told all the same', async (_, said) => {
  answer = said;
  for (let count = 0; count < 3; count++) expect(told('BTCUSDT')).toEqual([undefined]);
  nowMs += 59_999;
  told('BTCUSDT');
  expect(asked).toBe(1);
  nowMs += 1;
  answer = async () => [{ symbol: 'BTCUSDT', leverage: 3 }];
  told('BTCUSDT');
  await expect.poll(() => told('BTCUSDT')).toEqual([3]);
  expect(asked).toBe(2);
});

test('of one market it is asked for each time, and what is told then is kept', async () => {
  const market = { symbol: 'BTCUSDT', venueSymbol: 'BTCUSDT' };
  leverages.note('BTCUSDT', 5);
  expect(await leverages.of(market)).toBe(20);
  answer = async () => [{ symbol: 'BTCUSDT', leverage: '50' }];
  expect(await leverages.of(market)).toBe(50);
  expect(told('BTCUSDT')).toEqual([50]);
  answer = () => Promise.reject(new Error('gone'));
  await expect(leverages.of(market)).rejects.toThrow('gone');
});
