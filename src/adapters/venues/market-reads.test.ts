// Who only looks on takes nothing from those who trade.

import { expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { decimal } from '../../trading/decimal.ts';
import type { Quote } from '../../trading/venue.ts';
import { MarketReads } from './market-reads.ts';
import type { VenueMarket } from './venue-adapter.ts';

const QUOTE: Quote = { bid: decimal(1), ask: decimal(2), atMs: 0 };
const market: VenueMarket = {
  ...{ symbol: 'BTCUSDT', venueSymbol: 'BTCUSDT', tickSize: decimal(1), stepSize: decimal(1), minQuantity: decimal(1) },
  ...{ minNotional: decimal(1), maxLeverage: 1 },
};

function open() {
  const { nowMs: monotonicMs, timers } = createHandClock(0);
  /** Of those who look on: none of them has an answer before it is given. */
  const looks: (() => void)[] = [];
  const adapter = {
    quote: (): Promise<Quote> => new Promise((resolve) => looks.push(() => resolve(QUOTE))),
    quotes: async () => new Map([['BTCUSDT', QUOTE]]),
    positions: async () => [],
    allPositions: async () => ({ positions: [], unreadable: new Set<string>() }),
  };
  const reads = new MarketReads({ title: 'Binance', adapter, listed: async () => [market], monotonicMs, timers });
  return { reads, looks };
}

test('an order asks at once, however many look at the best prices beside it', async () => {
  const { reads, looks } = open();
  const beside = Array.from({ length: 20 }, () => reads.quote(market, 'aside'));
  const ordered = reads.quote(market);
  // The clock stands still: what waits for its turn would wait for ever.
  expect(looks).toHaveLength(21);
  looks.at(-1)?.();
  expect(await ordered).toBe(QUOTE);
  for (const answer of looks) answer();
  expect(await Promise.all(beside)).toHaveLength(20);
});
