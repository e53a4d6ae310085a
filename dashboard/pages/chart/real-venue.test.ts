// Which exchange is named where the chart's prices are not those that are traded at.

import { expect, test } from 'vitest';
import { realVenueOf } from './real-venue.ts';

test.each([
  [{ binance: 'paper', bybit: 'paper', mexc: 'off' }, undefined],
  [
    { binance: 'paper', bybit: 'testnet', mexc: 'off' },
    { exchange: 'bybit', money: 'TESTNET money' },
  ],
  [
    { binance: 'testnet', bybit: 'paper', mexc: 'live' },
    { exchange: 'mexc', money: 'LIVE money' },
  ],
])('of %o', (venues, expected) => {
  expect(realVenueOf({ venues })).toEqual(expected);
});
