// The best prices of a market, asked of emulated venues over real HTTP: both sides, and when it was so by our own clock.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import type { Venue } from '../../src/trading/venue.ts';
import { openEmulatedAccount } from '../support/emulated-account.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue } from '../support/emulated-venues/emulated-venue.ts';
import { startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';

const VENUES = [
  { exchange: 'binance', start: startBinance, path: '/fapi/v1/ticker/bookTicker' },
  { exchange: 'bybit', start: startBybitVenue, path: '/v5/market/orderbook' },
  { exchange: 'mexc', start: startMexcVenue, path: '/api/v1/contract/ticker' },
] as const;
const MARKET = 'BTCUSDT';
/** Differs from ours by far more than a quote may be old. */
const CLOCK_AHEAD_MS = 90_000;
/** How far the venue's clock can be misjudged on a busy machine. */
const TOLERANCE_MS = 2_000;

describe.each(VENUES)('$exchange', ({ exchange, start, path }) => {
  let emulated: EmulatedVenue;
  let venue: Venue;

  beforeEach(async () => {
    emulated = await start({ nowMs: () => Date.now() + CLOCK_AHEAD_MS });
    venue = await openEmulatedAccount(exchange, emulated);
  });

  afterEach(async () => {
    await venue.close();
    await emulated.close();
  });

  test('bid and ask are the venue’s, and their time is told on our clock', async () => {
    emulated.market.setPrice(MARKET, { last: '50000', bid: '49990.5', ask: '50010.1' });
    const quote = await venue.quote?.(MARKET);
    expect(quote).toMatchObject({ bid: decimal('49990.5'), ask: decimal('50010.1') });
    expect(Math.abs((quote?.atMs ?? 0) - Date.now())).toBeLessThan(TOLERANCE_MS);
  });

  test('a quote that stands still keeps its time', async () => {
    const quotedAtMs = Date.now() + CLOCK_AHEAD_MS - 60_000;
    emulated.market.setPrice(MARKET, { last: '50000', quotedAtMs });
    const quote = await venue.quote?.(MARKET);
    expect(Math.abs((quote?.atMs ?? 0) - (Date.now() - 60_000))).toBeLessThan(TOLERANCE_MS);
  });

  test.each([
    ['bid', 'nobody buys'],
    ['ask', 'nobody sells'],
  ])('without a %s there is no quote', async (side, words) => {
    emulated.market.setPrice(MARKET, { last: '50000', [side]: '0' });
    await expect(venue.quote?.(MARKET)).rejects.toMatchObject({
      ...{ name: 'VenueError', failure: 'not-sent', message: expect.stringContaining(words) },
    });
  });

  test('an answer that makes no sense is no quote', async () => {
    emulated.market.setPrice(MARKET, '50000');
    emulated.faults.answerInstead({ path }, 200, {});
    await expect(venue.quote?.(MARKET)).rejects.toMatchObject({ failure: 'unknown' });
  });

  test('a market that the venue does not have is told as such', async () => {
    await expect(venue.quote?.('NOSUCHUSDT')).rejects.toMatchObject({ name: 'UnknownMarket' });
  });
});
