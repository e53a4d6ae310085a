// Silences that hosts want: shared by all who ask them, and never for good.

import { expect, test } from 'vitest';
import { HostSilences, MAX_SILENCE_MS } from './host-silences.ts';

test('all who ask a host keep quiet together, for as long as the longest silence that it wants', () => {
  const silences = new HostSilences(() => 1000);
  silences.of('https://fapi.binance.com').keep(500);
  silences.of('https://fapi.binance.com/fapi/v1').keep(200);
  expect(silences.of('https://fapi.binance.com').untilMs()).toBe(1500);
  expect(silences.of('https://api.bybit.com').untilMs()).toBe(Number.NEGATIVE_INFINITY);
});

test.each([
  [Number.POSITIVE_INFINITY, 1000 + MAX_SILENCE_MS],
  [365 * 24 * 3_600_000, 1000 + MAX_SILENCE_MS],
  [-5, Number.NEGATIVE_INFINITY],
  [Number.NaN, Number.NEGATIVE_INFINITY],
])('a silence of %s ms ends', (forMs, untilMs) => {
  const silence = new HostSilences(() => 1000).of('https://fapi.binance.com');
  silence.keep(forMs);
  expect(silence.untilMs()).toBe(untilMs);
});
