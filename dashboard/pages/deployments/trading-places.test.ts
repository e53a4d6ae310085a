// Where a deployment's orders go: the accounts of its key, each with its own money.

import { expect, test } from 'vitest';
import { exchangeOf, placesOf } from './trading-places.ts';

const ACCOUNTS = [
  { exchange: 'binance', account: 'main', mode: 'live', equity: 1200 },
  { exchange: 'binance', account: 'scalp', mode: 'paper', equity: 100_000 },
  { exchange: 'bybit', account: 'main', mode: 'testnet', equity: null },
] as const;

test('without routes it is the main account of its exchange', () => {
  expect(placesOf('binance', null, ACCOUNTS)).toEqual([
    { exchange: 'binance', account: 'main', multiplier: 1, mode: 'live', equity: 1200 },
  ]);
  expect(placesOf('bybit', undefined, ACCOUNTS)).toMatchObject([{ mode: 'testnet', equity: null }]);
});

test('with routes it is every account of them, and one that is not here says so', () => {
  const routes = [
    { account: 'scalp', multiplier: 0.5 },
    { account: 'gone', multiplier: 1 },
  ];
  expect(placesOf('binance', routes, ACCOUNTS)).toMatchObject([
    { account: 'scalp', multiplier: 0.5, mode: 'paper' },
    { account: 'gone', mode: undefined },
  ]);
});

test('the exchange is that of the target, else that of the market', () => {
  expect(exchangeOf({ type: 'trade', exchange: 'mexc' }, 'BYBIT:BTCUSDT')).toBe('mexc');
  expect(exchangeOf({ type: 'trade' }, 'BYBIT:BTCUSDT')).toBe('bybit');
  expect(exchangeOf({ type: 'trade' }, 'BTCUSDT')).toBeUndefined();
});
