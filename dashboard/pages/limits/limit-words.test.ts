// Limits in words.

import { expect, test } from 'vitest';
import { everyLimitWords, limitWords } from './limit-words.ts';

test('what limits it, with units', () => {
  expect(limitWords({})).toBe('none');
  expect(limitWords({ venues: ['binance'], largestOrder: 1500, leverage: 3, cooldownSeconds: 60 })).toBe(
    'largest order 1,500 USDT, leverage 3×, pause after a close 60 s',
  );
  expect(
    limitWords({ lockAfterStops: { stops: 3, seconds: 3600 }, tradingWindows: [{ from: '09:30', to: '16:00' }] }),
  ).toBe('locked after 3 stops in 3,600 s, 09:30–16:00');
});

test('every limit, with what alone may be traded first', () => {
  expect(everyLimitWords({})).toBe('none');
  expect(everyLimitWords({ venues: ['binance'], symbols: ['BTCUSDT'] })).toBe('only BTCUSDT, binance');
  expect(everyLimitWords({ symbols: ['BTCUSDT'], rate: 2, actions: ['LONG'] })).toBe(
    'only BTCUSDT; entries a minute 2, LONG',
  );
});
