// Which money a deployment trades: every kind of its accounts is named, and what nobody knows too.

import { expect, test } from 'vitest';
import { tradedMoney } from './traded-money.ts';

const ACCOUNTS = [
  { exchange: 'binance', account: 'main', mode: 'live', equity: 1200 },
  { exchange: 'binance', account: 'scalp', mode: 'paper', equity: 100_000 },
  { exchange: 'bybit', account: 'main', mode: 'testnet', equity: null },
] as const;
const key = (keyId: string, more: object = {}) => ({ keyId, routes: null, revokedAt: null, ...more });
const BOTH = [
  { account: 'scalp', multiplier: 1 },
  { account: 'main', multiplier: 1 },
  { account: 'scalp', multiplier: 2 },
];
const KEYS = [key('plain'), key('both', { routes: BOTH }), key('ended', { revokedAt: 1 })];
const trade = (keyId: string, exchange?: string) => ({ type: 'trade', keyId, ...(exchange && { exchange }) });

test.each([
  ['the main account', [trade('plain', 'binance')], ['live']],
  ['the exchange of the market', [trade('plain')], ['testnet']],
  ['every account of its routes, each kind once', [trade('both', 'binance')], ['paper', 'live']],
  ['several targets', [trade('plain', 'binance'), trade('plain', 'bybit')], ['live', 'testnet']],
  [
    'a key that has ended, beside one that has not',
    [trade('ended', 'binance'), trade('plain', 'binance')],
    ['unknown', 'live'],
  ],
  ['a key that nobody lists', [trade('gone', 'binance')], ['unknown']],
  ['an account that is not here', [trade('plain', 'mexc')], ['unknown']],
  ['what sends nothing to an account', [{ type: 'telegram' }, { type: 'second-opinion', sendMissing: false }], []],
  [
    'a second opinion that sends',
    [{ ...trade('plain', 'bybit'), type: 'second-opinion', sendMissing: true }],
    ['testnet'],
  ],
] as const)('%s', (_, targets, money) => {
  expect(tradedMoney({ targets, symbol: 'BYBIT:BTCUSDT' }, KEYS, ACCOUNTS)).toEqual(money);
});

test('an alert that names its own exchange may move any money', () => {
  expect(tradedMoney({ targets: [trade('plain')], symbol: 'BTCUSDT' }, KEYS, ACCOUNTS)).toEqual(['unknown']);
});
