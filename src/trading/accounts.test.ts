// How accounts are called: real money is never mistaken for play money, and main needs no name.

import { expect, test } from 'vitest';
import { accountOfRealMoney, accountWithMode } from './accounts.ts';

test.each([
  ['paper', 'main', 'binance (paper)', 'binance'],
  ['testnet', 'main', 'binance (testnet)', 'binance (testnet)'],
  ['live', 'main', 'binance (LIVE)', 'binance (LIVE)'],
  ['live', 'scalp', 'binance:scalp (LIVE)', 'binance:scalp (LIVE)'],
] as const)('a %s account called %s', (mode, account, withMode, ofRealMoney) => {
  const name = { exchange: 'binance', mode, account } as const;
  expect([accountWithMode(name), accountOfRealMoney(name)]).toEqual([withMode, ofRealMoney]);
});
