// A market and an interval as people write them: as exchanges do, and as charts do.

import { expect, test } from 'vitest';
import { marketFields } from './market-fields.ts';

test.each([
  ['1', '1m'],
  ['5', '5m'],
  ['60', '1h'],
  ['240', '4h'],
  ['D', '1d'],
  ['1D', '1d'],
  ['W', '1w'],
  ['60m', '1h'],
  ['4h', '4h'],
])('the interval %s is %s', (written, interval) => {
  expect(marketFields('BINANCE:BTCUSDT', written)).toMatchObject({ market: 'BTCUSDT', interval });
});

test.each(['', '0', 'M', '1M', '5s', 'x'])('the interval %j is none', (written) => {
  expect(() => marketFields('BTCUSDT', written)).toThrow();
});
