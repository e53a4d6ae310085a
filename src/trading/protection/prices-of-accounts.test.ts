// Protections of the same market on several accounts: each sees the prices of its own account, and is told when they are missing.

import { expect, test } from 'vitest';
import type { Exchange } from '../../exchanges/exchange.ts';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import type { StrategyBook } from '../books/strategy-book.ts';
import { decimal } from '../decimal.ts';
import type { VenueMode } from '../venue.ts';
import type { TradedPrices } from './look-at-market.ts';
import { newProtection } from './new-protection.ts';
import { Protections } from './protections.ts';
import { memoryProtectionStore } from './testing/memory-protection-store.ts';

const START_MS = Date.UTC(2026, 10, 17);
const MISSING: TradedPrices = {
  lastPrice: async () => Promise.reject(new Error('no price')),
  range: async () => Promise.reject(new Error('no stream')),
};
const at = (price: string): TradedPrices => ({
  lastPrice: async () => price,
  range: async () => ({ low: price, high: price }),
});

/** A long with a stop at 90 on each of these accounts. */
async function guard(accounts: readonly { exchange: Exchange; mode: VenueMode; prices: TradedPrices }[]) {
  const troubles: string[] = [];
  // Of those that are closed; without a journal each is tried again.
  const closed = new Set<string>();
  let elapsedMs = 0;
  const store = memoryProtectionStore();
  const made = { createdAtMs: START_MS, seenUntilMs: START_MS, origin: undefined };
  const save = accounts.map(({ exchange, mode }) => ({
    ...newProtection(
      { exchange, mode, account: 'main', market: 'BTCUSDT', side: 'LONG', strategy: '' },
      { ...made, closeRequestId: `close-${exchange}` },
    ),
    stopLoss: decimal('90'),
  }));
  await store.write({ save });
  const share = { quantity: decimal('1'), entryPrice: decimal('100') } as StrategyBook;
  const protections = new Protections({
    ...{ store, newRequestId: () => 'r', nowMs: () => START_MS + elapsedMs, monotonicMs: () => elapsedMs },
    timers: createHandClock(0).timers,
    positions: { share: () => share, sharesOf: () => [share], watch: () => {} },
    accounts: { find: () => undefined, has: () => true },
    closer: {
      find: async () => undefined,
      unfinished: async () => [],
      close: async ({ exchange }) => void closed.add(exchange),
      isHeld: async () => true,
    },
    pricesOf: ({ exchange }) => accounts.find((each) => each.exchange === exchange)?.prices ?? MISSING,
    onTrouble: (what) => void troubles.push(what),
  });
  await protections.load();
  for (; elapsedMs <= 35_000; elapsedMs += 1000) await protections.look();
  await protections.idle();
  return { troubles, closed: [...closed] };
}

test('each is closed by the price of its own account', async () => {
  const { closed, troubles } = await guard([
    { exchange: 'binance', mode: 'live', prices: at('100') },
    { exchange: 'bybit', mode: 'live', prices: at('89') },
    { exchange: 'mexc', mode: 'paper', prices: at('100') },
  ]);
  expect([closed, troubles]).toEqual([['bybit'], []]);
});

test('prices that are there for one account do not hide that they are missing for another', async () => {
  const { closed, troubles } = await guard([
    { exchange: 'binance', mode: 'live', prices: MISSING },
    { exchange: 'bybit', mode: 'testnet', prices: at('100') },
    { exchange: 'mexc', mode: 'paper', prices: at('100') },
  ]);
  expect(closed).toEqual([]);
  expect(troubles).toEqual(['the stops of BTCUSDT on binance (live) cannot see its prices']);
});
